package marketplace_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestBacklog reads with four workers against the specification's bucket: nothing is refused, the
// rate is used, and an urgent read does not wait.
func TestBacklog(t *testing.T) {
	for _, row := range []struct {
		name    string
		options sandbox.Options
	}{
		{name: "alone", options: sandbox.Options{ScalarCost: 1}},
		{
			name: "slow server",
			options: sandbox.Options{
				ScalarCost: 1, Faults: []sandbox.Fault{{Kind: sandbox.Slow, Delay: 300 * time.Millisecond, Probability: 1}},
			},
		},
		{
			name: "answers lost",
			options: sandbox.Options{
				ScalarCost: 1, Seed: 3, Faults: []sandbox.Fault{{Kind: sandbox.Cut, Executed: true, Probability: 0.1}},
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := open(t, row.options, 30)
				list := m.Publications()
				for {
					if _, err := c.Probe(t.Context()); err == nil {
						break
					}
				}
				m.Spend(m.Remaining())
				// The bucket was emptied behind the client's back: let it find out.
				if _, err := c.Account(t.Context()); err != nil {
					t.Log(err)
				}
				m.Forget()
				begin := time.Now()
				until := begin.Add(20 * time.Minute)
				var group sync.WaitGroup
				for worker := range 4 {
					group.Go(func() {
						for i := worker; time.Now().Before(until); i++ {
							if _, err := next(t, c, list[i%len(list)].ID, 0); err != nil &&
								marketplace.KindOf(err) != marketplace.Transient {
								t.Errorf("%v", err)
							}
						}
					})
				}
				for time.Now().Before(until) {
					time.Sleep(time.Minute)
					asked := time.Now()
					if _, err := c.Look(t.Context(), marketplace.Urgent, []string{list[0].ID}, true); err != nil &&
						marketplace.KindOf(err) != marketplace.Transient {
						t.Errorf("%v", err)
					}
					if took := time.Since(asked); took > 500*time.Millisecond {
						t.Errorf(
							"an urgent look took %v behind a backlog; took: got %v, want at most %v", took, took, 500*time.Millisecond,
						)
					}
				}
				group.Wait()
				used := 0
				for _, total := range m.Totals() {
					used += total.ActualCost
					if total.Throttled > 1 {
						t.Errorf("throttled %d times; total.Throttled: got %v, want at most %v", total.Throttled, total.Throttled, 1)
					}
				}
				share := float64(used) / (50 * time.Since(begin).Seconds())
				t.Logf("used %.4f of the restore rate", share)
				if share < 0.98 {
					t.Errorf("used %.4f of the restore rate; share: got %v, want at least %v", share, share, 0.98)
				}
			})
		})
	}
}
