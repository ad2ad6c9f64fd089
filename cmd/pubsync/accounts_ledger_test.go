//go:build unix

// Each call of a shop is held against the history of the leases: a replica calls the shop of an
// account only while it has the account's lease.

package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A ring is one call that a shop received.
type ring struct {
	at       time.Time // when it came
	account  string
	replica  string
	what, id string
}

// A switchboard stands before the shops. Each replica has an address of its own for each shop, so
// that the shop's ledger says who called.
type switchboard struct {
	mu    sync.Mutex
	rings []ring
}

// front is a shop's address, below which each replica has a path of its own.
func (b *switchboard) front(t *testing.T, account string, shop http.Handler) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		replica, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		inner := http.StripPrefix("/"+replica, shop)
		b.mu.Lock()
		b.rings = append(b.rings, ring{
			at: at, account: account, replica: replica, what: r.Method,
			id: strings.TrimPrefix(r.URL.Path, "/"+replica),
		})
		b.mu.Unlock()
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func (b *switchboard) all() []ring {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rings)
}

// A beat is one write of a lease: it was claimed, renewed or given up. Both times are the database's.
type beat struct {
	account string
	admin   string // the address of its owner's admin listener, "" where it was given up
	fence   int64
	at      time.Time
	until   time.Time // zero: it was given up
}

// recordLeases has the database record what becomes of each lease.
const recordLeases = `
	create schema campaign;
	create table campaign.beat (
		n bigint generated always as identity primary key,
		account text not null, owner text not null, fence bigint not null,
		at timestamptz not null, until timestamptz not null
	);
	create function campaign.record() returns trigger language plpgsql as $$
	begin
		insert into campaign.beat (account, owner, fence, at, until)
		select name, new.owner, new.fence, clock_timestamp(), new.expires from pubsync.account where number = new.account;
		return new;
	end $$;
	create trigger record after update on pubsync.heartbeat for each row execute function campaign.record();`

// readLeases is the history of all leases, in order.
const readLeases = `
	select account, case when owner = '' then '{}' else owner end, fence, extract(epoch from at)::text,
		case when until = '-infinity' then '' else extract(epoch from until)::text end
	from campaign.beat order by n`

// watchLeases makes the tables of a database, and has it record what becomes of each lease.
func watchLeases(t *testing.T, address string) {
	t.Helper()
	d, err := postgres.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	runSQL(t, address, recordLeases)
}

// leaseHistory reads what watchLeases recorded.
func leaseHistory(t *testing.T, address string) (all []beat) {
	t.Helper()
	for line := range strings.Lines(runSQL(t, address, readLeases)) {
		column := strings.Split(strings.TrimSpace(line), "|")
		if len(column) != 5 {
			t.Fatalf("the history of leases has the line %q", line)
		}
		var owner struct{ Admin string }
		if err := json.Unmarshal([]byte(column[1]), &owner); err != nil {
			t.Fatalf("the owner of a lease is %q: %v", column[1], err)
		}
		fence, err := strconv.ParseInt(column[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, beat{
			account: column[0], admin: owner.Admin, fence: fence, at: databaseTime(t, column[3]),
			until: databaseTime(t, column[4]),
		})
	}
	return all
}

// databaseTime reads seconds since 1970, "" as the zero time.
func databaseTime(t *testing.T, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	whole, parts, _ := strings.Cut(s, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	micros, err := strconv.ParseInt((parts + "000000")[:6], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(seconds, 1000*micros)
}

// runSQL runs statements, and returns what they print.
func runSQL(t *testing.T, address, sql string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	psql := exec.CommandContext(ctx, filepath.Join(postgrestest.Installed(), "psql"), "-XAtq", "-F|", "-v",
		"ON_ERROR_STOP=1", "-c", sql, address)
	out, err := psql.Output()
	if err != nil {
		said := []byte(nil)
		if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it as it is
			said = e.Stderr
		}
		t.Fatalf("psql: %v: %s", err, said)
	}
	return string(out)
}

// A term is a time for which a replica had the lease of an account without a break.
type term struct {
	account, admin string
	fence          int64
	from, until    time.Time
}

// termsOf is the terms of a history. It complains of two owners at a time.
func termsOf(history []beat) (terms []term, faults []string) {
	last := map[string]int{} // the index of an account's last term
	for _, b := range history {
		i, met := last[b.account]
		switch {
		case !met:
		case b.until.IsZero(): // given up
			if terms[i].fence == b.fence && b.at.Before(terms[i].until) {
				terms[i].until = b.at
			}
			continue
		case b.fence == terms[i].fence && !b.at.After(terms[i].until): // renewed
			terms[i].until = b.until
			continue
		case b.fence < terms[i].fence:
			faults = append(faults, fmt.Sprintf("%s: the fencing number goes from %d to %d", b.account, terms[i].fence,
				b.fence))
		case b.fence != terms[i].fence && b.at.Before(terms[i].until):
			faults = append(
				faults,
				fmt.Sprintf("%s: %s has the lease at %s, and %s has it until %s", b.account, b.admin,
					clock(b.at), terms[i].admin, clock(terms[i].until)),
			)
		}
		if b.until.IsZero() {
			continue
		}
		last[b.account] = len(terms)
		terms = append(terms, term{b.account, b.admin, b.fence, b.at, b.until})
	}
	return terms, faults
}

func clock(at time.Time) string { return at.UTC().Format("15:04:05.000") }

// A freeze is the time for which a replica was stopped by SIGSTOP.
type freeze struct {
	replica  string
	from, to time.Time
}

// A call of a shop that was begun after the lease was lost is excused where its replica was stopped
// between its check of the lease and the socket. Such a call comes as soon as the replica goes on,
// and there is at most one for each slot of the account. The new owner corrects what it wrote.
const (
	caughtWithin = time.Second
	caughtAtMost = 4 // PUBSYNC_SHOP_CONCURRENCY
)

// A book is all that a campaign recorded of calls and leases.
type book struct {
	rings   []ring
	history []beat
	admins  map[string]string // the address of each replica's admin listener, by its name
	freezes []freeze
}

// check holds each call to the leases. It returns the faults, and how many calls were excused.
func (b book) check() (faults []string, excused int) {
	terms, faults := termsOf(b.history)
	caught := map[string]int{}
	for _, c := range b.rings {
		admin := b.admins[c.replica]
		ours := slices.Clone(terms)
		ours = slices.DeleteFunc(ours, func(t term) bool { return t.account != c.account || t.admin != admin })
		if slices.ContainsFunc(ours, func(t term) bool { return !c.at.Before(t.from) && !c.at.After(t.until) }) {
			continue
		}
		if f, ok := b.caught(c, ours); ok {
			key := fmt.Sprint(f.replica, f.from, c.account)
			if caught[key]++; caught[key] <= caughtAtMost {
				excused++
				continue
			}
		}
		faults = append(faults, fmt.Sprintf("%s %s of %s by %s at %s, which had the lease %s", c.what, c.id, c.account,
			cmp.Or(c.replica, "nobody"), clock(c.at), times(ours)))
	}
	return faults, excused
}

// caught finds the freeze that excuses a call.
func (b book) caught(c ring, ours []term) (freeze, bool) {
	for _, f := range b.freezes {
		if f.replica != c.replica || c.at.Before(f.to) || c.at.After(f.to.Add(caughtWithin)) {
			continue
		}
		if slices.ContainsFunc(ours, func(t term) bool { return t.from.Before(f.from) && f.from.Before(t.until) }) {
			return f, true
		}
	}
	return freeze{}, false
}

// times is when a replica had a lease, for a person.
func times(terms []term) string {
	if len(terms) == 0 {
		return "never"
	}
	var all []string
	for _, t := range terms {
		all = append(all, fmt.Sprintf("%s to %s (number %d)", clock(t.from), clock(t.until), t.fence))
	}
	return strings.Join(all, ", ")
}

// The ledger finds each call that nobody may make, and no other.
func TestTheLedgerOfReplicas(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	// One has the account from 0 to 20 and is stopped from 15 to 40, two has it from 21 to 50.
	history := []beat{
		{"a", "admin-1", 1, at(0), at(10)},
		{"a", "admin-1", 1, at(5), at(15)},
		{"a", "admin-1", 1, at(10), at(20)},
		{"a", "admin-2", 2, at(21), at(31)},
		{"a", "admin-2", 2, at(30), at(60)},
		{"a", "", 2, at(50), time.Time{}},
	}
	by := func(replica string, seconds ...float64) (all []ring) {
		for _, s := range seconds {
			all = append(all, ring{at(s), "a", replica, http.MethodPut, "/products/p"})
		}
		return all
	}
	for _, tt := range []struct {
		name    string
		rings   []ring
		more    []beat
		faults  int
		excused int
	}{
		{name: "calls of the owners", rings: slices.Concat(by("one", 0, 9, 19.9), by("two", 21, 49.9))},
		{name: "a call after the lease's end", rings: by("one", 20.1), faults: 1},
		{name: "a call while another has the lease", rings: by("one", 25), faults: 1},
		{name: "a call before the lease's begin", rings: by("two", 20.5), faults: 1},
		{name: "a call after the lease was given up", rings: by("two", 50.1), faults: 1},
		{name: "a call of a replica that never had the lease", rings: by("three", 5), faults: 1},
		{name: "a call of nobody", rings: by("", 5), faults: 1},
		{
			name: "a call for another account", faults: 1,
			rings: []ring{{at(5), "b", "one", http.MethodPut, "/products/p"}},
		},
		{name: "a call that was caught before the socket", rings: by("one", 40.1), excused: 1},
		{name: "a call long after the replica went on", rings: by("one", 41.1), faults: 1},
		{
			name: "more calls than were under way", rings: by("one", 40.1, 40.1, 40.1, 40.1, 40.2), excused: 4, faults: 1,
		},
		{name: "a call of another while one is stopped", rings: by("three", 40.1), faults: 1},
		{
			name: "two owners at a time", faults: 1,
			more: []beat{{"a", "admin-2", 3, at(51), at(61)}, {"a", "admin-1", 4, at(60), at(70)}},
		},
		{
			name: "a fencing number that falls", faults: 1,
			more: []beat{{"a", "admin-1", 1, at(51), at(61)}},
		},
		{
			name: "a lease that is renewed after its end", rings: by("two", 55), faults: 1,
			more: []beat{{"a", "admin-2", 3, at(51), at(53)}, {"a", "admin-2", 3, at(57), at(67)}},
		},
	} {
		b := book{
			rings: tt.rings, history: slices.Concat(history, tt.more),
			admins:  map[string]string{"one": "admin-1", "two": "admin-2", "three": "admin-3"},
			freezes: []freeze{{"one", at(15), at(40)}},
		}
		faults, excused := b.check()
		if len(faults) != tt.faults {
			t.Errorf("%s: got the faults %q, want %d", tt.name, faults, tt.faults)
		}
		if excused != tt.excused {
			t.Errorf("%s: %d calls are excused, want %d", tt.name, excused, tt.excused)
		}
	}
}
