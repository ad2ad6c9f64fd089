package marketplace_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Two accounts of one app draw on its bucket: neither is refused for want of points, the points are
// used up, and one with a long backlog leaves the other its half.
func TestClientsShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sandbox.New(sandbox.Options{BaseURL: "https://market.test"})
		t.Cleanup(m.Close)
		ids := m.AddSound(20)
		bucket := marketplace.NewBucket()
		var accounts []*marketplace.Client
		for range 2 {
			c := marketplace.New(marketplace.Config{
				URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"},
				Transport: m.Transport(), Bucket: bucket,
			})
			t.Cleanup(func() { c.Close() })
			if _, err := c.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			accounts = append(accounts, c)
		}
		before := accounts[0].Stats().Cost + accounts[1].Stats().Cost
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var group sync.WaitGroup
		failed := make(chan error, 1)
		for i, workers := range []int{12, 2} {
			for range workers {
				group.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						adm, err := accounts[i].Admit(ctx, marketplace.News)
						if err == nil {
							_, err = accounts[i].Publication(ctx, adm, marketplace.Expected{ID: ids[n%len(ids)], Variants: 3})
						}
						if err != nil && ctx.Err() == nil {
							select {
							case failed <- fmt.Errorf("account %d: %w", i, err):
							default:
							}
							return
						}
					}
				})
			}
		}
		group.Wait()
		select {
		case err := <-failed:
			t.Fatal(err)
		default:
		}
		long, short := accounts[0].Stats(), accounts[1].Stats()
		if n := long.Throttled + short.Throttled; n != 0 {
			t.Errorf("got %d requests throttled, want none", n)
		}
		if ratio := short.Cost / long.Cost; ratio < 0.9 || ratio > 1.1 {
			t.Errorf("got %.0f points for the long backlog and %.0f for the short one, want about the same",
				long.Cost, short.Cost)
		}
		restored := 50 * time.Since(begun).Seconds()
		if used := (long.Cost + short.Cost - before) / restored; used < 0.97 {
			t.Errorf("got %.3f of the restored points used, want nearly all", used)
		}
		if own := accounts[0].Budget(); own != accounts[1].Budget() {
			t.Errorf("got the budgets %+v and %+v, want one", own, accounts[1].Budget())
		}
	})
}
