package takeover_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/takeover"
)

// entitle has the supplier give a product a title.
func entitle(b *harness.Bench, id, title string) string {
	b.T.Helper()
	if err := b.Market.Update(id, func(l *sandbox.Listing) {
		text := l.Texts["en"]
		text.Title = title
		l.Texts["en"] = text
	}); err != nil {
		b.T.Fatal(err)
	}
	return title
}

// A store that was put back from a backup knows nothing of what was done since, and the shop comes
// to show the import list all the same: nothing is doubled, what was made since is ours, and what
// looks as it was written last is written, since something else may have been written after.
func TestPutBackFromABackup(t *testing.T) {
	for _, lists := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Lists = lists
			ids := b.Market.AddSound(14)
			fickle, relisted := ids[0], ids[1]
			first := entitle(b, fickle, "A title")
			b.Once(false)
			var saved bytes.Buffer
			if err := b.Store.Backup(t.Context(), &saved); err != nil {
				t.Fatal(err)
			}

			made := b.Market.AddSound(2)
			entitle(b, fickle, "Another title")
			b.Market.Remove(relisted)
			b.Once(true)
			if p, onSale := b.Shop.Get(relisted); onSale {
				t.Fatalf("%+v is on sale, want it out of sale", p)
			}
			b.Market.Restore(relisted)
			entitle(b, fickle, first)
			creates := b.Shop.Count("create")

			b.PutBack(saved.Bytes())
			s := b.Once(false)
			if s.Held != 0 || s.Exit != desk.ExitOK {
				t.Errorf("lists %t: got %+v, want Held 0 and Exit %v", lists, s, desk.ExitOK)
			}
			if n := b.Shop.Count("create"); n != creates {
				t.Errorf("lists %t: %d more were created, want 0", lists, n-creates)
			}
			if p, _ := b.Shop.Get(fickle); p.Title != first {
				t.Errorf("lists %t: titled %q, want %q", lists, p.Title, first)
			}
			for _, id := range append(made, ids...) {
				if _, onSale := b.Shop.Get(id); !onSale {
					t.Errorf("lists %t: %s is not on sale, want it on sale", lists, id)
				}
			}
			if copied, err := b.Store.Meta(b.T.Context(), takeover.MetaCopied); copied != "" || err != nil {
				t.Errorf("still a copy: %q, %v, want none and no error", copied, err)
			}
			time.Sleep(time.Second)
			writes := len(b.Shop.Since(0))
			b.Once(false)
			if calls := b.Shop.Since(writes); len(calls) != 0 {
				t.Errorf("lists %t: the run after it wrote %v, want no call", lists, calls)
			}
		})
	}
}

// A merchant who takes back other rules puts the settings and the store back together. Neither the
// store nor the import list then tells of the prices that were written meanwhile.
func TestPutBackWithTheRulesOfItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
		price := func() string {
			p, _ := b.Shop.Get(id)
			return p.Variants[0].Price
		}
		b.Once(false)
		var saved bytes.Buffer
		if err := b.Store.Backup(t.Context(), &saved); err != nil {
			t.Fatal(err)
		}
		b.Tune = harness.Markup(10)
		b.Once(false)
		if got := price(); got != "22.00" {
			t.Fatalf("by the other rules: got price %s, want 22.00", got)
		}
		b.Tune = nil
		b.PutBack(saved.Bytes())
		b.Once(false)
		if got := price(); got != "20.00" {
			t.Errorf("after both were put back: got price %s, want 20.00", got)
		}
	})
}

// A report that a copy owes may be no longer true.
func TestReportsThatABackupOwes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.AddSound(1)[0]
		b.Market.Inject(
			sandbox.Fault{
				Kind:        sandbox.ServerError,
				Status:      503,
				Probability: 1,
				On:          []sandbox.Kind{sandbox.KindReport},
			},
		)
		b.Once(false)
		if e := b.Entry(id); e.Owed == nil {
			t.Fatal("nothing is owed, want a report")
		}
		var saved bytes.Buffer
		if err := b.Store.Backup(t.Context(), &saved); err != nil {
			t.Fatal(err)
		}
		b.Market.Heal()
		b.Once(false)
		b.Market.Remove(id)
		b.Once(true)
		before := len(b.Market.Reports())
		b.PutBack(saved.Bytes())
		b.Once(false)
		if reports := b.Market.Reports()[before:]; len(reports) != 0 {
			t.Errorf("reported %+v of what is not on sale, want no report", reports)
		}
	})
}
