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

func (l *Local) Failures(ctx context.Context) (Failures, error) {
	return l.failures.of(struct{}{}, func() (Failures, error) {
		groups := map[FailureName]*Failure{}
		for e, err := range l.troubled(ctx) {
			if err != nil {
				return Failures{Groups: []Failure{}}, err
			}
			r := e.Record
			name := FailureName{State: r.State, Cause: causeOf(r, refusalOf(e))}
			if name.Cause == "" {
				continue
			}
			if groups[name] == nil {
				tried := slices.Contains(publication.Failed(), r.State)
				groups[name] = &Failure{FailureName: name, ID: r.ID, Title: r.Title, Tried: tried}
			}
			groups[name].Publications++
		}
		all := Failures{Groups: []Failure{}}
		for _, f := range groups {
			all.Groups = append(all.Groups, *f)
		}
		slices.SortFunc(all.Groups, func(a, b Failure) int {
			return cmp.Or(b.Publications-a.Publications, cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.State, b.State))
		})
		if n := len(all.Groups); n > mostFailures {
			all.Groups, all.More = all.Groups[:mostFailures], n-mostFailures
		}
		return all, nil
	})
}

// refusalOf is why the marketplace refuses the report that is owed, "" where it does not.
func refusalOf(e store.Entry) string {
	if e.Owed == nil {
		return ""
	}
	return e.Owed.Refused
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

// every means each record.
func every(store.Record) bool { return true }

// idsOfEntries is the ids of the entries that are meant, sorted.
func idsOfEntries(entries iter.Seq2[store.Entry, error], meant func(store.Entry) bool) ([]string, error) {
	return idsOf(func(yield func(store.Record, error) bool) {
		for e, err := range entries {
			if (err != nil || meant(e)) && !yield(e.Record, err) {
				return
			}
		}
	}, every)
}

// idsOf is the ids of the records that are meant, sorted.
func idsOf(records iter.Seq2[store.Record, error], meant func(store.Record) bool) (ids []string, err error) {
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		if meant(r) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// longestCause bounds a cause, in bytes.
const longestCause = 300

// own is what a message says of one product alone: what stands in quotes, an address, a number, a
// time, or an id with digits in it.
var own = regexp.MustCompile(`“[^”]*”|"[^"]*"|https?://\S+|[\pL\d_-]*\d[\pL\d_-]*(?:[.,:]\d[\pL\d_-]*)*`)

// omitted stands in a cause for what each product has its own of.
const omitted = "…"

// causeOf is why a publication is not as it should be, in words that it shares with others in the
// same trouble; "" where it is, or where a brake holds it.
func causeOf(r store.Record, refused string) string {
	message := ""
	switch {
	case r.State == store.StateHeld || r.State == store.StateWithdrawn:
		return ""
	case r.Problem.Message != "":
		message = r.Problem.Message
	case refused != "":
		message = "report refused: " + refused
	case r.State == store.StatePartial:
		message = lacks(r)
	}
	message = own.ReplaceAllString(message, omitted)
	if len(message) > longestCause {
		message = strings.ToValidUTF8(message[:longestCause], "") + omitted
	}
	return message
}

// lacks is why the first variant or picture that the shop does not have is missing.
func lacks(r store.Record) string {
	for _, v := range r.Variants {
		if v.Refused != "" {
			return "without a variant: " + v.Refused
		}
	}
	for _, p := range r.Pictures.Missing {
		return "without a picture: " + p.Reason
	}
	return ""
}
