//go:build unix

// Each call of a shop is held against the history of the leases: a replica calls the shop of an
// account only while it has the account's lease.

package main_test

import (
	"fmt"
	"slices"
	"time"
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
			'Admin', coalesce(substring(owner from 'dashboard on ([^)]*)'), ''), 'Fence', fence,
			'At', at, 'Until', nullif(until, '-infinity')) order by n) beats
		from campaign.beat group by account) a`

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

// check holds each call to the leases. That these follow each other is a law of package postgres.
func (b book) check() (faults []string) {
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
				continue
			}
			faults = append(faults, fmt.Sprintf("%s %s of %s by %s at %s, when the lease was %v", c.method, c.path, account,
				b.admins[c.replica], c.at, b.lease(account, c.at)))
		}
	}
	return faults
}

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
