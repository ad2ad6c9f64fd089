package desk

import (
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// longestCause bounds a cause, in bytes.
const longestCause = 300

// own is what a message says of one product alone: what stands in quotes, an address, a number, a
// time, or an id with digits in it.
var own = regexp.MustCompile(`“[^”]*”|"[^"]*"|https?://\S+|[\pL\d_-]*\d[\pL\d_-]*(?:[.,:]\d[\pL\d_-]*)*`)

// omitted stands in a cause for what each product has its own of.
const omitted = "…"

// causeOf is why a publication is not as it should be, in words that it shares with others in the
// same trouble; "" where it is, or where a brake holds it.
func causeOf(r store.Record) string {
	message := ""
	switch {
	case r.State == store.StateHeld || r.State == store.StateWithdrawn:
		return ""
	case r.Problem.Message != "":
		message = r.Problem.Message
	case r.ReportError != "":
		message = "report refused: " + r.ReportError
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
	for _, p := range r.Missing {
		return "without a picture: " + p.Reason
	}
	return ""
}

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
	Tried        bool   `json:"retry"` // another try may help, see RetryGroup
}

// A FailureName names a group.
type FailureName struct {
	State store.State `json:"state"`
	Cause string      `json:"cause"` // with an ellipsis for what each publication has its own of
}

const mostFailures = 50

// retried reports whether RetryFailed tries publications in a state.
func retried(state store.State) bool {
	for _, failed := range publication.Failed() {
		if failed == state {
			return true
		}
	}
	return false
}
