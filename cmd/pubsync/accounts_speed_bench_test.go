//go:build linux

// How fast many accounts are worked on, with files and in PostgreSQL, by one process and by
// several.

package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// BenchmarkAccounts imports lists of 200 publications into 16 accounts at once, with points to
// spare and a shop that takes no time: with a file for each account, and in PostgreSQL by so many
// replicas. It reports publications/s from the first product that is written to the last report,
// and x-bolt, how many times as many that are as with files in the same run. Marketplaces, shop and
// database run on the same machine.
func BenchmarkAccounts(b *testing.B) {
	const accounts, n = 16, 200
	server := postgrestest.Start(b, true)
	var files float64
	for _, replicas := range []int{0, 1, 2, 4} {
		name := "files"
		if replicas > 0 {
			name = fmt.Sprint("replicas=", replicas)
		}
		b.Run(name, func(b *testing.B) {
			var took time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				y := newYard(b, accounts)
				if replicas > 0 {
					y.env = y.env.with(
						"STORE_PATH",
						"",
						"STORE_URL",
						server.Create(b, fmt.Sprintf("r%d_%d", replicas, i)),
					)
				}
				for range max(replicas, 1) {
					y.run("SWEEP_SCHEDULE", "@every 2s", "SHOP_CONCURRENCY", "4")
				}
				y.waitFor(
					"all accounts are worked on",
					y.spread(server, max(replicas, 1), fmt.Sprintf("r%d_%d", replicas, i)),
				)
				b.StartTimer()
				for _, m := range y.markets {
					for i := range n {
						m.Add(sandbox.Publication{Listing: lamp(i + 1)})
					}
				}
				y.waitFor("all is reported", func() bool {
					return !slices.ContainsFunc(y.markets, func(m *sandbox.Server) bool { return len(m.Reports()) < n })
				})
				b.StopTimer()
				took += time.Since(y.shop.first())
				y.close()
				b.StartTimer()
			}
			rate := accounts * n * float64(b.N) / took.Seconds()
			if replicas == 0 {
				files = rate
			}
			b.ReportMetric(rate, "publications/s")
			if files > 0 {
				b.ReportMetric(rate/files, "x-bolt")
			}
			b.ReportMetric(0, "ns/op") // of processes that start, too
		})
	}
}

// BenchmarkFailover has two replicas share 40 accounts, and reports the seconds until the other one
// has all of them: after a kill of one, and after a stop.
//
// Wanted: killed-s of at most 15.
func BenchmarkFailover(b *testing.B) {
	const accounts = 40
	server := postgrestest.Start(b, true)
	y := newYard(b, accounts)
	y.env = y.env.with("STORE_PATH", "", "STORE_URL", server.Create(b, "pubsync"))
	y.run()
	for b.Loop() {
		for unit, signal := range map[string]syscall.Signal{"killed-s": syscall.SIGKILL, "stopped-s": syscall.SIGTERM} {
			second := y.run()
			y.waitFor("two share", y.spread(server, 2, "pubsync"))
			begun := time.Now()
			if err := second.Signal(signal); err != nil {
				b.Fatal(err)
			}
			y.waitFor("one has all", y.spread(server, 1, "pubsync"))
			b.ReportMetric(time.Since(begun).Seconds(), unit)
		}
	}
	b.ReportMetric(0, "ns/op") // mostly waiting
}

// BenchmarkAcknowledgeInPostgreSQL has 64 senders post signed webhooks for 16 accounts to one
// process, which makes each durable in PostgreSQL before it answers: with one replica each account
// is its own, with two every other one is the other's. The shop is away, so that no look is made
// meanwhile. It reports how many are acknowledged a second, and how long one in a hundred waits at
// least.
func BenchmarkAcknowledgeInPostgreSQL(b *testing.B) {
	const accounts, senders, share = 16, 64, 200
	server := postgrestest.Start(b, true)
	for _, replicas := range []int{1, 2} {
		b.Run(fmt.Sprint("replicas=", replicas), func(b *testing.B) {
			database := fmt.Sprint("acks", replicas)
			y := newYard(b, accounts)
			y.shop.away.Store(true)
			y.env = y.env.with("STORE_PATH", "", "STORE_URL", server.Create(b, database))
			for range replicas {
				y.run()
			}
			y.waitFor("all accounts are worked on", y.spread(server, replicas, database))
			transport := &http.Transport{MaxIdleConnsPerHost: senders}
			client := &http.Client{Transport: transport}
			took := make([][]time.Duration, senders)
			for b.Loop() {
				var sending sync.WaitGroup
				for i := range senders {
					sending.Go(func() {
						for j := range share {
							start := time.Now()
							if err := wasAcknowledged(client, y.hooks[0], i%accounts, i*share+j); err != nil {
								b.Error(err)
								return
							}
							took[i] = append(took[i], time.Since(start))
						}
					})
				}
				sending.Wait()
			}
			all := slices.Sorted(slices.Values(slices.Concat(took...)))
			b.ReportMetric(float64(len(all))/b.Elapsed().Seconds(), "acks/s")
			b.ReportMetric(all[len(all)*99/100].Seconds()*1e3, "p99-ms")
			transport.CloseIdleConnections()
			y.close()
		})
	}
}

// wasAcknowledged sends a signed webhook for the i-th publication of an account.
func wasAcknowledged(client *http.Client, hooks string, account, i int) error {
	body := fmt.Sprintf(`{"data":{"publication":{"id":"p%08d"}}}`, i)
	r, err := http.NewRequest(
		http.MethodPost,
		hooks+"/"+yardAccount(account)+"/webhooks", //nolint:noctx // of a benchmark
		bytes.NewReader([]byte(body)),
	)
	if err != nil {
		return err
	}
	r.Header.Set("X-Service-Event", "PUBLICATION_CREATED")
	r.Header.Set("X-Service-Signature", signature(body))
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("answer: %s, want 204", res.Status)
	}
	return errors.Join(err, res.Body.Close())
}

// spread is whether so many processes have all accounts between them, evenly. Of files there is one
// process, which has them once each has asked its marketplace.
func (y *yard) spread(server *postgrestest.Server, processes int, database string) func() bool {
	if y.env["PUBSYNC_STORE_URL"] == "" {
		return func() bool {
			return !slices.ContainsFunc(y.markets, func(m *sandbox.Server) bool { return len(m.Requests()) == 0 })
		}
	}
	want := fmt.Sprint(len(y.markets)/processes, ",", processes)
	return func() bool {
		if strings.TrimSpace(server.Ask(y.b, database, `select to_regclass('pubsync.replica')`)) == "" {
			return false // the first process has yet to make the tables
		}
		return strings.TrimSpace(server.Ask(y.b, database, `select min(n) || ',' || count(*) from (
			select count(*) n from heartbeat where expires > now() group by owner) o having sum(n) = `+
			fmt.Sprint(len(y.markets)))) == want
	}
}
