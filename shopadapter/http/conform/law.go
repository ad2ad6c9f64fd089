package conform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Law is one thing that holds for every endpoint.
type Law struct {
	ID       string // lower case, hyphenated
	Sentence string // what holds

	check func(ctx context.Context, b *bench) error
}

// A Skip is why a law was not exercised.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

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
	lawTime  = 2 * time.Minute // bounds one law
	maxTold  = 6               // exchanges told of a broken law
	cleanup  = 30 * time.Second
	idPrefix = "pubsync-conform-"
)

// Laws lists every law, from the plain to the unlikely.
func Laws() []Law {
	return slices.Concat(
		doorLaws(),
		putLaws(),
		deleteLaws(),
		goneLaws(),
		bodyLaws(),
		keyLaws(),
		listLaws(),
		figureLaws(),
		parallelLaws(),
	)
}

// Run holds an endpoint to every law and hands each result to report. It ends early with ctx alone.
func Run(ctx context.Context, e Endpoint, report func(Result)) {
	for _, law := range Laws() {
		if ctx.Err() != nil {
			return
		}
		report(law.hold(ctx, e))
	}
}

// hold exercises the law once, and deletes what it made.
func (l Law) hold(ctx context.Context, e Endpoint) Result {
	if e.Client == nil {
		e.Client = http.DefaultClient
	}
	b := &bench{caller: &caller{Endpoint: e}, law: l.ID, run: rand.Text()[:8]}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, lawTime)
	defer cancel()
	err := l.check(limited, b)
	r := Result{Law: l.ID, Sentence: l.Sentence, Outcome: Held, Took: time.Since(start)}
	var skip *Skip
	switch {
	case errors.As(err, &skip):
		r.Outcome, r.Reason = Skipped, skip.Reason
	case err != nil:
		r.Outcome, r.Reason = Broken, b.show([]byte(err.Error()))
		r.Said = b.said[max(0, len(b.said)-maxTold):]
	}
	b.clean(ctx)
	return r
}

// Ask finds out whether the laws can be exercised at all. The error says that no answer came, or
// that the token is refused.
func Ask(ctx context.Context, e Endpoint) error {
	c := &caller{Endpoint: e}
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	// The health needs no token in every shop, so the token is tried on a product that is not
	// there.
	for _, q := range []request{
		{method: http.MethodGet, path: "/health"},
		{method: http.MethodDelete, path: "/products/" + idPrefix + "none?mode=delete"},
	} {
		r, err := c.do(ctx, q)
		switch {
		case err != nil:
			return err
		case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
			return fmt.Errorf(
				"%s %s: the endpoint refuses the token with %d: check PUBSYNC_HTTP_TOKEN",
				q.method,
				q.path,
				r.status,
			)
		}
	}
	return nil
}

// A bench is what one law is exercised with.
type bench struct {
	*caller
	law  string
	run  string // tells this run from others
	made []shopadapter.PublicationID
}

// id is a publication of this law's own.
func (b *bench) id(name string) shopadapter.PublicationID {
	id := shopadapter.PublicationID(idPrefix + b.run + "-" + b.law + "-" + name)
	return b.own(id)
}

// own remembers a publication, to be deleted at the end.
func (b *bench) own(id shopadapter.PublicationID) shopadapter.PublicationID {
	if !slices.Contains(b.made, id) {
		b.made = append(b.made, id)
	}
	return id
}

// clean deletes what the law made. What is not deleted is no fault of this law's: others ask for
// the deletion.
func (b *bench) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	for _, id := range b.made {
		if _, err := b.remove(ctx, id, shopadapter.Delete); err != nil {
			return
		}
	}
}
