package dashboard

import (
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A tally is the counts of the publications.
type tally struct {
	All, Listed  int
	You, Current int // that need the merchant; that are on sale as they should be
	Rest         []stateCount
}

type stateCount struct {
	State store.State
	Count int
}

// tallyOf counts. A change that is held or pending leaves what was on sale there, and the status does not tell of how
// many that is true.
func tallyOf(of map[store.State]int) (t tally) {
	for _, many := range of {
		t.All += many
	}
	t.Listed, t.You = t.All-of[store.StateWithdrawn], of[store.StateBlocked]+of[store.StateHeld]
	t.Current = of[store.StateLive] + of[store.StatePartial]
	for _, s := range []store.State{store.StateBlocked, store.StateRejected, store.StateHeld, store.StatePending} {
		if of[s] > 0 {
			t.Rest = append(t.Rest, stateCount{s, of[s]})
		}
	}
	return t
}

// manyRefused is how many refusals in a row are no accident.
const manyRefused = 5

// judge says whether all is well, and if not, who can mend it: the first case that fits. Its level is bad while the
// work stands still, attention while a person is needed, busy while it goes on by itself, and good. verdict.html has
// the words of each case.
func judge(s desk.Status, n tally) (what, level string) {
	switch refused := s.Webhook.Refused; {
	case s.Store.Error != "":
		return "store", "bad"
	case s.Shop.Paused:
		return "shop", "bad"
	case s.Marketplace.Paused:
		return "marketplace", "bad"
	case sweepError(s.Sweeps) != "":
		return "sweep", "bad"
	case n.You > 0:
		return "you", "attention"
	case s.Webhook.Error != "":
		return "webhook", "attention"
	case s.Denied != "":
		return "denied", "attention"
	case refused != nil && refused.InARow >= manyRefused:
		return "deliveries", "attention"
	case n.All == 0 && unread(s):
		return "unread", "busy"
	case n.All == 0:
		return "empty", "good"
	case s.Publications[store.StatePending] > 0: // some, such as an entry without a listing, for very long
		return "pending", "busy"
	case s.Publications[store.StateRejected] > 0:
		return "rejected", "busy"
	case s.Refused > 0:
		return "reports", "busy"
	case n.Listed == 0:
		return "nothing", "good"
	}
	return "sale", "good"
}

// sweepError is the last sweep's: an older failure of the other kind has been overtaken.
func sweepError(s desk.Sweeps) string {
	if s.Full.At.After(s.Incremental.At) {
		return s.Full.Error
	}
	return s.Incremental.Error
}

func unread(s desk.Status) bool { return s.Sweeps.Incremental.At.IsZero() && s.Sweeps.Full.At.IsZero() }
