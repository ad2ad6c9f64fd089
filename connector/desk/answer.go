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
		asked.Count, err = l.answerRules(ctx, a, kinds)
		if err == nil {
			ids, err = idsOf(l.held(ctx, kinds, a.HeldFilter), func(r store.Record) string {
				if len(chosen.Of(r, store.Hold.Stands)) == 0 {
					return ""
				}
				return r.ID
			})
		}
	}
	if err != nil {
		return asked, err
	}
	now, by := time.Now(), ActorOf(ctx).String()
	n, err := l.Store.Change(ctx, ids, func(e *store.Entry) bool {
		switch {
		case !e.Known:
			return false
		case a.Decline:
			return publication.Decline(e, chosen, class(e.Record), by, now)
		}
		return publication.Approve(e, chosen, class(e.Record), by, now)
	})
	l.groups.forget()
	if l.Worker != nil {
		l.Worker.Wake()
	}
	if asked.Count += n; err == nil && n == 0 && len(a.Holds) > 0 && len(ids) > 0 {
		err = ErrHold
	}
	return asked, err
}

// answerRules decides on a change of the rules of prices that is held as one, where it is meant, and
// returns how many publications had a price of it held. Of those that no look has made the prices of yet
// it is decided too.
func (l *Local) answerRules(ctx context.Context, a Answer, kinds []store.HoldKind) (n int, err error) {
	if a.Search != "" || !slices.Contains(kinds, store.HoldRules) {
		return 0, nil
	}
	verdict := store.RulingApproved
	if a.Decline {
		verdict = store.RulingDeclined
	}
	n, _, err = rules.Decide(ctx, l.Store, verdict, ActorOf(ctx).String(), time.Now())
	return n, err
}
