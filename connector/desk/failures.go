package desk

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Failures is the publications that are not as they should be, in groups by state and cause, the
// largest first.
type Failures struct {
	Groups []Failure `json:"groups"`
	More   int       `json:"more,omitempty"` // groups that are left out
}

// A Failure is a group of publications with the same trouble.
type Failure struct {
	FailureName

	Publications int    `json:"publications"`
	ID           string `json:"id"` // of one of them
	Title        string `json:"title"`
	Tried        bool   `json:"retry"` // another try may help
}

// A FailureName names a group.
type FailureName struct {
	State store.State `json:"state"`
	Cause string      `json:"cause"` // with an ellipsis for what each publication has its own of
}

const mostFailures = 50

// Failures may be some seconds old.
func (l *Local) Failures(ctx context.Context) (Failures, error) {
	return l.failures.Of(struct{}{}, memoFresh, func() (Failures, error) {
		all, groups := Failures{Groups: []Failure{}}, map[FailureName]*Failure{}
		for e, err := range l.troubled(ctx) {
			if err != nil {
				return all, err
			}
			r, name := e.Record, FailureName{State: e.Record.State, Cause: causeOf(e)}
			if name.Cause == "" {
				continue
			}
			if groups[name] == nil {
				tried := slices.Contains(publication.Failed(), r.State)
				groups[name] = &Failure{FailureName: name, ID: r.ID, Title: r.Title, Tried: tried}
			}
			groups[name].Publications++
		}
		for _, f := range groups {
			all.Groups = append(all.Groups, *f)
		}
		slices.SortFunc(all.Groups, func(a, b Failure) int {
			return cmp.Or(b.Publications-a.Publications, cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.State, b.State))
		})
		all.More = max(0, len(all.Groups)-mostFailures)
		all.Groups = all.Groups[:len(all.Groups)-all.More]
		return all, nil
	})
}

// troubled ranges over the publications that failed, and those whose report the marketplace refuses,
// each once.
func (l *Local) troubled(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for _, state := range publication.Failed() {
			for r, err := range store.Records(ctx, l.Store, store.Query{Key: store.KeyState(state)}) {
				if !yield(store.Entry{Record: r, Known: true}, err) || err != nil {
					return
				}
			}
		}
		for o, err := range store.Reports(ctx, l.Store, store.OwedRefused) {
			var e store.Entry
			if err == nil {
				e, err = l.Store.Get(ctx, o.ID)
			}
			if err == nil && slices.Contains(publication.Failed(), e.Record.State) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// idsOf is the ids of what is meant, sorted. idOf is "" for what is not.
func idsOf[T any](all iter.Seq2[T, error], idOf func(T) string) (ids []string, err error) {
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		if id := idOf(one); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func idOf(r store.Record) string { return r.ID }

// longestCause bounds a cause, in bytes.
const longestCause = 300

// own is what a message says of one product alone: what stands in quotes, an address, a number, a
// time, or an id with digits in it.
var own = regexp.MustCompile(`“[^”]*”|"[^"]*"|https?://\S+|[\pL\d_-]*\d[\pL\d_-]*(?:[.,:]\d[\pL\d_-]*)*`)

// omitted stands in a cause for what each product has its own of.
const omitted = "…"

// causeOf is why a publication is not as it should be, in words that it shares with others in the
// same trouble; "" where it is, or where a brake holds it.
func causeOf(e store.Entry) string {
	r, message := e.Record, ""
	switch {
	case r.State == store.StateHeld || r.State == store.StateWithdrawn:
		return ""
	case r.Problem.Message != "":
		message = r.Problem.Message
	case e.Owed != nil && e.Owed.Refused != "":
		message = "report refused: " + e.Owed.Refused
	case r.State == store.StatePartial:
		message = lacks(r, func(store.Variant) string { return "without a variant" })
	}
	message = own.ReplaceAllString(message, omitted)
	if len(message) > longestCause {
		message = strings.ToValidUTF8(message[:longestCause], "") + omitted
	}
	return message
}

// lacks is why the first variant or picture that the shop does not have is missing; named names a variant.
func lacks(r store.Record, named func(store.Variant) string) string {
	for _, v := range r.Variants {
		if v.Refused != "" {
			return named(v) + ": " + v.Refused
		}
	}
	for _, p := range r.Pictures.Missing {
		return "without a picture: " + p.Reason
	}
	return ""
}
