package pace

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestProbeIsAlone has many wait for a bucket that does not fill: one is sent after a minute, and
// the others wait for its answer.
func TestProbeIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, Options{})
		p.mu.Lock()
		p.rate = 1e-3
		p.mu.Unlock()
		start := time.Now()
		granted := make(chan *Reservation, 5)
		for range 5 {
			go func() { granted <- reserve(t, p, 300, 0) }()
		}
		first := <-granted
		if took := time.Since(start); took != patience {
			t.Errorf("the first was sent after %v, want %v", took, patience)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(granted) > 0 {
			t.Error("another was sent before the answer")
		}
		first.Settle(100, &Status{1000, 900, 50}) // a rate that is not believed yet, and points that are there
		second := <-granted
		second.Settle(100, &Status{1000, 900, 50})
		if got := p.Snapshot().RestoreRate; got != 50 {
			t.Errorf("two answers taught the rate %g, want 50", got)
		}
		for range 3 {
			(<-granted).Return()
		}
	})
}

func TestSnapshotSaysWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(p *Pacer, cost float64) {
			go func() { reserve(t, p, cost, 0).Return() }()
			synctest.Wait()
		}
		now := time.Now()
		check := func(name string, p *Pacer, want Wait) {
			t.Helper()
			first := p.Snapshot().First
			if first == nil {
				t.Fatalf("%s: nobody waits", name)
			}
			got := *first
			got.Until = got.Until.Truncate(time.Millisecond)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		points := seed(t, 0, Options{})
		wait(points, 500)
		check("points", points, Wait{500, now, ForPoints, now.Add(10 * time.Second)})

		pause := seed(t, 1000, Options{})
		reserve(t, pause, 1, 0).Throttled(5*time.Minute, nil)
		wait(pause, 10)
		check("pause", pause, Wait{10, now, ForPause, now.Add(5 * time.Minute)})

		alone := New(Options{})
		first := reserve(t, alone, 1, 0)
		wait(alone, 1)
		check("answer", alone, Wait{1, now, ForAnswer, time.Time{}})
		first.Return()

		time.Sleep(10 * time.Minute)
		if got := points.Snapshot(); got.First != nil || got.Waiting != 0 {
			t.Errorf("%+v with nobody in line", got)
		}
	})
}
