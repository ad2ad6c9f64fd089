package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// The product's own title and text stand in for a translation where the settings say so. A server
// may fail to show them for a while, or deny them for good, and its words do not tell which. A
// listing waits for them for an hour: nothing is written in another language because of a short
// failure. Then it goes its way without them, and says so, until a reading shows them. Each reading
// of the content asks for them: after RefreshAfter at the latest.
const (
	ownWait     = time.Hour
	waitsForOwn = "the title and the text of the product itself could not be read"

	// UnreadOwn is how a record names them among what could not be read.
	UnreadOwn = "the product's own title and text"
)

// goesWithoutOwn reports whether a listing has waited for the product's own title for long enough.
// r is its record as the look found it. A wait that began in the future began now: the clock was set
// back since.
func goesWithoutOwn(r store.Record, now time.Time) bool {
	if lacksOwn(r.Unread) {
		return true
	}
	since := r.Problem.Since.Time()
	return strings.Contains(r.Problem.Message, waitsForOwn) && now.Sub(since) >= ownWait
}

// lacksOwn reports whether the product's own title is among what could not be read.
func lacksOwn(unread string) bool { return slices.Contains(strings.Split(unread, ", "), UnreadOwn) }
