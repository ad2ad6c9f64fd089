package desk

import (
	"cmp"
	"time"
)

// Registration is the worker's webhook at the marketplace.
type Registration struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`

	Events []string `json:"events,omitempty"` // that are registered
	// that were to be registered and that the marketplace does not know
	Unknown []string `json:"unknownEvents,omitempty"`
	// ids of further active registrations of the address for the same events
	Superfluous []string `json:"superfluous,omitempty"`

	// deliveries that were refused in a row; absent where the last one was acknowledged
	Refused *Refused `json:"refused,omitempty"`
}

// Refused is the deliveries that were refused in a row, as far as they arrived. After Allowed the
// marketplace deletes the registration.
type Refused struct {
	InARow  int       `json:"inARow"`
	Allowed int       `json:"allowed"`
	Since   time.Time `json:"since"`
	Last    time.Time `json:"last"`
	Why     string    `json:"why"`  // of the last
	Says    string    `json:"says"` // what that means, and who mends it
}

// WhyRefused says what a refusal of deliveries means, and who mends it.
func WhyRefused(why string) string { return cmp.Or(refusals[why], why) }

var refusals = map[string]string{
	"signature": "signed with another secret than PUBSYNC_WEBHOOK_SECRET",
	"unsigned": "not signed, as all that no app registered: set PUBSYNC_WEBHOOK_PATH_TOKEN, and give the marketplace " +
		"the address of /webhooks followed by a slash and that token; where the marketplace signs under another name, " +
		"set PUBSYNC_WEBHOOK_HEADER_PREFIX",
	"not_found": "sent to an address where no webhooks are accepted, with another path token perhaps",
	"too_large": "larger than is accepted",
	"cut_off":   "broken off, or sent too slowly: it is accepted when it is sent again",
	"store":     "the store cannot be written",
	"late":      "answered after more than the five seconds that the marketplace waits",
}
