package laws

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Law is one thing that holds for every shop.
type Law struct {
	ID       string // lower case, hyphenated: the name of the subtest
	needs    string // what it needs, separated by spaces: see Harness.has
	check    func(b *bench)
	Sentence string // what holds
}

// The needs of a law beside the fields of a Harness.
const (
	always   = "always"   // no adapter in Go is excused
	inGo     = "inGo"     // an adapter in Go: of an endpoint nothing would be learned
	requests = "requests" // an adapter that makes HTTP requests
	faults   = "faults"   // requests, or Interrupt
	steps    = "steps"    // requests, or Watch
)

// has reports whether the harness has what a law needs: one of the above, or a field.
func (h Harness) has(need string) bool {
	switch need {
	case always:
		return true
	case inGo:
		return h.Endpoint == nil
	case requests:
		return !h.NoTransport
	case faults:
		return !h.NoTransport || h.Interrupt != nil
	case steps:
		return !h.NoTransport || h.Watch != nil
	}
	return !reflect.ValueOf(h).FieldByName(need).IsZero()
}

// unmet is why a law is skipped without what it needs; where it has no word, Without must say.
var unmet = map[string]string{
	"Endpoint":     "this is a law of the http protocol: an adapter in Go is called, and is sent no request",
	"DeleteStamp":  "nobody but the adapter can delete a stamp of this shop",
	"OpenAdopting": "OpenAdopting is nil: this adapter takes over no product of the merchant's own",
	"Drafts":       "its shop is offered no drafts",
	"Details":      "the harness names no detail that the shop keeps",
	"EditDetail":   "the harness cannot edit a detail by hand",
	"Languages":    "the harness names no language that the shop keeps beside the product's own",
	"AddTax":       "the harness has no shop that adds tax to its prices",
}

// OfProtocol says that the law is one of the http protocol alone.
func (l Law) OfProtocol() bool { return l.needing("Endpoint") }

// OfEndpoint says that an endpoint of the http protocol can be held to the law.
func (l Law) OfEndpoint() bool {
	offered := []string{always, requests, faults, "Endpoint", "Drafts", "DeleteByHand"}
	return !slices.ContainsFunc(strings.Fields(l.needs), func(need string) bool { return !slices.Contains(offered, need) })
}

func (l Law) needing(need string) bool { return slices.Contains(strings.Fields(l.needs), need) }

// A Skip is the error of a law that was not exercised.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// Laws lists the laws that an adapter in Go is held to: all but those of the http protocol.
func Laws() []Law { return slices.DeleteFunc(Book(), Law.OfProtocol) }

// Check exercises the law once. It returns nil when the law held, a [Skip] when it was not
// exercised, and otherwise what went wrong, at which step.
func (l Law) Check(ctx context.Context, h Harness) error {
	if err := l.exercised(h); err != nil {
		return err
	}
	b := newBench(ctx, l.ID, h)
	err := b.breach(caught(func() {
		b.restart()
		l.check(b)
	}))
	if closing := caught(b.close); closing != nil {
		return errors.Join(err, closing)
	}
	return err
}

// exercised is a Skip where the harness lacks what the law needs and a reason is given, and another
// error where there is none. What Without says of one law is good for the others that need the same.
func (l Law) exercised(h Harness) error {
	book := Book()
	for id, reason := range h.Without {
		i := slices.IndexFunc(book, func(one Law) bool { return one.ID == id })
		switch {
		case i < 0:
			return fmt.Errorf("field Without names %q, which is no law", id)
		case reason == "":
			return fmt.Errorf("field Without gives no reason for %q", id)
		case book[i].needing(always) && h.Endpoint == nil:
			return fmt.Errorf("no adapter is excused from the law %s, yet Without says: %s", id, reason)
		}
	}
	if reason := h.Without[l.ID]; reason != "" {
		return &Skip{reason}
	}
	for need := range strings.FieldsSeq(l.needs) {
		if h.has(need) {
			continue
		}
		reason := unmet[need]
		for _, one := range slices.Backward(book) {
			if one.needing(need) {
				reason = cmp.Or(h.Without[one.ID], reason)
			}
		}
		if reason == "" {
			return fmt.Errorf("this law needs %s, and Without gives no reason for %q", need, l.ID)
		}
		return &Skip{reason}
	}
	return nil
}

// A Test is a *testing.T. Its package is not imported, so that no program links it.
type Test[T any] interface {
	Context() context.Context
	Helper()
	Run(name string, test func(T)) bool
	Skipf(format string, args ...any)
	Errorf(format string, args ...any)
}

// shortStride is the distance of faults with -short.
const shortStride = 12

// Run holds an adapter to every law, each in a subtest of its own with a fresh harness. With -short
// a fault is tried at one place in twelve.
func Run[T Test[T]](t T, newHarness func(t T) Harness) {
	t.Helper()
	short := flag.Lookup("test.short")
	for _, law := range Book() {
		t.Run(law.ID, func(t T) {
			h := newHarness(t)
			if short != nil && short.Value.String() == "true" {
				h.Stride = max(h.Stride, shortStride)
			}
			var skip *Skip
			if err := law.Check(t.Context(), h); errors.As(err, &skip) {
				t.Skipf("not exercised: %s", skip.Reason)
			} else if err != nil {
				t.Errorf("%s\n%v", law.Sentence, err)
			}
		})
	}
}
