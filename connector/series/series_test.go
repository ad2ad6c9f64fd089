package series

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/memory"
)

// A counted store counts the facts that are written.
type counted struct {
	store.Store

	writes int
	broken atomic.Bool
}

func (c *counted) SetMeta(ctx context.Context, key, value string) error {
	c.writes++
	if c.broken.Load() {
		return errors.New("disk full")
	}
	return c.Store.SetMeta(ctx, key, value)
}

// recording runs a recorder over a store, which has spent `cost` points, until stop is called.
func recording(t *testing.T, s store.Store, cost *atomic.Int64) (r *Recorder, stop func()) {
	t.Helper()
	r = New(Options{
		Store: s, Cost: func() float64 { return float64(cost.Load()) },
		Budget: func() pace.Snapshot { return pace.Snapshot{RestoreRate: 50} },
		Failed: func(err error) { t.Error(err) },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	return r, func() {
		cancel()
		<-done
		r.Keep(ctx)
	}
}

func last(t *testing.T, s store.Store) []Point {
	t.Helper()
	points, err := Last(t.Context(), s, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// An hour is the sum of what two processes did in it, and the next hour begins anew.
func TestHoursAreSummed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		if _, err := s.Settle(t.Context(), store.Settlement{
			Record: store.Record{ID: "1", State: store.StateLive}, Next: &store.Mark{Class: store.ClassNew, At: 1},
		}); err != nil {
			t.Fatal(err)
		}
		begun := time.Now().UTC().Truncate(time.Hour) // its last minute is sampled in the next hour
		var cost atomic.Int64
		cost.Store(100) // before the recorder: not its own
		for range 2 {
			r, stop := recording(t, s, &cost)
			synctest.Wait()
			cost.Add(20)
			r.Webhook()
			r.mu.Lock()
			r.lags[bucket(3*time.Second)]++
			r.mu.Unlock()
			time.Sleep(10 * time.Minute)
			stop()
		}
		_, stop := recording(t, s, &cost)
		time.Sleep(time.Hour)
		stop()
		points := last(t, s)
		if len(points) != 2 {
			t.Fatalf("%d points, want 2", len(points))
		}
		want := Point{
			At: begun, Spent: 40, Restored: 50 * 59 * 60, Due: 1, States: points[0].States, Webhooks: 2,
			Lags: []int{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0},
		}
		if diff := cmp.Diff(want, points[0]); diff != "" {
			t.Error(diff)
		}
		if n := points[0].States[store.StateLive]; n != 1 {
			t.Errorf("%d live, want 1", n)
		}
		if spent := points[1].Spent; spent != 0 {
			t.Errorf("%v points spent in the next hour, want none", spent)
		}
	})
}

// Seven days are kept and no more, in the same facts.
func TestSevenDaysAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		var cost atomic.Int64
		_, stop := recording(t, s, &cost)
		for range Hours + 30 {
			cost.Add(1)
			time.Sleep(time.Hour)
		}
		stop()
		points := last(t, s)
		if len(points) != Hours {
			t.Fatalf("%d points, want %d", len(points), Hours)
		}
		if first := time.Since(points[0].At); first >= Hours*time.Hour {
			t.Errorf("the first is %v old, want less than seven days", first)
		}
		time.Sleep(3 * 24 * time.Hour)
		if n := len(last(t, s)); n != 4*24 {
			t.Errorf("%d points after three days of standing still, want %d", n, 4*24)
		}
	})
}

// A busy worker writes once a minute, and one with nothing to do once an hour.
func TestSeriesIsWrittenSeldom(t *testing.T) {
	for _, tt := range []struct {
		name string
		busy bool
		most int
	}{{"busy", true, 3*60 + 3}, {"idle", false, 5}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &counted{Store: memory.New()}
				var cost atomic.Int64
				_, stop := recording(t, s, &cost)
				for range 3 * 3600 {
					if tt.busy {
						cost.Add(1)
					}
					time.Sleep(time.Second)
				}
				stop()
				if s.writes > tt.most || s.writes == 0 {
					t.Errorf("%d writes, want 1 to %d", s.writes, tt.most)
				}
			})
		})
	}
}

// A store that cannot be written loses nothing of the hour.
func TestSeriesOutlivesABrokenStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &counted{Store: memory.New()}
		s.broken.Store(true)
		var cost, failures atomic.Int64
		r := New(Options{
			Store: s, Cost: func() float64 { return float64(cost.Load()) },
			Budget: func() pace.Snapshot { return pace.Snapshot{} }, Failed: func(error) { failures.Add(1) },
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		synctest.Wait()
		cost.Store(7)
		time.Sleep(2*time.Minute + time.Second)
		s.broken.Store(false)
		time.Sleep(2 * time.Minute)
		cancel()
		<-done
		r.Keep(ctx)
		if failures.Load() == 0 {
			t.Error("no failure was told")
		}
		if points := last(t, s); len(points) != 1 || points[0].Spent != 7 {
			t.Errorf("%v, want one point with 7 spent", points)
		}
	})
}
