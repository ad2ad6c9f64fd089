package publication

import "github.com/pubsync/pubsync/store"

// StateOf derives the state from a record. Only here the order of the states is written down.
func StateOf(r store.Record) store.State {
	switch {
	case r.Problem.Kind == store.ProblemBlocked:
		return store.StateBlocked
	case r.Problem.Kind == store.ProblemRejected:
		return store.StateRejected
	case len(r.Holds) > 0:
		return store.StateHeld
	case r.Problem.Kind != "":
		return store.StatePending
	case r.Removal.Done:
		return store.StateWithdrawn
	case r.Removal.Reason == "" && !r.OnSale && !r.Draft && r.Unsellable != "" && r.ShopID != "":
		return store.StateLive
	case r.Removal.Reason != "", !r.OnSale:
		return store.StatePending
	case hasRefused(r), len(r.Missing) > 0:
		return store.StatePartial
	default:
		return store.StateLive
	}
}

func hasRefused(r store.Record) bool {
	for _, v := range r.Variants {
		if v.Refused != "" {
			return true
		}
	}
	return false
}

// Gone reports whether a record is the tombstone of an entry that is not on the list. Only the list
// can bring it back.
func Gone(r store.Record) bool { return r.Removal.Done && r.Removal.Reason == store.RemovalAbsent }
