package sweep_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
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

// A burst of 2,000 changed variants keeps no new publication waiting, whether the change moves
// updatedAt of the publications or not. It costs no second reading, and what it changed is read in
// the end.
func TestABurstOfVariantsKeepsNoNewPublicationWaiting(t *testing.T) {
	for name, how := range map[string][]sandbox.Change{"quiet": {sandbox.KeepUpdatedAt, sandbox.NoWebhook}, "in both " +
		"lists": {sandbox.NoWebhook}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				b.Tune = func(o *connector.Options) { o.Variants = publication.VariantsAuto }
				ids := b.Market.AddSoundOf(3, 667)
				c, stop := b.Start()
				defer stop()
				for b.Shop.Count("create") < len(ids) {
					time.Sleep(time.Minute)
				}
				time.Sleep(10 * time.Minute)
				c.Sweep(false) // what was left to find out is
				time.Sleep(10 * time.Minute)
				b.Market.Forget()
				for i, id := range ids {
					p, _ := b.Market.Publication(id)
					for _, v := range p.Listing.Variants {
						if err := b.Market.SetStock(id, v.ID, 100+i, how...); err != nil {
							t.Fatal(err)
						}
					}
				}
				id := b.Market.AddSound(1)[0]
				asked := time.Now()
				c.Sweep(false)
				if took := published(b, id, time.Hour); took > 15*time.Second {
					t.Errorf("a new publication was in the shop after %s, want at most %v", took, 15*time.Second)
				}
				for swept, _ := harness.LastSweeps(t, c); b.Backlog(time.Now()).Due > 0 || swept.Completed.Before(asked); {
					time.Sleep(time.Second)
					swept, _ = harness.LastSweeps(t, c)
				}
				reads := 0
				for _, r := range b.Market.Requests() {
					reads += len(r.Content)
				}
				if reads > len(ids)+1+4 { // those under way when their page came
					t.Errorf("%d readings of %d publications, want at most %v", reads, len(ids)+1, len(ids)+1+4)
				}
				for i, id := range ids {
					if p, _ := b.Shop.Get(id); p.Variants[2].Quantity != 100+i {
						t.Fatalf("%s has the stock %d, want %d", id, p.Variants[2].Quantity, 100+i)
					}
				}
			})
		})
	}
}

// A list of product variants that never ends, each page of which is new, keeps no publication
// waiting for longer than a sweep, neither what is new while it is read nor what comes after it.
func TestAnEndlessListOfVariantsKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		f := b.Forge()
		forged := b.Tune
		b.Tune = func(o *connector.Options) {
			forged(o)
			o.Variants = publication.VariantsOn
		}
		b.Market.AddSound(3)
		c, stop := b.Start()
		defer stop()
		time.Sleep(10 * time.Minute)
		c.Sweep(false)
		time.Sleep(10 * time.Minute)
		invented := 0
		page := func(n int) string {
			b.Market.Spend(2 * n)
			nodes := make([]string, n)
			for i := range nodes {
				invented++
				nodes[i] = fmt.Sprintf(
					`{"id":"v%d","updatedAt":"2026-01-01T00:00:00Z","product":{"id":"invented-%d"}}`,
					invented,
					invented,
				)
			}
			return fmt.Sprintf(
				`"nodes":[%s],"pageInfo":{"hasNextPage":true,"endCursor":"c%d"}`,
				strings.Join(nodes, ","),
				invented,
			)
		}
		f.Do(func() {
			f.Answer = func(operation, _ string) string {
				if operation == "Variants" {
					return `{"data":{"productVariants":{` + page(100) + `}}}`
				}
				return ""
			}
			f.Change = func(operation, said string) string {
				if operation != "ListBoth" {
					return said
				}
				before, rest, _ := strings.Cut(said, `"productVariants":{`)
				_, rest, _ = strings.Cut(rest, `}}`)
				return before + `"productVariants":{` + page(20) + `}` + rest
			}
		})
		for range 2 {
			id := b.Market.AddSound(1)[0]
			c.Sweep(false)
			if took := published(b, id, time.Hour); took > 15*time.Second {
				t.Errorf("a new publication was in the shop after %s, want at most %v", took, 15*time.Second)
			}
		}
		time.Sleep(time.Hour)
		f.Do(func() {
			if invented < 5000 || invented > 20_000 {
				t.Errorf("%d variants were listed, want those of a hundred pages", invented)
			}
		})
	})
}

// A list of 3,000 entries that do not exist keeps the two that do waiting for no longer than it
// takes to list them, wherever they stand. Nothing is left of the others, and each of them costs a
// part of a light look.
func TestInventedEntriesKeepNobodyWaiting(t *testing.T) {
	for at, order := range map[int]string{0: "ID_DESC", 15: "UPDATED_AT_ASC", 29: "ID_DESC"} {
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
					if pages < at+1 || pages > at+25 && pages < 30 {
						t.Errorf("they were in the shop after %d pages, want %d to %d", pages, at+1, at+25)
					}
					if took := time.Since(listed); took > 15*time.Second {
						t.Errorf("they were in the shop after %s, want at most 15s", took)
					}
				})
				time.Sleep(time.Hour)
				if n := len(b.Counts()); n != 1 || b.Counts()[store.StateLive] != 2 {
					t.Errorf("the store holds %v, want 2 live", b.Counts())
				}
				reads := 0
				for _, r := range b.Market.Requests() {
					if r.Kind == sandbox.KindContent {
						reads++
					}
				}
				if reads > 100 {
					t.Errorf("%d readings, want at most 100", reads)
				}
			})
		})
	}
}

// An enumeration whose pages wait for points behind a backlog makes room for the sweep that finds a
// new publication, and is completed.
func TestAnEnumerationMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.RefreshAfter = 1000 * time.Hour }
		ids := b.Market.AddSoundOf(3, 300)
		c, stop := b.Start()
		defer stop()
		for b.Shop.Count("create") < len(ids) {
			time.Sleep(time.Minute)
		}
		time.Sleep(10 * time.Minute)
		for i, id := range ids {
			if err := b.Market.SetStock(id, "", 100+i, sandbox.NoWebhook); err != nil {
				t.Fatal(err)
			}
		}
		c.Sweep(false)
		time.Sleep(10 * time.Second)
		begun := time.Now()
		c.Sweep(true)
		time.Sleep(10 * time.Second)
		for range 2 {
			id := b.Market.AddSound(1)[0]
			c.Sweep(false)
			if took := published(b, id, time.Hour); took > 15*time.Second {
				t.Errorf("a new publication was in the shop after %s, want at most %v", took, 15*time.Second)
			}
		}
		if _, full := harness.LastSweeps(t, c); !full.Completed.Before(begun) {
			t.Fatal("the enumeration waited for nothing: this shows nothing, want it under way still")
		}
		time.Sleep(time.Hour)
		_, full := harness.LastSweeps(t, c)
		if full.Completed.Before(begun) {
			t.Errorf("the enumeration ended at %v, want after %v", full.Completed, begun)
		}
		if full.Error != "" {
			t.Errorf("the enumeration ended with %q, want no error", full.Error)
		}
		if full.Listed < len(ids) {
			t.Errorf("the enumeration listed %d, want at least %d", full.Listed, len(ids))
		}
	})
}
