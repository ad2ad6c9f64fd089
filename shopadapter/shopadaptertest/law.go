package shopadaptertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Law is one thing that holds for every adapter.
type Law struct {
	ID       string // lower case, hyphenated: the name of the subtest
	Sentence string // what holds

	needs []ability // what the harness or the adapter must have for it
	core  bool      // no adapter is excused
	check func(ctx context.Context, b *bench) error
}

// A Skip is the error of a law that was not exercised.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// Run holds an adapter to every law, each in a subtest of its own with a fresh harness.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	for _, law := range Laws() {
		t.Run(law.ID, func(t *testing.T) { law.report(t, law.Check(t.Context(), newHarness(t))) })
	}
}

// report turns the outcome of a check into that of a test.
func (l Law) report(t interface {
	Skipf(format string, args ...any)
	Errorf(format string, args ...any)
}, err error,
) {
	var skip *Skip
	switch {
	case errors.As(err, &skip):
		t.Skipf("not exercised: %s", skip.Reason)
	case err != nil:
		t.Errorf("%s\n%v", l.Sentence, err)
	}
}

// Laws lists every law, from the plain to the unlikely.
func Laws() []Law {
	return slices.Concat(
		publishLaws(),
		variantLaws(),
		choiceLaws(),
		unpublishLaws(),
		ownershipLaws(),
		adoptionLaws(),
		refusalLaws(),
		editLaws(),
		imageLaws(),
		pictureLaws(),
		faultLaws(),
		errorLaws(),
		callLaws(),
		capabilityLaws(),
		restockLaws(),
	)
}

// Check exercises the law once. It returns nil when the law held, a [Skip] when it was not
// exercised, and otherwise what went wrong.
func (l Law) Check(ctx context.Context, h Harness) (err error) {
	if err := knownLaws(h.Without); err != nil {
		return err
	}
	reason := h.Without[l.ID]
	if reason != "" && l.core {
		return fmt.Errorf("no adapter is excused from this law, yet Without says: %s", reason)
	}
	if reason != "" {
		return &Skip{Reason: reason}
	}
	b := newBench(l.ID, h)
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.restart(); err != nil {
		return err
	}
	for _, need := range l.needs {
		if !need.met(h, b.adapter) {
			return fmt.Errorf("this law needs %s, and Without gives no reason for %q", need.name, l.ID)
		}
	}
	return l.check(ctx, b)
}

func knownLaws(without map[string]string) error {
	laws := Laws()
	for id, reason := range without {
		if !slices.ContainsFunc(laws, func(l Law) bool { return l.ID == id }) {
			return fmt.Errorf("field Without names %q, which is no law", id)
		}
		if reason == "" {
			return fmt.Errorf("field Without gives no reason for %q", id)
		}
	}
	return nil
}

// An ability is what a law needs beyond Open and Observe.
type ability struct {
	name string
	met  func(Harness, shopadapter.Adapter) bool
}

func needs(abilities ...ability) []ability { return abilities }

func transport() ability {
	return ability{
		"an adapter that makes HTTP requests",
		func(h Harness, _ shopadapter.Adapter) bool { return !h.NoTransport },
	}
}

func faults() ability {
	return ability{
		"a transport or Interrupt",
		func(h Harness, _ shopadapter.Adapter) bool { return !h.NoTransport || h.Interrupt != nil },
	}
}

func boundaries() ability {
	return ability{
		"a transport or Watch",
		func(h Harness, _ shopadapter.Adapter) bool { return !h.NoTransport || h.Watch != nil },
	}
}

func edit() ability {
	return ability{"Edit", func(h Harness, _ shopadapter.Adapter) bool { return h.Edit != nil }}
}

func visit() ability {
	return ability{"Visit", func(h Harness, _ shopadapter.Adapter) bool { return h.Visit != nil }}
}

func rename() ability {
	return ability{"RenameOption and RenameValue", func(h Harness, _ shopadapter.Adapter) bool {
		return h.RenameOption != nil && h.RenameValue != nil
	}}
}

func deleteByHand() ability {
	return ability{"DeleteByHand", func(h Harness, _ shopadapter.Adapter) bool { return h.DeleteByHand != nil }}
}

func hideByHand() ability {
	return ability{"HideByHand", func(h Harness, _ shopadapter.Adapter) bool { return h.HideByHand != nil }}
}

func addForeign() ability {
	return ability{"AddForeign", func(h Harness, _ shopadapter.Adapter) bool { return h.AddForeign != nil }}
}

func refuseVariant() ability {
	return ability{"RefuseVariant", func(h Harness, _ shopadapter.Adapter) bool { return h.RefuseVariant != nil }}
}

func refuseProduct() ability {
	return ability{"RefuseProduct", func(h Harness, _ shopadapter.Adapter) bool { return h.RefuseProduct != nil }}
}

func breakCredentials() ability {
	return ability{"BreakCredentials", func(h Harness, _ shopadapter.Adapter) bool { return h.BreakCredentials != nil }}
}

func secrets() ability {
	return ability{"Secrets", func(h Harness, _ shopadapter.Adapter) bool { return len(h.Secrets) > 0 }}
}

func uploads() ability {
	return ability{"Uploads", func(h Harness, _ shopadapter.Adapter) bool { return h.Uploads != nil }}
}

func losePicture() ability {
	return ability{"LosePicture", func(h Harness, _ shopadapter.Adapter) bool { return h.LosePicture != nil }}
}

func spoilPicture() ability {
	return ability{"SpoilPicture", func(h Harness, _ shopadapter.Adapter) bool { return h.SpoilPicture != nil }}
}

func lister() ability {
	return ability{"an adapter that is a Lister", func(_ Harness, a shopadapter.Adapter) bool {
		_, ok := a.(shopadapter.Lister)
		return ok
	}}
}

func checker() ability {
	return ability{"an adapter that is a Checker", func(_ Harness, a shopadapter.Adapter) bool {
		_, ok := a.(shopadapter.Checker)
		return ok
	}}
}
