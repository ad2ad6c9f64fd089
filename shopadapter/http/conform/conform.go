// Package conform holds an endpoint in any language to the book of laws, as a client that sees only
// the http shop protocol.
//
// The laws stand in the package laws. Here is their driver for an endpoint: it opens pubsync's own
// adapter, http, at the endpoint, and sends past it what no adapter sends. [Run] exercises the laws
// one after the other with publications of its own, whose ids hold "pubsync-conform-", and deletes
// what it made.
//
// The driver sees the shop by its list of products and, where health says "observed", by the
// variants in it. An endpoint without a list is held to what its answers tell, and is told so.
package conform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An Endpoint is what is held to the laws.
type Endpoint struct {
	URL    string              // the base address, PUBSYNC_HTTP_URL
	Token  string              // PUBSYNC_HTTP_TOKEN; "" for none
	Client *http.Client        // makes every request; redirects are not followed. Never nil
	Redact func(string) string // takes secrets out of what is shown; nil: shown as it is
}

// A Result is how an endpoint stood up to one law.
type Result struct {
	Law      string     `json:"law"`
	Sentence string     `json:"sentence"`
	Outcome  Outcome    `json:"outcome"`
	Reason   string     `json:"reason,omitempty"` // why it is broken or was skipped
	Said     []Exchange `json:"said,omitempty"`   // the last requests of a broken law and their answers
}

// An Outcome is one of the three ways in which a law ends.
type Outcome string

// The outcomes.
const (
	Held    Outcome = "held"
	Broken  Outcome = "broken"
	Skipped Outcome = "skipped"
)

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
		fmt.Fprintf(&b, "> %s %s\n< ", e.Request, e.Body)
		if e.Status != 0 {
			fmt.Fprintf(&b, "%d ", e.Status)
		}
		fmt.Fprintln(&b, e.Answer)
	}
	return b.String()
}

const (
	lawTime   = 10 * time.Minute // bounds one law
	cleanup   = 30 * time.Second
	maxTold   = 6    // exchanges told of a broken law
	maxShown  = 400  // characters shown of a body
	maxReason = 1200 // characters shown of what broke a law
	idPrefix  = "pubsync-conform-"
)

// Laws lists the laws that an endpoint can be held to, from the plain to the unlikely.
func Laws() []laws.Law {
	return slices.DeleteFunc(laws.Book(), func(l laws.Law) bool { return !l.OfEndpoint() })
}

// Run holds an endpoint to every law and hands each result to report. It ends early with ctx alone.
func Run(ctx context.Context, e Endpoint, report func(Result)) {
	runSome(ctx, e, Laws(), report)
}

func runSome(ctx context.Context, e Endpoint, some []laws.Law, report func(Result)) {
	run := idPrefix + rand.Text()[:8] + "-"
	offer := newDriver(e, run).explore(ctx)
	for _, law := range some {
		if ctx.Err() == nil {
			report(newDriver(e, run).hold(ctx, law, offer))
		}
	}
}

func (d *driver) hold(ctx context.Context, law laws.Law, o offer) Result {
	limited, cancel := context.WithTimeout(ctx, lawTime)
	defer cancel()
	err := law.Check(limited, d.harness(o))
	r := Result{Law: law.ID, Sentence: law.Sentence, Outcome: Held}
	var skip *laws.Skip
	switch {
	case errors.As(err, &skip):
		r.Outcome, r.Reason = Skipped, skip.Reason
	case err != nil:
		r.Outcome, r.Reason = Broken, d.show([]byte(err.Error()), maxReason)
		r.Said = slices.Clone(d.said[max(0, len(d.said)-maxTold):])
	}
	d.clean(ctx)
	return r
}

// Ask finds out whether the laws can be exercised at all. The error says that the endpoint does not
// answer well, or that it refuses the token, which it may ask for only where a product is concerned.
func Ask(ctx context.Context, e Endpoint) error {
	d := newDriver(e, idPrefix)
	a, err := d.open(plain)
	if err != nil {
		return err
	}
	if _, err := a.Check(ctx); err != nil {
		return err
	}
	_, err = a.Unpublish(ctx, shopadapter.Ref{Publication: idPrefix + "none"}, shopadapter.Delete)
	if e := shopadapter.Explain(err); e != nil && e.Kind != shopadapter.Blocked {
		return nil // the laws say what is wrong with it
	}
	return err
}
