package benchmarks

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestBareRefusalsCostLittle imports six publications, twenty times, while three requests in ten
// get a 429 that says nothing else.
func TestBareRefusalsCostLittle(t *testing.T) {
	const rate, count = 3000, 6
	var sum time.Duration
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			box := sandbox.New(sandbox.Options{
				ScalarCost: 1, RestoreRate: rate, Bare429: true, Seed: seed,
			})
			box.Inject(sandbox.Fault{Kind: sandbox.ThrottledNow, Probability: 0.3})
			defer box.Close()
			box.AddSound(count)
			start := time.Now()
			s, err := newRig(t, box.Transport()).connector().Once(t.Context(), desk.RunOptions{Patience: time.Minute})
			took := time.Since(start)
			if err != nil || s.Reported != count {
				t.Errorf("seed %d: %+v, %v", seed, s, err)
			}
			sum += took
		})
	}
	if sum > 25*time.Second { // about 14 s: a single import may meet many refusals in a row
		t.Errorf("twenty imports took %v", sum)
	}
	t.Logf("twenty imports took %v", sum)
}
