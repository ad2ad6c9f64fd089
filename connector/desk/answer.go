package desk

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/store"
)

// An Answer is what a person says of held changes.
type Answer struct {
	Decline bool `json:"-"` // else they are let through

	// IDs are the publications that are meant, of which unknown ones are passed over; empty: each
	// that Held describes.
	IDs []string `json:"ids,omitempty"`
	HeldFilter
	// At is when the changes were shown, by [Held.At]: what is held since is not meant. The zero
	// time leaves nothing out.
	At time.Time `json:"at,omitzero"`
}

func (l *Local) Approve(ctx context.Context, id string, keys ...string) (Asked, error) {
	return l.answerOne(ctx, id, false, keys)
}

func (l *Local) Decline(ctx context.Context, id string, keys ...string) (Asked, error) {
	return l.answerOne(ctx, id, true, keys)
}

func (l *Local) answerOne(ctx context.Context, id string, decline bool, keys []string) (Asked, error) {
	e, err := l.Store.Get(ctx, id)
	if err != nil {
		return Asked{}, err
	}
	if !e.Known {
		return Asked{}, ErrUnknown
	}
	class := func(store.Record) store.Class { return store.ClassAsked }
	n, err := l.apply(ctx, decline, publication.Choice{Keys: keys}, class, id)
	if err == nil && n == 0 && len(keys) > 0 {
		err = ErrHold
	}
	return Asked{Count: n}, err
}

func (l *Local) ApproveAll(ctx context.Context, kind store.HoldKind) (Asked, error) {
	return l.Answer(ctx, Answer{HeldFilter: HeldFilter{Group: string(kind)}})
}

func (l *Local) Answer(ctx context.Context, a Answer) (Asked, error) {
	kinds, err := a.kinds()
	if err != nil {
		return Asked{}, err
	}
	chosen := publication.Choice{Group: a.Group, Until: store.At(a.At)}
	whole, ids := 0, a.IDs
	if len(ids) == 0 && a.Search == "" && slices.Contains(kinds, store.HoldRules) {
		n, known, err := l.answerRules(ctx, a.Decline)
		if err != nil {
			return Asked{}, err
		}
		if whole = n; known {
			chosen.Except = store.HoldRules
		}
	}
	if len(ids) == 0 {
		for r, err := range l.held(ctx, kinds, a.HeldFilter) {
			if err != nil {
				return Asked{}, err
			}
			if slices.ContainsFunc(r.Holds, func(h store.Hold) bool { return chosen.Has(r, h) }) {
				ids = append(ids, r.ID)
			}
		}
	}
	slices.Sort(ids)
	n, err := l.apply(ctx, a.Decline, chosen, publication.Together, slices.Compact(ids)...)
	return Asked{Count: whole + n}, err
}

// answerRules decides on a change of the rules of prices that is held as one, and returns how many
// publications it concerned. Those are meant too of which no look has made the prices yet. known is
// false where no change is held.
func (l *Local) answerRules(ctx context.Context, decline bool) (n int, known bool, err error) {
	verdict := store.RulingApproved
	if decline {
		verdict = store.RulingDeclined
	}
	n, known, err = rules.Decide(ctx, l.Store, verdict, ActorOf(ctx).String(), time.Now())
	l.views.answered()
	l.wake()
	return n, known, err
}

// apply gives an answer for some publications, and returns how many of them had something that is
// meant.
func (l *Local) apply(
	ctx context.Context, decline bool, chosen publication.Choice, class func(store.Record) store.Class, ids ...string,
) (int, error) {
	now, by := time.Now(), ActorOf(ctx).String()
	n, err := store.Update(ctx, l.Store, func(owed *store.Report, w *store.Settlement) bool {
		if decline {
			return publication.Decline(w, owed, chosen, class(w.Record), by, now)
		}
		return publication.Approve(w, chosen, class(w.Record), by, now)
	}, ids...)
	l.views.answered()
	l.wake()
	return n, err
}
