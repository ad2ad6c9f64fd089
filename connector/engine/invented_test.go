package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// published waits until the shop has a publication, and returns for how long.
func published(b *harness.Bench, id string, most time.Duration) time.Duration {
	b.T.Helper()
	begun := time.Now()
	for time.Since(begun) < most {
		if _, ok := b.Shop.Get(id); ok {
			return time.Since(begun)
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.T.Errorf("%s is not in the shop after %s, want it there", id, most)
	return most
}

// A list of 3,000 entries that do not exist keeps the two that do waiting for less than a minute after they are listed,
// wherever they stand. Nothing is left of the others, and each of them is read once.
func TestInventedEntriesKeepNobodyWaiting(t *testing.T) {
	for at, order := range map[int]string{15: "UPDATED_AT_ASC", 29: "ID_DESC"} {
		t.Run(fmt.Sprintf("by %s, on page %d", order, at), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{NoUpdatedAtSort: order == "ID_DESC"})
				b.Market.Inject(sandbox.Fault{Kind: sandbox.Slow, Delay: 50 * time.Millisecond, Probability: 1})
				real := b.Market.AddSound(2)
				pages, listed := 0, time.Time{}
				f := b.Forge()
				f.Answer = func(operation, _ string) string {
					if operation != "List" {
						return ""
					}
					var nodes []string
					for i := 0; i < 100 && pages < 30; i++ {
						id := fmt.Sprintf("invented-%d-%d", pages, i)
						if pages == at && i < 2 {
							id = real[i]
						}
						nodes = append(
							nodes,
							fmt.Sprintf(`{"id":%q,"updatedAt":"2026-01-01T00:00:00Z","status":"syncing"}`, id),
						)
					}
					pages++
					listed = time.Now()
					b.Market.Spend(102)
					return fmt.Sprintf(
						`{"data":{"publications":{"nodes":[%s],"pageInfo":{"hasNextPage":%t,"endCursor":"c%d"}}},`+
							`"extensions":{"throttle":{"requestedCost":102,"actualCost":102,"limit":1000,"remaining":%d,"restoreRate":50}}}`,
						strings.Join(nodes, ","),
						pages < 30,
						pages,
						b.Market.Remaining(),
					)
				}
				_, stop := b.Start()
				defer stop()
				for _, id := range real {
					published(b, id, time.Hour)
				}
				f.Do(func() {
					if pages < at+1 {
						t.Errorf("they were in the shop after %d pages, want %d at least", pages, at+1)
					}
					if took := time.Since(listed); took > time.Minute {
						t.Errorf("they were in the shop after %s, want at most a minute", took)
					}
				})
				time.Sleep(time.Hour)
				if n, err := b.Store.Counts(t.Context()); err != nil || len(n) != 1 || n[store.StateLive] != 2 {
					t.Errorf("the store holds %v, %v, want 2 live", n, err)
				}
				reads := 0
				for _, r := range b.Market.Requests() {
					if r.Kind == sandbox.KindContent {
						reads++
					}
				}
				if reads > 3100 {
					t.Errorf("%d readings, want at most 3100", reads)
				}
			})
		})
	}
}
