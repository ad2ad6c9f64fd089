package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// twice runs a test in two bubbles, the second of which begins at the time at which the first
// began: for what outlives them, the clock is set back.
func twice(t *testing.T, before, after func(t *testing.T, b *harness.Bench)) {
	t.Helper()
	b := &harness.Bench{
		Market: sandbox.New(sandbox.Options{RestoreRate: 2000}),
		Shop:   shoptest.New(shoptest.Abilities{}),
		Path:   t.TempDir() + "/pubsync.db",
	}
	defer b.Market.Close()
	for i, f := range []func(*testing.T, *harness.Bench){before, after} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Duration(i) * time.Second) // no moment is met twice
			b.T = t
			b.Open()
			f(t, b)
			if err := b.Store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Times noted by a clock that was days ahead hide no change that comes after the clock is right
// again.
func TestClockSetBack(t *testing.T) {
	var ids []string
	twice(t, func(t *testing.T, b *harness.Bench) {
		time.Sleep(72 * time.Hour)
		ids = b.Market.AddSound(6)
		b.Once(false)
		b.Market.Remove(ids[5])
		if s := b.Once(true); s.Withdrawn != 1 {
			t.Fatalf("got %+v, want Withdrawn 1", s)
		}
	}, func(t *testing.T, b *harness.Bench) {
		if err := b.Market.Supply(ids[0], []string{"stock=77"}); err != nil {
			t.Fatal(err)
		}
		if err := b.Market.Supply(ids[1], []string{"stock=78"}, sandbox.KeepUpdatedAt); err != nil {
			t.Fatal(err)
		}
		if err := b.Market.Supply(ids[3], []string{"status=failed"}); err != nil {
			t.Fatal(err)
		}
		b.Market.Restore(ids[5])
		if s := b.Once(false); s.Exit != desk.ExitOK {
			t.Fatalf("got %+v, want Exit %v", s, desk.ExitOK)
		}
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Quantity != 77 {
			t.Errorf("shows %d of what was changed, want 77", p.Variants[0].Quantity)
		}
		if p, _ := b.Shop.Get(ids[5]); !p.OnSale {
			t.Error("what is listed again is not on sale")
		}
		if p, _ := b.Market.Publication(ids[3]); p.Status != "success" {
			t.Errorf("a status that somebody else set is %s still, want success", p.Status)
		}
		b.Market.Remove(ids[4])
		b.Once(true)
		if b.Entry(ids[4]).Record.Removal.Reason != store.RemovalAbsent {
			t.Error("what is gone is not found")
		}
		time.Sleep(25 * time.Hour)
		b.Once(false)
		if p, _ := b.Shop.Get(ids[1]); p.Variants[0].Quantity != 78 {
			t.Errorf("shows %d of what changed in silence, want 78", p.Variants[0].Quantity)
		}
	})
}

func TestJudgeEntryByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := time.Now().Add(time.Hour)
		answered, now := asked.Add(2*time.Second), asked.Add(3*time.Second)
		gone := store.Removal{Reason: store.RemovalAbsent, Done: true}
		for _, tt := range []struct {
			name string
			rec  store.Record
			want bool // to be looked at
		}{
			{"read before the page was asked for", store.Record{ReadAt: store.At(asked.Add(-time.Second))}, true},
			{
				"read while the page was on its way: it may be the newer",
				store.Record{ReadAt: store.At(asked.Add(time.Second))},
				true,
			},
			{"read after it", store.Record{ReadAt: store.At(now)}, false},
			{"read in the future", store.Record{ReadAt: store.At(now.Add(time.Hour))}, true},
			{"taken out before", store.Record{Removal: removedAt(gone, asked.Add(-time.Second))}, true},
			{"taken out while the page was on its way", store.Record{Removal: removedAt(gone, asked.Add(time.Second))}, true},
			{"taken out after it", store.Record{Removal: removedAt(gone, now)}, false},
			{"taken out in the future", store.Record{Removal: removedAt(gone, now.Add(time.Hour))}, true},
		} {
			e := store.Entry{Record: tt.rec, Known: true}
			listed := publication.Listing{
				Entry: marketplace.Entry{ID: "p1", UpdatedAt: "u"}, Asked: asked, Answered: answered,
			}
			if got := publication.Listed(&e, listed, now); got != tt.want || got != (e.Mark != nil) {
				t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
			}
		}
	})
}

func removedAt(r store.Removal, at time.Time) store.Removal {
	r.At = store.At(at)
	return r
}
