//go:build unix

// Each call of a shop is held against the history of the leases: a replica calls the shop of an
// account only while it has the account's lease.

package main_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A beat is one write of a lease: it was claimed, renewed or given up. Both times are the database's.
type beat struct {
	Admin string // the address of its owner's admin listener, "" where it was given up
	Fence int64
	At    time.Time
	Until time.Time // zero: it was given up
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
		values (new.name, new.owner, new.fence, clock_timestamp(), new.expires);
		return new;
	end $$;
	create trigger record after update on pubsync.account for each row execute function campaign.record();`

// readLeases is the history of each account's lease.
const readLeases = `
	select coalesce(json_object_agg(account, beats), '{}') from (
		select account, json_agg(json_build_object(
			'Admin', coalesce(nullif(owner, '')::json ->> 'admin', ''), 'Fence', fence,
			'At', at, 'Until', nullif(until, '-infinity')) order by n) beats
		from campaign.beat group by account) a`

// watchLeases makes the tables of a database, and has it record what becomes of each lease.
func watchLeases(t *testing.T, server *postgrestest.Server, address string) {
	t.Helper()
	d, err := postgres.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	server.Ask(t, "pubsync", recordLeases)
}

// leaseHistory reads what watchLeases recorded, by account.
func leaseHistory(t *testing.T, server *postgrestest.Server) (leases map[string][]beat) {
	t.Helper()
	if err := json.Unmarshal([]byte(server.Ask(t, "pubsync", readLeases)), &leases); err != nil {
		t.Fatal(err)
	}
	return leases
}

func (b beat) String() string {
	return fmt.Sprintf("%d of %s from %s to %s", b.Fence, b.Admin, clock(b.At), clock(b.Until))
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

// A book is all that a campaign recorded of calls and leases, by account.
type book struct {
	calls   map[string][]shopCall
	leases  map[string][]beat
	admins  map[string]string // the address of each replica's admin listener, by its name
	freezes []freeze
}

// check holds each call to the leases, and these to each other. It returns the faults, and how many
// calls were excused.
func (b book) check() (faults []string, excused int) {
	for account, beats := range b.leases {
		var last beat
		for _, next := range beats {
			if next.Fence < last.Fence || next.Fence > last.Fence && next.At.Before(last.Until) {
				faults = append(faults, fmt.Sprintf("%s: the lease %v follows %v", account, next, last))
			}
			last = next
		}
	}
	for account, calls := range b.calls {
		caught := map[freeze]int{}
		for _, c := range calls {
			if b.has(c.replica, account, c.at) {
				continue
			}
			i := slices.IndexFunc(b.freezes, func(f freeze) bool {
				return f.replica == c.replica && !c.at.Before(f.to) && !c.at.After(f.to.Add(caughtWithin)) &&
					b.has(c.replica, account, f.from)
			})
			if i >= 0 && caught[b.freezes[i]] < caughtAtMost {
				caught[b.freezes[i]]++
				excused++
				continue
			}
			faults = append(faults, fmt.Sprintf("%s %s of %s by %s at %s, when the lease was %v", c.method, c.path, account,
				b.admins[c.replica], clock(c.at), b.lease(account, c.at)))
		}
	}
	return faults, excused
}

// has reports whether a replica had the lease of an account at a time.
func (b book) has(replica, account string, at time.Time) bool {
	l := b.lease(account, at)
	return l.Admin == b.admins[replica] && !at.After(l.Until)
}

// lease is an account's lease as it was last written before a time.
func (b book) lease(account string, at time.Time) (last beat) {
	for _, l := range b.leases[account] {
		if l.At.After(at) {
			break
		}
		last = l
	}
	return last
}

// The book finds each call that no replica may make, and no other.
func TestReplicasHeldToTheirLeases(t *testing.T) {
	at := func(seconds float64) time.Time { return time.Unix(1_800_000_000, int64(seconds*1e9)) }
	// One has the account from 0 to 20 and is stopped from 15 to 40, two has it from 21 to 50.
	leases := []beat{
		{"admin-1", 1, at(0), at(10)},
		{"admin-1", 1, at(5), at(15)},
		{"admin-1", 1, at(10), at(20)},
		{"admin-2", 2, at(21), at(31)},
		{"admin-2", 2, at(30), at(60)},
		{"", 2, at(50), time.Time{}},
	}
	by := func(replica string, seconds ...float64) (all []shopCall) {
		for _, s := range seconds {
			all = append(all, shopCall{at: at(s), replica: replica})
		}
		return all
	}
	for _, tt := range []struct {
		name            string
		calls           []shopCall
		account         string // where not a
		more            []beat
		faults, excused int
	}{
		{name: "calls of the owners", calls: slices.Concat(by("one", 0, 9, 19.9), by("two", 21, 49.9))},
		{name: "a call after the lease's end", calls: by("one", 20.1), faults: 1},
		{name: "a call while another has the lease", calls: by("one", 25), faults: 1},
		{name: "a call before the lease's begin", calls: by("two", 20.5), faults: 1},
		{name: "a call after the lease was given up", calls: by("two", 50.1), faults: 1},
		{name: "a call of a replica that never had the lease", calls: by("three", 5), faults: 1},
		{name: "a call of nobody", calls: by("", 5), faults: 1},
		{name: "a call for another account", calls: by("one", 5), account: "b", faults: 1},
		{name: "a call that was caught before the socket", calls: by("one", 40.1), excused: 1},
		{name: "a call long after the replica went on", calls: by("one", 41.1), faults: 1},
		{name: "more calls than were under way", calls: by("one", 40.1, 40.1, 40.1, 40.1, 40.2), excused: 4, faults: 1},
		{name: "a call of another while one is stopped", calls: by("three", 40.1), faults: 1},
		{
			name: "two owners at a time", faults: 1,
			more: []beat{{"admin-2", 3, at(51), at(61)}, {"admin-1", 4, at(60), at(70)}},
		},
		{name: "a fencing number that falls", faults: 1, more: []beat{{"admin-1", 1, at(51), at(61)}}},
		{
			name: "a lease that is renewed after its end", calls: by("two", 55), faults: 1,
			more: []beat{{"admin-2", 3, at(51), at(53)}, {"admin-2", 3, at(57), at(67)}},
		},
	} {
		b := book{
			calls:   map[string][]shopCall{cmp.Or(tt.account, "a"): tt.calls},
			leases:  map[string][]beat{"a": slices.Concat(leases, tt.more)},
			admins:  map[string]string{"one": "admin-1", "two": "admin-2", "three": "admin-3"},
			freezes: []freeze{{"one", at(15), at(40)}},
		}
		if faults, excused := b.check(); len(faults) != tt.faults || excused != tt.excused {
			t.Errorf("%s: got %d excused and the faults %q, want %d and %d", tt.name, excused, faults, tt.excused, tt.faults)
		}
	}
}
