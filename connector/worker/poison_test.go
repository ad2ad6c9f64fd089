package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A sickShop is a shop that takes a moment over each call, and that one publication meets trouble
// in.
type sickShop struct {
	*harness.Shop
	poison  string
	trouble func(ctx context.Context) error // what it meets; nil: nothing
}

func (s sickShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	time.Sleep(100 * time.Millisecond)
	if s.trouble != nil && string(ref.Publication) == s.poison {
		if err := s.trouble(ctx); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	return s.Shop.Publish(ctx, ref, p, changed)
}

// A poison is one publication that makes trouble of its own.
type poison struct {
	listing func(*sandbox.Listing)
	trouble func() func(context.Context) error
	slows   time.Duration // by how much it may slow an import of healthy publications
	message string        // a part of what is recorded of it; "": it is taken in the end
}

const healthy = 60

// poisons is the kinds of poison there are. An import waits for points, and a reading costs a
// quarter of a second of them.
var poisons = map[string]poison{
	"always fails": {
		trouble: func() func(context.Context) error {
			var n atomic.Int64
			return func(context.Context) error { return fmt.Errorf("500: try %d", n.Add(1)) }
		},
		slows: 2500 * time.Millisecond, message: "500: try",
	},
	"fails with five megabytes": {
		trouble: func() func(context.Context) error {
			page := strings.Repeat("<html>ü", 5<<20/8)
			return func(context.Context) error { return errors.New(page) }
		},
		slows: 2500 * time.Millisecond, message: "<html>ü<html>",
	},
	"panics the adapter": {
		trouble: func() func(context.Context) error { return func(context.Context) error { panic("index out of range") } },
		slows:   2500 * time.Millisecond, message: "internal error: index out of range",
	},
	"panics the decider": {
		listing: func(l *sandbox.Listing) { describe(l, `<a href="https://`+poisonHost+`/">x</a>`) },
		slows:   2500 * time.Millisecond, message: "internal error: cannot decide this",
	},
	"hangs": {
		trouble: func() func(context.Context) error {
			return func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		},
		slows: 2500 * time.Millisecond, message: "deadline exceeded",
	},
	"five megabytes of text": {
		listing: func(l *sandbox.Listing) { describe(l, strings.Repeat("<p>light ", 5<<20/9)) },
		slows:   2 * time.Second,
	},
	"five megabytes of variants": {
		listing: func(l *sandbox.Listing) {
			for i := range 1000 {
				v := l.Variants[0]
				v.SKU, v.Options = fmt.Sprint(
					"p-",
					i,
				), []sandbox.Option{
					{Name: "Size", Value: fmt.Sprint(i, strings.Repeat(" long", 1000))},
				}
				l.Variants = append(l.Variants, v)
			}
		},
		slows: 12 * time.Second, // read as all the others are, it would be forty
	},
}

// aLamp is a listing that costs what most cost.
func aLamp() *sandbox.Listing {
	l := &sandbox.Listing{Variants: []sandbox.Variant{{Cost: "10.00", MSRP: "20.00", Quantity: 5, SKU: "lamp"}}}
	describe(l, "<p>Gives light.</p>")
	return l
}

// lamps puts n of them on the import list.
func lamps(b *harness.Bench, n int) (ids []string) {
	for range n {
		ids = append(ids, b.Market.Add(sandbox.Publication{Listing: aLamp()})...)
	}
	return ids
}

const poisonHost = "poison.example"

func describe(l *sandbox.Listing, html string) {
	l.Texts = map[string]sandbox.Text{"en": {Title: "Lamp", Description: html}}
}

// infect puts the poison first on the import list of a bench, and a shop before it.
func (p poison) infect(b *harness.Bench) (id string) {
	l := aLamp()
	if p.listing != nil {
		p.listing(l)
	}
	id = b.Market.Add(sandbox.Publication{Listing: l})[0]
	shop := sickShop{Shop: b.Shop, poison: id}
	if p.trouble != nil {
		shop.trouble = p.trouble()
	}
	b.Tune = func(o *connector.Options) { o.Shop = shop }
	return id
}

// allergic is a connector whose decider panics over a link to the poison's host.
func allergic(b *harness.Bench) *connector.Connector {
	tune, settings := b.Tune, b.Settings()
	settings.Backoff = func(attempts int) time.Duration { return breaker.Backoff(attempts, breaker.MaxBackoff) }
	b.Tune = func(o *connector.Options) {
		tune(o)
		o.Decider = allergicDecider{publication.NewDecider(settings)}
	}
	return b.Connector()
}

// imports is how long the healthy publications take until all are on sale and reported.
func imports(t *testing.T, b *harness.Bench, ids []string) (took time.Duration) {
	t.Helper()
	start := time.Now()
	for _, id := range ids {
		for b.Record(id).Reported != store.StatusSuccess {
			time.Sleep(100 * time.Millisecond)
			if time.Since(start) > time.Hour {
				t.Fatalf("%s is %s and not reported after an hour, want %s", id, b.State(id), store.StatusSuccess)
			}
		}
	}
	return time.Since(start)
}

func TestPoisonSlowsNobody(t *testing.T) {
	t.Parallel()
	var undisturbed time.Duration
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.Shop = sickShop{Shop: b.Shop} }
		undisturbed = harness.Working(
			t,
			b.Connector(),
			func(*connector.Connector) time.Duration { return imports(t, b, lamps(b, healthy)) },
		)
	})
	for name, p := range poisons {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				id := p.infect(b)
				ids := lamps(b, healthy)
				c := allergic(b)
				took := harness.Working(t, c, func(c *connector.Connector) time.Duration {
					took := imports(t, b, ids)
					time.Sleep(time.Hour)
					if s, err := harness.Status(c); err != nil || s.Shop.Paused || s.Shop.Until != nil {
						t.Errorf(
							"one publication has shut the whole shop: %+v, %v, want no pause and no error",
							s.Shop,
							err,
						)
					}
					return took
				})
				if took > undisturbed+p.slows {
					t.Errorf(
						"the others took %s, without it %s, want at most %v",
						took,
						undisturbed,
						undisturbed+p.slows,
					)
				}
				for _, other := range b.Shop.Since(0) {
					if string(other.ID) != id && other.Method != "create" {
						t.Errorf(
							"the shop was asked for another: %s %s, want nothing but creations",
							other.Method,
							other.ID,
						)
					}
				}
				p.explained(t, c, id)
			})
		})
	}
}

// explained checks what is told of the poison: enough to know it by, and never more than fits on a
// page.
func (p poison) explained(t *testing.T, c *connector.Connector, id string) {
	t.Helper()
	e, err := c.Desk().Explain(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if p.message == "" {
		if e.State != store.StateLive || e.Report.Status != store.StatusSuccess {
			t.Errorf(
				"it is %s, reported %q: %+v, want State %v and %v",
				e.State,
				e.Report.Status,
				e.Problem,
				store.StateLive,
				store.StatusSuccess,
			)
		}
		return
	}
	if e.State != store.StatePending {
		t.Fatalf("it is %s, want %s", e.State, store.StatePending)
	}
	if e.Problem == nil || e.Problem.Attempts < 4 || !strings.Contains(e.Problem.Message, p.message) {
		t.Fatalf("its problem is %+v, want %q after at least 4 attempts", e.Problem, p.message)
	}
	if e.Next == nil {
		t.Fatal("got no next look, want one")
	}
	if last := e.History[len(e.History)-1]; !strings.Contains(last.What, p.message) || !last.At.Equal(e.Problem.Last) {
		t.Errorf("the history ends with %+v, want %q at %v", last, p.message, e.Problem.Last)
	}
	if n := len(e.History); n > 2 { // tries with a message each are one event: they push out nothing else
		t.Errorf("%d events of history, want at most 2: %+v", n, e.History)
	}
	switch whole, err := json.Marshal(e); {
	case err != nil:
		t.Error(err)
	case len(whole) > 5000:
		t.Errorf("what is told of it has %d bytes, want at most 5000: %.500s", len(whole), whole)
	case !utf8.Valid(whole) || strings.Contains(string(whole), `\ufffd`):
		t.Errorf("what is told of it is cut within a character, want whole ones: %.5000s", whole)
	}
	status, err := harness.Status(c)
	if err == nil && status.LastError != nil && len(status.LastError.Message) > 4*health.MaxMessage {
		t.Errorf("the last error has %d bytes, want at most %d", len(status.LastError.Message), 4*health.MaxMessage)
	}
	if err != nil || status.Publications[store.StatePending] != 1 ||
		status.Publications[store.StateLive] != healthy {
		t.Errorf("status: %+v, %v, want 1 pending, %d live and no error", status.Publications, err, healthy)
	}
}

// A run from cron is not kept by it for longer than its patience, and what the shop takes its time
// for.
func TestPoisonInASingleRun(t *testing.T) {
	for name, p := range poisons {
		if p.message == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				p.infect(b)
				lamps(b, 12)
				const patience = time.Minute
				start := time.Now()
				s, err := allergic(b).Once(t.Context(), desk.RunOptions{Patience: patience})
				most := patience + 30*time.Second // with what it takes to end
				if took := time.Since(start); took > most || took < patience {
					t.Errorf("the run took %s, want at most %v and at least %v", took, most, patience)
				}
				if fails := name == "hangs"; (err != nil) != fails {
					t.Errorf("got the error %v, want one: %t", err, fails)
				}
				if s.Exit != desk.ExitStanding || s.Created != 12 || s.Reported != 12 || s.Pending != 1 {
					t.Errorf(
						"got %+v, want Exit %d, Created 12, Reported 12 and Pending 1",
						s,
						desk.ExitStanding,
					)
				}
			})
		})
	}
}

// An allergicDecider panics over a link to the poison's host.
type allergicDecider struct{ worker.Decider }

func (d allergicDecider) Decide(r store.Record, m store.Mark, seen publication.Seen) publication.Decision {
	if seen.Publication != nil && strings.Contains(fmt.Sprint(seen.Publication.Listing), poisonHost) {
		panic("cannot decide this")
	}
	return d.Decider.Decide(r, m, seen)
}
