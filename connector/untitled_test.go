package connector

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// texts gives a publication these texts.
func (b *bench) texts(id string, texts map[string]sandbox.Text, how ...sandbox.Change) {
	b.t.Helper()
	if err := b.box.Update(id, func(l *sandbox.Listing) { l.Texts = texts }, how...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) status(id string) string {
	p, _ := b.box.Publication(id)
	return p.Status
}

var (
	inGerman  = map[string]sandbox.Text{"de": {Title: "Leselampe"}}
	inEnglish = map[string]sandbox.Text{"de": {Title: "Leselampe"}, "en": {Title: "Reading lamp"}}
)

// An entry without a title in the languages asked for waits, and nothing is reported of it. When a
// translation comes it is on sale; when none has come within FailAfter it is rejected and reported
// failed, and a translation that comes later still puts it on sale.
func TestATranslationThatComesLater(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			id := b.box.AddSound(1)[0]
			b.texts(id, inGerman)
			if s := b.once(false); s.Exit != desk.ExitStanding || s.Pending != 1 || s.Rejected != 0 || s.Reported != 0 {
				t.Errorf("without a translation: %+v", s)
			}
			e, err := Explain(b.store, publication.Rules{}, id)
			if e.State != "pending" || e.Problem == nil || e.Problem.Kind != store.ProblemWaiting ||
				!strings.Contains(e.Problem.Message, "en, nl") ||
				err != nil {
				t.Errorf("explained as %+v, %v", e.Problem, err)
			}
			c, stop := b.work()
			defer stop()
			time.Sleep(20 * time.Hour)
			if b.state(id) != store.StatePending || b.status(id) != "syncing" || len(b.box.Reports()) != 0 {
				t.Errorf("after twenty hours it is %s, and %q at the marketplace", b.state(id), b.status(id))
			}
			b.texts(id, inEnglish)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			if p, _ := b.shop.get(id); b.state(id) != store.StateLive || b.status(id) != "success" ||
				p.Title != "Reading lamp" {
				t.Errorf("with a translation it is %s, and %q at the marketplace", b.state(id), b.status(id))
			}
		})
	})
	t.Run("of which nothing tells", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			id := b.box.AddSound(1)[0]
			b.texts(id, inGerman)
			_, stop := b.work()
			defer stop()
			time.Sleep(12 * time.Minute)
			b.texts(id, inEnglish, sandbox.KeepUpdatedAt, sandbox.NoWebhook)
			time.Sleep(12 * time.Minute)
			if b.state(id) != store.StateLive {
				t.Errorf("it is %s", b.state(id))
			}
		})
	})
	t.Run("too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			id := b.box.AddSound(1)[0]
			b.texts(id, inGerman)
			reads := 0
			var mu sync.Mutex
			b.box.OnContentRead(func(string) { mu.Lock(); reads++; mu.Unlock() })
			c, stop := b.work()
			defer stop()
			time.Sleep(24*time.Hour - time.Second)
			if b.state(id) != store.StatePending || len(b.box.Reports()) != 0 {
				t.Errorf("just before FailAfter it is %s", b.state(id))
			}
			time.Sleep(5 * time.Second)
			if b.state(id) != store.StateRejected || b.status(id) != "failed" || b.record(id).Problem.Message == "" {
				t.Errorf("after FailAfter it is %s, and %q at the marketplace", b.state(id), b.status(id))
			}
			mu.Lock()
			if reads > 12 {
				t.Errorf("%d readings of its content in a day", reads)
			}
			mu.Unlock()
			b.texts(id, inEnglish)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			if b.state(id) != store.StateLive || b.status(id) != "success" {
				t.Errorf("with a translation it is %s, and %q at the marketplace", b.state(id), b.status(id))
			}
		})
	})
	t.Run("restarts do not prolong it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			id := b.box.AddSound(1)[0]
			b.texts(id, inGerman)
			for range 25 {
				b.once(false)
				time.Sleep(time.Hour)
			}
			if b.state(id) != store.StateRejected || b.status(id) != "failed" {
				t.Errorf("it is %s, and %q at the marketplace", b.state(id), b.status(id))
			}
		})
	})
}

// A product on sale that loses its title stays on sale and keeps its report. After FailAfter it is
// rejected, and with a title it is live again.
func TestWhatIsOnSaleAndLosesItsTitleStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		ids := b.box.AddSound(2)
		b.once(false)
		was, _ := b.shop.get(ids[0])
		reports, calls := len(b.box.Reports()), len(b.shop.since(0))
		b.texts(ids[0], inGerman)
		stays := func(when string, state store.State) {
			t.Helper()
			now, onSale := b.shop.get(ids[0])
			if !onSale || now.Title != was.Title || b.state(ids[0]) != state || len(b.shop.since(calls)) != 0 ||
				len(b.box.Reports()) != reports {
				t.Errorf(
					"%s it is %s, on sale %t as %q, called %v, %d reports more",
					when,
					b.state(ids[0]),
					onSale,
					now.Title,
					b.shop.since(calls),
					len(b.box.Reports())-reports,
				)
			}
			if r := b.record(ids[0]); r.Title != was.Title {
				t.Errorf("%s it is listed as %q", when, r.Title)
			}
		}
		b.once(false)
		stays("at first", store.StatePending)
		time.Sleep(12 * time.Hour)
		b.once(false)
		stays("half a day later", store.StatePending)
		time.Sleep(12 * time.Hour)
		b.once(false)
		stays("after FailAfter", store.StateRejected)
		b.texts(ids[0], inEnglish)
		if s := b.once(false); s.Exit != desk.ExitOK || s.Updated != 1 {
			t.Errorf("with a title: %+v", s)
		}
	})
}

// An entry without a listing, or whose listing has no variant, waits for as long as it takes; on
// sale it is withdrawn.
func TestAnEntryThatShowsNothingWaits(t *testing.T) {
	for name, lose := range map[string]func(b *bench, id string) error{
		"no listing": func(b *bench, id string) error { return b.box.SetListing(id, nil) },
		"no variant": func(b *bench, id string) error {
			return b.box.Update(id, func(l *sandbox.Listing) { l.Variants = nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{})
				ids := b.box.AddSound(3)
				p, _ := b.box.Publication(ids[0])
				if err := lose(b, ids[0]); err != nil {
					t.Fatal(err)
				}
				b.once(false)
				time.Sleep(72 * time.Hour)
				if s := b.once(false); s.Pending != 1 || b.state(ids[0]) != store.StatePending ||
					b.status(ids[0]) != "syncing" {
					t.Errorf("after three days: %+v, %q at the marketplace", s, b.status(ids[0]))
				}
				if err := b.box.SetListing(ids[0], p.Listing); err != nil {
					t.Fatal(err)
				}
				if s := b.once(false); s.Exit != desk.ExitOK || b.state(ids[0]) != store.StateLive ||
					b.status(ids[0]) != "success" {
					t.Errorf("when it shows something: %+v", s)
				}
				if err := lose(b, ids[0]); err != nil {
					t.Fatal(err)
				}
				b.once(false)
				if s := b.once(false); s.Exit != desk.ExitOK || b.state(ids[0]) != store.StateWithdrawn {
					t.Errorf("when it shows nothing any more: %+v, it is %s", s, b.state(ids[0]))
				}
			})
		})
	}
}
