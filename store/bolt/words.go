package bolt

import (
	"slices"

	"github.com/pubsync/pubsync/store"
)

// words is text that most records hold some of. A word's place, from 1 on, is what a field holds in its stead, and part of the schema: a word that is added
// comes last, and none is ever taken out.
var words = []string{
	"",
	string(store.StateLive), string(store.StatusSuccess), "created", "reported success", "en", "nl",
	string(store.StatePending), string(store.StatePartial), string(store.StateBlocked), string(store.StateRejected), string(store.StateHeld),
	string(store.StateWithdrawn), string(store.StatusFailed), "reported failed",
	"updated price", "updated stock", "updated price, stock", "updated title", "updated description", "updated images",
	string(store.ProblemTransient), string(store.ProblemWaiting), string(store.HoldPrice), string(store.HoldRemoval), string(store.HoldForeign),
	string(store.RemovalAbsent), string(store.RemovalNoListing), string(store.RemovalNoVariants), "de", "fr", string(store.HoldFirstPrice),
}

// word is a field with text that is one of a few as a rule. Text that is a number is never packed here: a number is a word.
func word[T ~string](c *codec, number byte, v *T) {
	if c.writing {
		if place := slices.Index(words, string(*v)); place > 0 {
			c.writeInt(number, kindInt, int64(place))
		} else if *v != "" {
			c.writeSized(number, len(*v))
			c.buf = append(c.buf, *v...)
		}
		return
	}
	kind, ok := c.next(number)
	switch {
	case !ok:
	case kind == kindInt:
		place := c.readInt()
		if place <= 0 || place >= int64(len(words)) {
			c.broken = true
			return
		}
		*v = T(words[place])
	default:
		*v = T(c.readText(kind))
	}
}
