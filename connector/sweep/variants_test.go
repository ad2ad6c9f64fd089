package sweep_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// variantQueries counts the requests for the list of product variants.
func variantQueries(b *harness.Bench) (n int) {
	for _, r := range b.Market.Requests() {
		if strings.Contains(r.Operation, "Variants") || r.Operation == "ListBoth" {
			n++
		}
	}
	return n
}

// A price or a stock that moves no updatedAt reaches the shop with the next sweep where the list of
// product variants tells of it, and an idle run costs no more than four requests and 30 points.
// Where the list tells nothing it is left alone, status says why, and the run goes on without it.
func TestVariantsTellOfQuietChanges(t *testing.T) {
	for _, tt := range []struct {
		name  string
		mode  publication.VariantMode
		box   sandbox.Options
		seen  bool // the quiet change is
		found publication.VariantFinding
	}{
		{name: "off", mode: publication.VariantsOff},
		{name: "auto", mode: publication.VariantsAuto, seen: true, found: publication.VariantsOurs},
		{
			name: "auto, dear", mode: publication.VariantsAuto, box: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true},
			seen: true, found: publication.VariantsOurs,
		},
		{
			name: "auto, without introspection", mode: publication.VariantsAuto, box: sandbox.Options{NoIntrospection: true},
			seen: true, found: publication.VariantsOurs,
		},
		{
			name: "auto, publications not sorted", mode: publication.VariantsAuto, box: sandbox.Options{NoUpdatedAtSort: true},
			seen: true, found: publication.VariantsOurs,
		},
		{
			name: "auto, whole seconds", mode: publication.VariantsAuto, box: sandbox.Options{UpdatedAtPrecision: time.Second},
			seen: true, found: publication.VariantsOurs,
		},
		{
			name: "auto, not for this token", mode: publication.VariantsAuto,
			box: sandbox.Options{Variants: sandbox.VariantsRefused}, found: publication.VariantsRefused,
		},
		{
			name: "auto, others' variants", mode: publication.VariantsAuto,
			box: sandbox.Options{Variants: sandbox.VariantsOfOthers}, found: publication.VariantsOthers,
		},
		{name: "on", mode: publication.VariantsOn, seen: true, found: publication.VariantsOurs},
		{
			name: "on, not for this token", mode: publication.VariantsOn,
			box: sandbox.Options{Variants: sandbox.VariantsRefused}, found: publication.VariantsRefused,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tt.box.RestoreRate = 2000
				b := harness.New(t, tt.box)
				b.Tune = func(o *connector.Options) { o.Variants = tt.mode }
				ids := b.Market.AddSound(60) // their variants fill more than a page
				if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 60 {
					t.Fatalf("first run: got %+v, want Exit %v and Created 60", s, desk.ExitOK)
				}
				time.Sleep(time.Minute)
				b.Once(false) // what was left to find out is
				reads, asked := b.ContentReads(ids[7]), variantQueries(b)
				s := b.Once(false)
				if s.Exit != desk.ExitOK {
					t.Errorf("an idle run: exit %d, want %d: %+v", s.Exit, desk.ExitOK, s)
				}
				if !tt.box.NoUpdatedAtSort && (s.Requests > 4 || s.Cost > 30) {
					t.Errorf("an idle run: %+v, want Requests at most 4 and Cost at most 30", s)
				}
				if n := b.ContentReads(ids[7]); n != reads {
					t.Errorf("an idle run reads the content %d times, want 0", n-reads)
				}
				if follows := tt.mode == publication.VariantsOn || tt.seen; variantQueries(b) > asked != follows {
					t.Errorf(
						"%d requests for the variants of an idle run, want some: %t",
						variantQueries(b)-asked,
						follows,
					)
				}

				if err := b.Market.SetStock(ids[7], "", 77, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
					t.Fatal(err)
				}
				s = b.Once(false)
				p := b.Shop.Products[shopadapter.PublicationID(ids[7])].Product
				if shown := p.Variants[0].Quantity == 77; shown != tt.seen {
					t.Errorf("the quiet change is shown: %t, want %t", shown, tt.seen)
				}
				if s.Updated != 0 != tt.seen {
					t.Errorf("the quiet change: %d updated, want some: %t", s.Updated, tt.seen)
				}
				got, again := followed(b), tt.mode == publication.VariantsAuto && !tt.seen
				if got.Mode != tt.mode || got.Found != tt.found || got.Followed != tt.seen {
					t.Errorf("status tells %+v, want %v, found %v, followed %t", got, tt.mode, tt.found, tt.seen)
				}
				if got.Again.IsZero() == again {
					t.Errorf("status tells of another try at %v, want one: %t", got.Again, again)
				}
			})
		})
	}
}

// A change that moves both updatedAt of the variant and of the publication costs one reading, in
// whatever order sweeps and webhooks tell of it.
func TestVariantsReadNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Variants = publication.VariantsAuto }
		ids := b.Market.AddSound(3)
		b.Once(false)
		b.Once(false)
		// what follows an answer comes later than it
		b.Market.Inject(sandbox.Fault{Kind: sandbox.Slow, Probability: 1, Delay: 20 * time.Millisecond})
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Minute)
		for round := range 3 {
			before := b.ContentReads(ids[1])
			b.Reprice(ids[1:2])
			if round > 0 { // something else has told of it
				if err := b.Store.Mark(b.T.Context(),
					store.Mark{ID: ids[1], Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(time.Now())}); err != nil {
					t.Fatal(err)
				}
				c.Desk().Worker.Wake()
				time.Sleep(10 * time.Second)
			}
			c.Sweep(false)
			time.Sleep(time.Minute)
			if n := b.ContentReads(ids[1]) - before; n != 1 {
				t.Errorf("round %d: content was read %d times, want 1", round, n)
			}
		}
	})
}

// The question whether the variants may be listed is asked again after a day, and at once with
// another token. A token that may read the list is noticed.
func TestWhatWasFoundOfVariantsIsAskedAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		install string
		wait    time.Duration
		again   bool
	}{
		{name: "within the day", install: "one", wait: 23 * time.Hour},
		{name: "after a day", install: "one", wait: 25 * time.Hour, again: true},
		{name: "another token", install: "two", wait: time.Hour, again: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000, Variants: sandbox.VariantsRefused})
				install := "one"
				b.Tune = func(o *connector.Options) {
					o.Variants, o.Install, o.RefreshAfter = publication.VariantsAuto, install, 1000*time.Hour
				}
				ids := b.Market.AddSound(3)
				b.Once(false)
				b.Market.ShowVariants(sandbox.VariantsOfListings)
				install = tt.install
				time.Sleep(tt.wait)
				b.Once(false)
				b.Once(false)
				if err := b.Market.SetStock(ids[0], "", 77, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
					t.Fatal(err)
				}
				s := b.Once(false)
				if (s.Updated == 1) != tt.again {
					t.Errorf("got %+v, want Updated 1: %t", s, tt.again)
				}
				if got := followed(b); got.Followed != tt.again {
					t.Errorf("status tells %+v, want Followed %t", got, tt.again)
				}
			})
		})
	}
}

// A list of product variants that fails, or goes in circles, keeps no publication from being
// imported. A cursor that is refused loses no change.
func TestVariantsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Variants = publication.VariantsAuto }
		ids := b.Market.AddSound(3)
		b.Once(false)
		b.Once(false)
		time.Sleep(time.Minute)
		if err := b.Market.SetStock(ids[2], "", 77, sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
			t.Fatal(err)
		}
		b.Market.ExpireCursors()
		reads := b.ContentReads(ids[0])
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Updated != 1 {
			t.Errorf("after the cursors were refused: got %+v, want Exit %v and Updated 1", s, desk.ExitOK)
		}
		if n := b.ContentReads(ids[0]) - reads; n > 1 {
			t.Errorf("what had not changed was read %d times, want at most 1", n)
		}
		b.Market.ShowVariants(sandbox.VariantsFailing)
		b.Market.AddSound(2)
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 2 {
			t.Errorf("while the list of variants fails: got %+v, want Exit %v and Created 2", s, desk.ExitOK)
		}
		if got := followed(b); got.Found != publication.VariantsFailing || got.Followed {
			t.Errorf("status tells %+v, want %v, and not followed", got, publication.VariantsFailing)
		}
		b.Market.ShowVariants(sandbox.VariantsOfListings)
		time.Sleep(2 * time.Hour)
		b.Once(false)
		if got := followed(b); !got.Followed {
			t.Errorf("once it is healed, status tells %+v, want it followed", got)
		}
	})
}

// followed is what status tells of the list of product variants.
func followed(b *harness.Bench) desk.Variants {
	b.T.Helper()
	s, err := harness.Status(b.Connector())
	if err != nil {
		b.T.Fatal(err)
	}
	return s.Variants
}
