package desk

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/store"
)

// An Answer is what a person says of held changes: of publications by their ids, or else of each that
// the filter chooses.
type Answer struct {
	// Decline keeps what is in place of the changes, and does not ask again until they are others. Else
	// they are let through: the values that are held, no other.
	Decline bool     `json:"decline,omitempty"`
	IDs     []string `json:"ids,omitempty"`
	// Holds are the keys of the changes that were shown of one publication, see [HeldNow.Key]: where
	// one is held no more the error is ErrHold, and nothing is changed. Without any, all are meant.
	Holds []string `json:"holds,omitempty"`
	HeldFilter
	// At is when the changes were shown, by [Held.At]: what is held since is not meant. The zero
	// time leaves nothing out.
	At time.Time `json:"at,omitzero"`
}

func (l *Local) Answer(ctx context.Context, a Answer) (asked Asked, err error) {
	kinds, err := a.kinds()
	if err != nil {
		return asked, err
	}
	chosen := publication.Choice{Group: a.Group, Until: store.At(a.At), Keys: a.Holds}
	class, ids := publication.Together, a.IDs
	if len(ids) > 0 {
		class = func(store.Record) store.Class { return store.ClassAsked }
		ids, asked.Unknown, err = l.known(ctx, ids)
	} else {
		asked.Count, chosen.Except, err = l.answerRules(ctx, a, kinds)
		if err == nil {
			ids, err = idsOf(l.held(ctx, kinds, a.HeldFilter), func(r store.Record) bool {
				return slices.ContainsFunc(r.Holds, func(h store.Hold) bool { return chosen.Has(r, h) })
			})
		}
	}
	if err != nil {
		return asked, err
	}
	now, by := time.Now(), ActorOf(ctx).String()
	n, err := store.Update(ctx, l.Store, func(owed *store.Report, w *store.Settlement) bool {
		if a.Decline {
			return publication.Decline(w, owed, chosen, class(w.Record), by, now)
		}
		return publication.Approve(w, chosen, class(w.Record), by, now)
	}, ids...)
	l.groups.forget()
	l.wake()
	if asked.Count += n; err == nil && n == 0 && len(a.Holds) > 0 && len(ids) > 0 {
		err = ErrHold
	}
	return asked, err
}

// answerRules decides on a change of the rules of prices that is held as one, where it is meant, and
// returns how many publications it concerned: those too of which no look has made the prices yet. Its
// kind is decided then.
func (l *Local) answerRules(
	ctx context.Context, a Answer, kinds []store.HoldKind,
) (n int, decided store.HoldKind, err error) {
	if a.Search != "" || !slices.Contains(kinds, store.HoldRules) {
		return 0, "", nil
	}
	verdict := store.RulingApproved
	if a.Decline {
		verdict = store.RulingDeclined
	}
	n, known, err := rules.Decide(ctx, l.Store, verdict, ActorOf(ctx).String(), time.Now())
	if known {
		decided = store.HoldRules
	}
	return n, decided, err
}
