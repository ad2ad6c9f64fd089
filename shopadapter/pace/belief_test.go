package pace

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestProbeIsAlone has many wait for a bucket that does not fill: one is sent after a minute, and
// the others wait for its answer.
func TestProbeIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, none)
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
