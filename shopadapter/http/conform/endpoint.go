package conform

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Endpoint is what is held to the laws.
type Endpoint struct {
	URL    string              // the base address, PUBSYNC_HTTP_URL
	Token  string              // PUBSYNC_HTTP_TOKEN; "" for none
	Client *http.Client        // makes every request; redirects are not followed
	Redact func(string) string // takes secrets out of what is shown; nil: shown as it is

	// DeleteByHand deletes a listing in the shop as the merchant would, not by the protocol.
	// listing is the id that PUT answered. nil: nobody knows how.
	DeleteByHand func(ctx context.Context, listing string, id shopadapter.PublicationID) error

	// Restart starts the endpoint's process anew. nil: nobody knows how.
	Restart func(ctx context.Context) error
}

// An Exchange is one request and what came back, as it is shown to a person.
type Exchange struct {
	Request string `json:"request"`          // method and path
	Body    string `json:"body,omitempty"`   // of the request, cut to a readable length
	Status  int    `json:"status,omitempty"` // 0: no answer
	Answer  string `json:"answer,omitempty"` // its body, cut; or why there is none
}

// Transcript is what was sent and what came back, for a person: two lines an exchange, each begun
// by an arrow.
func Transcript(said []Exchange) string {
	var b strings.Builder
	for _, e := range said {
		fmt.Fprintf(&b, "> %s %s\n", e.Request, e.Body)
		if e.Status != 0 {
			fmt.Fprintf(&b, "< %d %s\n", e.Status, e.Answer)
		} else {
			fmt.Fprintf(&b, "< %s\n", e.Answer)
		}
	}
	return b.String()
}

const (
	maxAnswer = 4 << 20 // bytes read of an answer
	maxShown  = 400     // characters shown of a body
	maxReason = 1200    // characters shown of what broke a law

	pageTime  = 5 * time.Second  // bounds the reading of a listing's page
	startTime = 30 * time.Second // bounds the wait for a shop that was started anew
)
