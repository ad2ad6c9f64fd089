package conform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A Result is how an endpoint stood up to one law.
type Result struct {
	Law      string        `json:"law"`
	Sentence string        `json:"sentence"`
	Outcome  Outcome       `json:"outcome"`
	Reason   string        `json:"reason,omitempty"` // why it is broken or was skipped
	Said     []Exchange    `json:"said,omitempty"`   // the last requests of a broken law and their answers
	Took     time.Duration `json:"-"`
}

// An Outcome is one of the three ways in which a law ends.
type Outcome string

// The outcomes.
const (
	Held    Outcome = "held"
	Broken  Outcome = "broken"
	Skipped Outcome = "skipped"
)

const (
	lawTime  = 10 * time.Minute // bounds one law
	maxTold  = 6                // exchanges told of a broken law
	cleanup  = 30 * time.Second
	idPrefix = "pubsync-conform-"
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
	if e.Client == nil {
		e.Client = http.DefaultClient
	}
	run := idPrefix + rand.Text()[:8] + "-"
	offer := explore(ctx, e, run)
	for _, law := range some {
		if ctx.Err() != nil {
			return
		}
		report(hold(ctx, law, newDriver(e, offer, run)))
	}
}

// hold exercises a law once, and deletes what it made.
func hold(ctx context.Context, law laws.Law, d *driver) Result {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, lawTime)
	defer cancel()
	err := law.Check(limited, d.harness())
	r := Result{Law: law.ID, Sentence: law.Sentence, Outcome: Held, Took: time.Since(start)}
	var skip *laws.Skip
	switch {
	case errors.As(err, &skip):
		r.Outcome, r.Reason = Skipped, skip.Reason
	case err != nil:
		r.Outcome, r.Reason = Broken, d.show([]byte(err.Error()), maxReason)
		r.Said = d.last(maxTold)
	}
	d.clean(ctx)
	return r
}

// Ask finds out whether the laws can be exercised at all. The error says that no answer came, that
// the address is not that of an endpoint, or that the token is refused.
func Ask(ctx context.Context, e Endpoint) error {
	if e.Client == nil {
		e.Client = http.DefaultClient
	}
	d := newDriver(e, offer{}, idPrefix)
	r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"})
	if err != nil {
		return err
	}
	const advice = "set PUBSYNC_HTTP_URL to the address below which your endpoint has /health and /products"
	notThere := r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed || r.Status == http.StatusGone
	switch {
	case r.Status/100 == 3:
		to := d.show([]byte(r.Header.Get("Location")), maxShown)
		return fmt.Errorf("GET /health: the answer is %d and leads to %s, and redirects are not followed: %s",
			r.Status, to, advice)
	case notThere:
		return fmt.Errorf("GET /health: the answer is %d, so there is no endpoint at this address: %s", r.Status, advice)
	case r.Status == http.StatusOK && quote.IsPage(r.Body):
		return fmt.Errorf("GET /health: the answer is a page of HTML, so there is no endpoint at this address: %s", advice)
	}
	// The health needs no token in every shop, so the token is tried on a product that is not
	// there.
	removal := laws.Request{Method: http.MethodDelete, Path: "/products/" + idPrefix + "none?mode=delete"}
	said, err := d.Send(ctx, removal)
	if err != nil {
		return err
	}
	for q, status := range map[string]int{"GET /health": r.Status, "DELETE " + removal.Path: said.Status} {
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			return fmt.Errorf("%s: the endpoint refuses the token with %d: check PUBSYNC_HTTP_TOKEN", q, status)
		}
	}
	return nil
}
