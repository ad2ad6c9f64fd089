// Package conform holds an endpoint in any language to the book of package laws. It opens pubsync's adapter http at
// the endpoint, and sends past it what no adapter sends.
//
// It sees the shop by its list, and by the variants there if health says "observed"; else by the answers. Publication
// ids hold "pubsync-conform-", and what a law made is deleted.
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
	URL    string              // PUBSYNC_HTTP_URL
	Token  string              // PUBSYNC_HTTP_TOKEN; "" for none
	Client *http.Client        // for every request, without redirects; never nil
	Redact func(string) string // takes secrets out of what is shown; may be nil
}

// A Result is how an endpoint stood up to one law.
type Result struct {
	Law      string     `json:"law"`
	Sentence string     `json:"sentence"`
	Outcome  Outcome    `json:"outcome"`
	Reason   string     `json:"reason,omitempty"` // of a broken or skipped law
	Said     []Exchange `json:"said,omitempty"`   // the last exchanges of a broken law
}

// An Outcome is how a law ends.
type Outcome string

// The outcomes.
const (
	Held    Outcome = "held"
	Broken  Outcome = "broken"
	Skipped Outcome = "skipped"
)

// An Exchange is a request and its answer, as shown to a person.
type Exchange struct {
	Request string `json:"request"`          // method and path
	Body    string `json:"body,omitempty"`   // cut
	Status  int    `json:"status,omitempty"` // 0: no answer
	Answer  string `json:"answer,omitempty"` // cut; or why there is none
}

// Transcript returns two lines for each exchange, each begun by an arrow.
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
	maxTold   = 6    // of a broken law
	maxShown  = 400  // characters of a body
	maxReason = 1200 // characters of a reason
	idPrefix  = "pubsync-conform-"
)

// Laws lists the laws for an endpoint.
func Laws() []laws.Law {
	return slices.DeleteFunc(laws.Book(), func(l laws.Law) bool { return !l.OfEndpoint() })
}

// Run holds an endpoint to every law, and reports each result, until ctx ends.
func Run(ctx context.Context, e Endpoint, report func(Result)) {
	runSome(ctx, e, Laws(), report)
}

func runSome(ctx context.Context, e Endpoint, some []laws.Law, report func(Result)) {
	d := newDriver(e, idPrefix+rand.Text()[:8]+"-")
	d.explore(ctx)
	for _, law := range some {
		if ctx.Err() == nil {
			report(d.hold(ctx, law))
		}
	}
}

func (d *driver) hold(ctx context.Context, law laws.Law) Result {
	limited, cancel := context.WithTimeout(ctx, lawTime)
	defer cancel()
	d.said, d.put = nil, map[shopadapter.PublicationID]product{}
	err := law.Check(limited, d.harness())
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

// Ask finds out whether laws can be exercised: whether the endpoint answers well and takes the token, for which it
// may ask only with a product.
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
