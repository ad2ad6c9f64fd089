package worker_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// texts gives a publication these texts.
func texts(b *harness.Bench, id string, texts map[string]sandbox.Text, how ...sandbox.Change) {
	b.T.Helper()
	if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Texts = texts }, how...); err != nil {
		b.T.Fatal(err)
	}
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
			b := harness.New(t, sandbox.Options{})
			id := b.Market.AddSound(1)[0]
			texts(b, id, inGerman)
			if s := b.Once(false); s.Exit != desk.ExitStanding || s.Pending != 1 || s.Rejected != 0 || s.Reported != 0 {
				t.Errorf(
					"without a translation: got %+v, want Exit %v, Pending 1, Rejected 0 and Reported 0",
					s,
					desk.ExitStanding,
				)
			}
			e, err := harness.Explain(b.Store, publication.Rules{}, id)
			if err != nil {
				t.Fatal(err)
			}
			if e.State != store.StatePending {
				t.Errorf("explained as %s, want %s", e.State, store.StatePending)
			}
			if e.Problem == nil || e.Problem.Kind != store.ProblemWaiting ||
				!strings.Contains(e.Problem.Message, "en, nl") {
				t.Errorf("explained by %+v, want %s for en or nl", e.Problem, store.ProblemWaiting)
			}
			c, stop := b.Start()
			defer stop()
			time.Sleep(20 * time.Hour)
			if got := b.State(id); got != store.StatePending {
				t.Errorf("after twenty hours it is %s, want %s", got, store.StatePending)
			}
			if got := b.Status(id); got != "syncing" {
				t.Errorf("after twenty hours the marketplace holds %q, want syncing", got)
			}
			if reports := b.Market.Reports(); len(reports) != 0 {
				t.Errorf("after twenty hours: got reports %+v, want none", reports)
			}
			texts(b, id, inEnglish)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			if p, _ := b.Shop.Get(id); b.State(id) != store.StateLive || b.Status(id) != "success" ||
				p.Title != "Reading lamp" {
				t.Errorf(
					"with a translation it is %s, and %q at the marketplace as %q, want live, success and Reading lamp",
					b.State(id),
					b.Status(id),
					p.Title,
				)
			}
		})
	})
	t.Run("of which nothing tells", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			id := b.Market.AddSound(1)[0]
			texts(b, id, inGerman)
			_, stop := b.Start()
			defer stop()
			time.Sleep(12 * time.Minute)
			texts(b, id, inEnglish, sandbox.KeepUpdatedAt, sandbox.NoWebhook)
			time.Sleep(12 * time.Minute)
			if b.State(id) != store.StateLive {
				t.Errorf("it is %s, want %v", b.State(id), store.StateLive)
			}
		})
	})
	t.Run("too late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			id := b.Market.AddSound(1)[0]
			texts(b, id, inGerman)
			reads := 0
			var mu sync.Mutex
			b.Market.OnContentRead(func(string) { mu.Lock(); reads++; mu.Unlock() })
			c, stop := b.Start()
			defer stop()
			time.Sleep(24*time.Hour - time.Second)
			if got := b.State(id); got != store.StatePending {
				t.Errorf("just before FailAfter it is %s, want %s", got, store.StatePending)
			}
			if reports := b.Market.Reports(); len(reports) != 0 {
				t.Errorf("just before FailAfter: got reports %+v, want none", reports)
			}
			time.Sleep(5 * time.Second)
			if got := b.State(id); got != store.StateRejected {
				t.Errorf("after FailAfter it is %s, want %s", got, store.StateRejected)
			}
			if got := b.Status(id); got != "failed" {
				t.Errorf("after FailAfter the marketplace holds %q, want failed", got)
			}
			if b.Record(id).Problem.Message == "" {
				t.Error("after FailAfter there is no message, want a reason")
			}
			mu.Lock()
			if reads > 12 {
				t.Errorf("%d readings of its content in a day, want at most 12", reads)
			}
			mu.Unlock()
			texts(b, id, inEnglish)
			c.Sweep(false)
			time.Sleep(5 * time.Second)
			if b.State(id) != store.StateLive || b.Status(id) != "success" {
				t.Errorf(
					"with a translation it is %s, and %q at the marketplace, want state %v and status success",
					b.State(id),
					b.Status(id),
					store.StateLive,
				)
			}
		})
	})
	t.Run("restarts do not prolong it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			id := b.Market.AddSound(1)[0]
			texts(b, id, inGerman)
			for range 25 {
				b.Once(false)
				time.Sleep(time.Hour)
			}
			if b.State(id) != store.StateRejected || b.Status(id) != "failed" {
				t.Errorf(
					"it is %s, and %q at the marketplace, want state %v and status failed",
					b.State(id),
					b.Status(id),
					store.StateRejected,
				)
			}
		})
	})
}

// A product on sale that loses its title stays on sale and keeps its report. After FailAfter it is
// rejected, and with a title it is live again.
func TestWhatIsOnSaleAndLosesItsTitleStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(2)
		b.Once(false)
		was, _ := b.Shop.Get(ids[0])
		reports, calls := len(b.Market.Reports()), len(b.Shop.Since(0))
		texts(b, ids[0], inGerman)
		stays := func(when string, state store.State) {
			t.Helper()
			now, onSale := b.Shop.Get(ids[0])
			if !onSale || now.Title != was.Title {
				t.Errorf("%s: on sale %t as %q, want true and %q", when, onSale, now.Title, was.Title)
			}
			if got := b.State(ids[0]); got != state {
				t.Errorf("%s it is %s, want %s", when, got, state)
			}
			if got := b.Shop.Since(calls); len(got) != 0 {
				t.Errorf("%s: got calls %v, want none", when, got)
			}
			if n := len(b.Market.Reports()) - reports; n != 0 {
				t.Errorf("%s: got %d reports more, want 0", when, n)
			}
			if r := b.Record(ids[0]); r.Title != was.Title {
				t.Errorf("%s it is listed as %q, want %v", when, r.Title, was.Title)
			}
		}
		b.Once(false)
		stays("at first", store.StatePending)
		time.Sleep(12 * time.Hour)
		b.Once(false)
		stays("half a day later", store.StatePending)
		time.Sleep(12 * time.Hour)
		b.Once(false)
		stays("after FailAfter", store.StateRejected)
		texts(b, ids[0], inEnglish)
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Updated != 1 {
			t.Errorf("with a title: got %+v, want Exit %v and Updated 1", s, desk.ExitOK)
		}
	})
}

// What the supplier sells out is not sold by the version on sale that has lost its title.
func TestWhatLosesItsTitleIsNotSoldOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(2)
		b.Once(false)
		b.Update(ids[0], func(l *sandbox.Listing) {
			l.Texts = inGerman
			for i := range l.Variants {
				l.Variants[i].Quantity = 0
			}
		})
		if s := b.Once(false); s.Pending != 1 {
			t.Errorf("got %+v, want Pending 1", s)
		}
		if _, onSale := b.Shop.Get(ids[0]); onSale {
			t.Error("got it on sale, want it out of sale")
		}
		texts(b, ids[0], inEnglish)
		b.Once(false)
		if now, onSale := b.Shop.Get(ids[0]); !onSale || now.Variants[0].Quantity != 0 {
			t.Errorf("with a title: on sale %t with %d, want it on sale with none", onSale, now.Variants[0].Quantity)
		}
	})
}

// An entry without a listing, or whose listing has no variant, waits for as long as it takes; on
// sale it is withdrawn.
func TestAnEntryThatShowsNothingWaits(t *testing.T) {
	for name, lose := range map[string]func(b *harness.Bench, id string) error{
		"no listing": func(b *harness.Bench, id string) error { return b.Market.SetListing(id, nil) },
		"no variant": func(b *harness.Bench, id string) error {
			return b.Market.Update(id, func(l *sandbox.Listing) { l.Variants = nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				ids := b.Market.AddSound(3)
				p, _ := b.Market.Publication(ids[0])
				if err := lose(b, ids[0]); err != nil {
					t.Fatal(err)
				}
				b.Once(false)
				time.Sleep(72 * time.Hour)
				if s := b.Once(false); s.Pending != 1 || b.State(ids[0]) != store.StatePending ||
					b.Status(ids[0]) != "syncing" {
					t.Errorf(
						"after three days: got %+v, %q at the marketplace, want Pending 1, state %v and status syncing",
						s,
						b.Status(ids[0]),
						store.StatePending,
					)
				}
				if err := b.Market.SetListing(ids[0], p.Listing); err != nil {
					t.Fatal(err)
				}
				if s := b.Once(false); s.Exit != desk.ExitOK || b.State(ids[0]) != store.StateLive ||
					b.Status(ids[0]) != "success" {
					t.Errorf(
						"when it shows something: got %+v, want Exit %v, state %v and status success",
						s,
						desk.ExitOK,
						store.StateLive,
					)
				}
				if err := lose(b, ids[0]); err != nil {
					t.Fatal(err)
				}
				b.Once(false)
				if s := b.Once(false); s.Exit != desk.ExitOK || b.State(ids[0]) != store.StateWithdrawn {
					t.Errorf(
						"when it shows nothing any more: got %+v, it is %s, want Exit %v and state %v",
						s,
						b.State(ids[0]),
						desk.ExitOK,
						store.StateWithdrawn,
					)
				}
			})
		})
	}
}
