package marketplace_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

var throttleBlock = regexp.MustCompile(`"throttle":\{[^}]*\}`)

// TestAnAbsurdBudgetStopsNoImport has one answer of each kind carry an absurd throttle block, and
// then every answer. What is added meanwhile is on sale and reported: within a minute after one,
// and by and by, a request a minute, after all. Status says what is waited for.
func TestAnAbsurdBudgetStopsNoImport(t *testing.T) {
	for name, block := range map[string]string{
		"a deep debt": `"throttle":{"requestedCost":10,"actualCost":10,` +
			`"limit":1000,"remaining":-1e9,"restoreRate":50}`,
		"an empty bucket that hardly fills": `"throttle":{"requestedCost":10,"actualCost":10,` +
			`"limit":1000,"remaining":0,"restoreRate":1e-6}`,
		"a cost beyond reason": `"throttle":{"requestedCost":1e9,"actualCost":1e9,` +
			`"limit":1000,"remaining":900,"restoreRate":50}`,
		"a bucket that holds nothing": `"throttle":{"requestedCost":10,"actualCost":10,` +
			`"limit":0.5,"remaining":0.5,"restoreRate":50}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				f := b.Forge()
				b.Market.AddSound(2)
				c, stop := b.Start()
				defer stop()
				time.Sleep(time.Minute)
				spoil := ""
				change := func(operation, answer string) string {
					if spoil != "always" && spoil != operation {
						return answer
					}
					if spoil == operation {
						spoil = ""
					}
					return throttleBlock.ReplaceAllString(answer, block)
				}
				f.Do(func() { f.Change = change })
				onSale := 2
				for _, operation := range []string{"List", "Content", "Look", "Report"} {
					f.Do(func() { spoil = operation })
					b.Market.AddSound(1)
					c.Sweep(false)
					time.Sleep(time.Minute)
					b.Market.AddSound(1)
					c.Sweep(false)
					time.Sleep(time.Minute)
					onSale += 2
					if got := b.Counts()[store.StateLive]; got != onSale {
						t.Errorf("after an absurd answer to %s %d of %d are on sale", operation, got, onSale)
					}
				}
				if status, err := harness.Status(c); err != nil || status.Budget.First != nil || status.Outbox > 0 {
					t.Errorf("%+v, %v", status.Budget, err)
				}
				f.Do(func() { spoil = "always" })
				b.Market.AddSound(1)
				c.Sweep(false)
				waited := false
				for range 60 {
					time.Sleep(10 * time.Second)
					status, err := harness.Status(c)
					if err != nil {
						t.Fatal(err)
					}
					if first := status.Budget.First; first != nil {
						waited = true
						if first.Until == nil && !strings.Contains(first.Reason, "under way") ||
							first.Until != nil && time.Until(*first.Until) > time.Minute {
							t.Errorf("status says %+v", first)
						}
					}
				}
				if got := b.Counts()[store.StateLive]; got != onSale+1 {
					t.Errorf("with absurd answers alone %d of %d are on sale, waited %t", got, onSale+1, waited)
				}
			})
		})
	}
}
