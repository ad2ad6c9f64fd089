package benchmarks

import (
	"fmt"
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

// TestRefusalsEndWithThePatience has a marketplace that throttles one kind of request for ever.
func TestRefusalsEndWithThePatience(t *testing.T) {
	for _, kind := range []sandbox.Kind{sandbox.KindList, sandbox.KindContent, sandbox.KindLook, sandbox.KindReport} {
		for _, bare := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, bare %t", kind, bare), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					box := sandbox.New(sandbox.Options{RestoreRate: 500, Bare429: bare})
					defer box.Close()
					box.Inject(sandbox.Fault{Kind: sandbox.ThrottledNow, Probability: 1, On: []sandbox.Kind{kind}})
					box.AddSound(12)
					c := newRig(t, box.Transport()).connector()
					s, err := c.Once(t.Context(), desk.RunOptions{Patience: time.Minute})
					if err == nil || s.Exit != desk.ExitMarketplace || s.Seconds > 300 {
						t.Errorf("%+v, %v: want exit 3 after a minute", s, err)
					}
				})
			})
		}
	}
}
