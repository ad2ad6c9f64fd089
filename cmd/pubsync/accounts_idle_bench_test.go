//go:build linux

// What many accounts cost that have nothing to do.

package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

var (
	idleAccounts = flag.Int("idle.accounts", 1000, "how many accounts BenchmarkIdleAccounts has")
	idleSpan     = flag.Duration("idle.span", 5*time.Minute, "how long BenchmarkIdleAccounts looks at them")
)

// BenchmarkIdleAccounts has one process work on 1,000 accounts of 200 publications each, in one
// database, with the schedules that are the default. It waits until their first sweeps are done.
// Over the five minutes after that, in which each account sweeps once, it reports the transactions
// a second and the share of a core, at their end the mebibytes resident and the connections to the
// database, and then the transactions and the milliseconds of a scrape of the metrics.
//
// Wanted: resident-MiB of at most 512, connections of at most 17 (a pool of 16, and the one that
// listens), tx/s of at most 50.
func BenchmarkIdleAccounts(b *testing.B) {
	const publications, database = 200, "pubsync"
	server := postgrestest.Start(b, false)
	y := newYard(b, server.Create(b, database))
	market := sandbox.Start(sandbox.Options{Token: marketToken, Secret: hookSecret, RestoreRate: 100_000})
	b.Cleanup(market.Close)
	for i := range publications {
		market.Add(sandbox.Publication{Listing: lamp(i + 1)})
	}
	front := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asAccount(market, w, r) }),
	)
	b.Cleanup(front.Close)
	y.write(0, front.URL+"/"+yardAccount(0))
	once := exec.CommandContext(b.Context(), binary, "run", "--once", "--account", yardAccount(0))
	once.Env = y.env.environ()
	if out, err := once.CombinedOutput(); err != nil {
		b.Fatalf("run --once: %v\n%s", err, out)
	}
	for i := 1; i < *idleAccounts; i++ {
		y.write(i, front.URL+"/"+yardAccount(i))
	}
	server.Ask(b, database, multiply(*idleAccounts))
	figure := func(sql string) float64 { return number(b, server.Ask(b, database, sql)) }
	transactions := func() float64 {
		time.Sleep(2 * time.Second) // the server counts late
		return figure(`select xact_commit + xact_rollback from pg_stat_database where datname = 'pubsync'`)
	}
	for b.Loop() {
		pid := y.run().Pid
		y.waitFor("the first sweeps are done", func() bool {
			before := coreSeconds(b, pid)
			time.Sleep(5 * time.Second)
			return coreSeconds(b, pid)-before < 1 &&
				int(figure(`select count(*) from heartbeat where expires > now()`)) == *idleAccounts
		})
		time.Sleep(15 * time.Second)
		begun, tx, core := time.Now(), transactions(), coreSeconds(b, pid)
		time.Sleep(*idleSpan)
		span := time.Since(begun).Seconds()
		b.ReportMetric((transactions()-tx)/span, "tx/s")
		b.ReportMetric(100*(coreSeconds(b, pid)-core)/span, "core-%")
		b.ReportMetric(residentMiB(b, pid), "resident-MiB")
		b.ReportMetric(
			figure(`select count(*) from pg_stat_activity where application_name = 'pubsync'`), "connections")

		tx, begun = transactions(), time.Now()
		scrape(b, y.admins[len(y.admins)-1])
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "scrape-ms")
		b.ReportMetric(transactions()-tx, "scrape-tx")
		b.ReportMetric(0, "ns/op") // mostly waiting
		y.close()
	}
}

func scrape(b *testing.B, admin string) {
	b.Helper()
	res, err := http.Get(admin + "/metrics") //nolint:noctx // of a benchmark
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		b.Fatal(err)
	}
	_ = res.Body.Close()
}

// multiply is the SQL that gives n accounts what the first one holds.
func multiply(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `insert into account (name) select 'a' || lpad(i::text, 4, '0') from generate_series(1, %d) i;
		insert into lease (account) select number from account on conflict do nothing;
		insert into heartbeat (account) select number from account on conflict do nothing;`, n-1)
	for table, columns := range map[string]string{
		"record": "key, id, version, known, state, since, on_sale, product, listing, data, report, seq, refused",
		"mark":   "key, id, version, gen, class, at, hint, cause, data", "property": "name, since, key",
		"sku": "key, owner, sku", "cursor": "name, data", "fact": "name, data",
	} {
		fmt.Fprintf(&b, `insert into %s (account, %s) select others.number, %s from %s
			join account first on first.name = 'a0000' and first.number = t.account
			cross join (select number from account where name <> 'a0000') others;`,
			table, columns, "t."+strings.ReplaceAll(columns, ", ", ", t."), table+" t")
	}
	// Each account has an id of its own at the marketplace, which its first request tells.
	return b.String() + `delete from fact where name = 'account'; analyze;`
}

// asAccount answers as the marketplace does to the account that the path names: the accounts have
// one list, and ids of their own, by which the moments of their sweeps differ.
func asAccount(market *sandbox.Server, w http.ResponseWriter, r *http.Request) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	r.URL.Path = "/" + rest
	said := httptest.NewRecorder()
	market.Handler().ServeHTTP(said, r)
	w.Header().Set("Content-Type", said.Header().Get("Content-Type"))
	w.WriteHeader(said.Code)
	_, _ = w.Write(bytes.ReplaceAll(said.Body.Bytes(), []byte("sandbox-retailer"), []byte("retailer-"+name)))
}

func number(b *testing.B, text string) float64 {
	b.Helper()
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// coreSeconds is what a process has taken of the processors.
func coreSeconds(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	return (number(b, fields[11]) + number(b, fields[12])) / 100
}

func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, running := strings.Cut(string(data), "VmRSS:")
	if !running {
		b.Fatal("the process has ended")
	}
	return number(b, strings.Fields(rest)[0]) / 1024
}
