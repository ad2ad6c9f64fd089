//go:build unix

package postgres

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// plans are the plans of the statements that a store has run, by their text, as auto_explain tells
// them.
type plans struct {
	mu   sync.Mutex
	told map[string]string
}

func (p *plans) notice(_ *pgconn.PgConn, n *pgconn.Notice) {
	_, text, found := strings.Cut(n.Message, "Query Text:")
	if !found {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[text] = text
}

// take is the plans since the last call.
func (p *plans) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := slices.Collect(maps.Values(p.told))
	clear(p.told)
	return told
}

var (
	scans = regexp.MustCompile(`Seq Scan on (\w+)`)
	read  = regexp.MustCompile(`actual rows=(\d+) loops=(\d+)`)
	lost  = regexp.MustCompile(`Rows Removed by (?:Filter|Join Filter|Index Recheck): (\d+)`)
)

// mostRead bounds the rows that a step of a plan meets, but for what counts or lists all.
const mostRead = 2000

// Every statement of every method reads by an index, and no more rows than it asks for: with
// 200,000 records of ten accounts, and on tables that have just been made, whose plans a connection
// keeps.
func TestEveryPlanUsesAnIndex(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, false)
	address := server.Create(t, "plans")
	p := &plans{told: map[string]string{}}
	s := explained(t, address, p)
	exercise(t, s, p, false)
	fill(t, s, records/accounts)
	for _, sql := range []string{
		"set statement_timeout = 0", multiply("record"), multiply("mark"), multiply("property"), multiply("seen"),
		multiply("removed"), multiply("sku"), multiply("fact"), multiply("cursor"), "analyze",
	} {
		if err := s.db.with(t.Context(), func(c *connection) error { return c.run(t.Context(), sql) }); err != nil {
			t.Fatal(err)
		}
	}
	exercise(t, s, p, true)
}

// The test's records, and their accounts.
const records, accounts = 200_000, 10

// multiply copies the rows of one account to the others.
func multiply(table string) string {
	return fmt.Sprintf(`
		do $$ declare columns text; begin
			select string_agg(quote_ident(column_name), ', ') into columns from information_schema.columns
			where table_schema = 'pubsync' and table_name = '%[1]s' and column_name <> 'account';
			execute format('insert into %[1]s (account, %%1$s)
				select t.n, %%1$s from %[1]s, generate_series(101, %[2]d) as t(n)', columns);
		end $$`, table, 100+accounts-1)
}

// explained is a store whose statements tell their plans.
func explained(t *testing.T, address string, p *plans) *Store {
	t.Helper()
	d, err := Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	d, err = connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	d.config.OnNotice = p.notice
	d.config.RuntimeParams["session_preload_libraries"] = "auto_explain"
	d.config.RuntimeParams["client_min_messages"] = "log"
	for name, value := range map[string]string{"log_min_duration": "0", "log_analyze": "on", "log_timing": "off"} {
		d.config.RuntimeParams["auto_explain."+name] = value
	}
	d.SetLeaseTime(time.Hour)
	if err := d.AddAccounts(t.Context(), "plans", "another"); err != nil {
		t.Fatal(err)
	}
	leases, err := d.Claim(t.Context(), "a test", 1, "plans")
	if err != nil || len(leases) != 1 {
		t.Fatalf("got %d leases, %v", len(leases), err)
	}
	return d.storeOf(leases[0])
}

func planID(i int) string { return fmt.Sprintf("p%08d", i*7919%1_000_003) }

// fill puts n publications into a store: on sale, some of them held, owed or due.
func fill(t *testing.T, s *Store, n int) {
	t.Helper()
	const page = 2000
	for first := 0; first < n; first += page {
		var changes []store.Change
		for i := first; i < first+page; i++ {
			changes = append(changes, store.Change{ID: planID(i), Unknown: true, Apply: func(
				_ bool, _ *store.Report, w *store.Settlement,
			) bool {
				r := &w.Record
				r.State, r.OnSale, r.ListedAt = store.StateLive, true, store.Instant(i+1)
				r.Variants = []store.Variant{{ID: "v", SKU: "sku" + planID(i)}}
				r.Product, r.Listing, r.Title = "product"+planID(i), "listing"+planID(i), "A lamp"
				if i%100 == 0 {
					r.State, r.Holds = store.StateHeld, []store.Hold{
						{Kind: store.HoldPrice, Since: store.Instant(i + 1)},
					}
				}
				if i%50 == 0 {
					w.Report = &store.Report{Status: store.StatusSuccess, Refusals: i / 50 % 10 / 9}
				}
				class := store.ClassRefresh
				if i%20 == 0 {
					class = store.ClassSweep
				}
				w.Next = &store.Mark{Class: class, At: store.Instant(i + 1), Cause: store.CauseRefresh}
				if i%1000 == 0 {
					w.Removed, r.Removal.At = true, store.Instant(i+1)
				}
				return true
			}})
		}
		p := store.Page{Name: "full", Seen: first < n-page, Changes: changes}
		if err := s.PutPage(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

// exercise calls every method and looks at its plans.
func exercise(t *testing.T, s *Store, p *plans, filled bool) {
	t.Helper()
	ctx := context.Background()
	id := planID(50)
	mark := store.Mark{ID: id, Class: store.ClassHook, At: 1, Cause: store.CauseSigned}
	rule := func(_ bool, _ *store.Report, w *store.Settlement) bool {
		w.Record.State = store.StateBlocked
		w.Report = &store.Report{Status: store.StatusFailed}
		return true
	}
	attempt := store.Attempt{
		ID: id, Order: []string{"v"}, Keys: []string{"sku"},
		Choose: func(map[string]store.Owner) map[string]string { return map[string]string{"v": "sku"} },
	}
	due := store.DueQuery{Classes: store.AllClasses, To: store.Latest, Limit: 16, Skip: []string{id}}
	behind := due
	behind.Behind = &store.Mark{ID: id, Class: store.ClassSweep, At: 100}
	reasons := due
	reasons.Causes, reasons.Among = store.CauseSeen, 64
	pending := store.Query{Key: store.KeyState(store.StateHeld), From: 3, To: 1 << 40}
	counts := map[string]bool{
		"Counts": true, "Backlog": true, "EndListing": true, "Unseen": true, "Check": true,
	}
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"Mark", func() error { return s.Mark(ctx, mark) }},
		{"Mark again", func() error { return s.Mark(ctx, mark) }},
		{"Accept", func() error { return s.db.Accept(ctx, "plans", mark) }},
		{"Waiting", func() error { _, err := s.db.waiting(ctx); return err }},
		{"Reschedule", func() error {
			e, err := s.Get(ctx, id)
			if err != nil || e.Mark == nil {
				return err
			}
			return s.Reschedule(ctx, store.Rescheduling{ID: id, Gen: e.Mark.Gen, At: 9})
		}},
		{"BringForward", func() error {
			_, err := s.BringForward(ctx, 1, store.Mark{ID: id, Class: store.ClassHook})
			return err
		}},
		{"Begin", func() error { _, err := s.Begin(ctx, attempt); return err }},
		{"Settle", func() error {
			e, err := s.Get(ctx, id)
			if err == nil && e.Mark != nil {
				_, err = s.Settle(ctx, store.Settlement{Record: e.Record, Gen: e.Mark.Gen})
			}
			return err
		}},
		{"Change", func() error { _, err := s.Change(ctx, store.Change{ID: id, Unknown: true, Apply: rule}); return err }},
		{"Forget", func() error {
			_, err := s.Settle(ctx, store.Settlement{Record: store.Record{ID: id}, Forget: true})
			return err
		}},
		{"PutPage", func() error {
			ids := []string{id, planID(51)}
			return s.PutPage(ctx, store.Page{Name: "list", Seen: true, Changes: store.Each(ids, func(
				_ int, known bool, owed *store.Report, w *store.Settlement,
			) bool {
				return rule(known, owed, w)
			})})
		}},
		{"SetMeta", func() error { return s.SetMeta(ctx, "fact", "said") }},
		{"ClaimAccount", func() error { return store.ClaimAccount(ctx, s, "mine") }},
		{"Meta", func() error { _, err := s.Meta(ctx, "fact"); return err }},
		{"CursorOf", func() error { _, _, err := s.CursorOf(ctx, "list"); return err }},
		{"Get", func() error { _, err := s.Get(ctx, id); return err }},
		{"Due", func() error { _, _, err := s.Due(ctx, due); return err }},
		{"Due behind", func() error { _, _, err := s.Due(ctx, behind); return err }},
		{"Due for reasons", func() error { _, _, err := s.Due(ctx, reasons); return err }},
		{"List", func() error { _, _, err := s.List(ctx, store.Query{After: planID(70)}); return err }},
		{"Unseen", func() error { _, _, err := s.List(ctx, store.Query{Unseen: true, Limit: 10}); return err }},
		{"List a state", func() error { _, _, err := s.List(ctx, pending); return err }},
		{"List a hold", func() error {
			_, _, err := s.List(ctx, store.Query{Key: store.KeyHold(store.HoldPrice), Limit: 10})
			return err
		}},
		{"Outbox", func() error { _, _, err := s.Outbox(ctx, store.ReportQuery{}); return err }},
		{"Outbox fresh", func() error { _, _, err := s.Outbox(ctx, store.ReportQuery{Only: store.OwedFresh}); return err }},
		{"Outbox refused", func() error {
			_, _, err := s.Outbox(ctx, store.ReportQuery{Only: store.OwedRefused})
			return err
		}},
		{"Resolve", func() error {
			_, err := s.Resolve(ctx, []string{id}, []string{"product" + id}, []string{"listing" + id})
			return err
		}},
		{"Holders", func() error { _, err := s.Holders(ctx, "sku"); return err }},
		{"Counts", func() error { _, err := s.Counts(ctx); return err }},
		{"Backlog", func() error { _, err := s.Backlog(ctx, 1000); return err }},
		{"EndListing", func() error { return s.EndListing(ctx, store.End{Name: "list", Seen: true, Done: 5}) }},
		{"Claim", func() error { _, err := s.db.Claim(ctx, "a test", 1, "another"); return err }},
		{"Renew", func() error { return s.db.Renew(ctx, s.lease) }},
		{"Join", func() error { _, err := s.db.Join(ctx, "a test"); return err }},
		{"Hint", func() error { return s.db.Hint(ctx, "plans") }},
		{"Leave", func() error { return s.db.Leave(ctx, "a test") }},
		{"HolderOf", func() error { _, err := s.db.HolderOf(ctx, "plans"); return err }},
	} {
		p.take()
		if err := call.do(); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
		told := p.take()
		if len(told) == 0 {
			t.Errorf("%s: no plan was told", call.name)
		}
		for _, plan := range told {
			judge(t, call.name, plan, filled && !counts[call.name])
		}
	}
}

// small are tables with a row for each account: few enough to read all of them.
var small = []string{"account", "lease", "heartbeat", "replica", "migration"}

// judge looks at one plan.
func judge(t *testing.T, method, plan string, bounded bool) {
	t.Helper()
	for _, scan := range scans.FindAllStringSubmatch(plan, -1) {
		if !slices.Contains(small, scan[1]) {
			t.Errorf("%s reads all of the table %s:\n%s", method, scan[1], plan)
		}
	}
	if !bounded {
		return
	}
	for _, step := range read.FindAllStringSubmatch(plan, -1) {
		rows, _ := strconv.Atoi(step[1])
		loops, _ := strconv.Atoi(step[2])
		if rows*loops > mostRead {
			t.Errorf("%s meets %d rows:\n%s", method, rows*loops, plan)
		}
	}
	for _, step := range lost.FindAllStringSubmatch(plan, -1) {
		if n, _ := strconv.Atoi(step[1]); n > mostRead {
			t.Errorf("%s reads %d rows that it has no use for:\n%s", method, n, plan)
		}
	}
}
