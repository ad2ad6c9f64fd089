package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
)

const (
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
	waitEvery  = 250 * time.Millisecond // between two claims
	askTimeout = 2 * time.Second        // of one statement, so that a silently cut connection costs no lease
)

// trusted is how long a lease is trusted from the beginning of a renewal: it ends here before the database's does.
func (d *Database) trusted() time.Duration { return d.leaseTime * 7 / 10 }

const (
	insertAccounts = `
		insert into account (name) select distinct n from unnest($1::text[]) n
		where not exists (select from account where name = n) on conflict do nothing`
	claimLeases = `
		with free as (
			select name from account where name = any($1) and expires <= clock_timestamp()
			order by name limit $2 for update skip locked
		)
		update account a set fence = fence + 1, expires = clock_timestamp() + $3::interval, owner = $4
		from free where a.name = free.name returning a.name, a.fence`
	renewLeases = `
		update account a set expires = clock_timestamp() + $3::interval
		from unnest($1::text[], $2::bigint[]) as g(name, fence)
		where a.name = g.name and a.fence = g.fence and a.expires > '-infinity' returning a.name, a.fence`
	releaseLeases = `
		update account a set expires = '-infinity', owner = ''
		from unnest($1::text[], $2::bigint[]) as g(name, fence) where a.name = g.name and a.fence = g.fence`
	selectHolder = `select owner, expires > clock_timestamp() from account where name = $1`
)

// ask runs a statement about leases, again if the connection fails: a claimed lease whose answer was lost expires.
func ask[T any](ctx context.Context, d *Database, sql string, args ...any) (all []T, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	err = again(ctx, func() error {
		rows, _ := d.leases.Query(ctx, sql, args...) //nolint:errcheck // the rows have it
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	})
	return all, err
}

type count struct {
	Name string
	N    int64
}

// Claim takes free leases of the accounts, at most so many. HolderOf then returns owner.
func (d *Database) Claim(
	ctx context.Context, owner string, most int, accounts ...string,
) (all []*store.Lease, err error) {
	if _, err := ask[count](ctx, d, insertAccounts, accounts); err != nil {
		return nil, err
	}
	begun := time.Now()
	claimed, err := ask[count](ctx, d, claimLeases, accounts, most, d.leaseTime, owner)
	for _, c := range claimed {
		all = append(all, store.NewLease(c.Name, c.N, begun, d.trusted()))
	}
	return all, err
}

// Renew prolongs leases in one round trip, and ends those that were released or taken by another process.
func (d *Database) Renew(ctx context.Context, leases ...*store.Lease) error {
	if len(leases) == 0 {
		return nil
	}
	names, fences := columnsOf(leases)
	begun := time.Now()
	renewed, err := ask[count](ctx, d, renewLeases, names, fences, d.leaseTime)
	if err != nil {
		return err
	}
	for _, l := range leases {
		if slices.Contains(renewed, count{l.Account, l.Fence}) {
			l.Renewed(begun, d.trusted())
		} else {
			l.End()
		}
	}
	return nil
}

// Release ends leases, so that others can take them at once.
func (d *Database) Release(ctx context.Context, leases ...*store.Lease) error {
	for _, l := range leases {
		l.End()
	}
	names, fences := columnsOf(leases)
	_, err := ask[count](ctx, d, releaseLeases, names, fences)
	return err
}

func columnsOf(leases []*store.Lease) (names []string, fences []int64) {
	for _, l := range leases {
		names, fences = append(names, l.Account), append(fences, l.Fence)
	}
	return names, fences
}

// A Holder says who took the lease of an account, and whether it has not expired.
type Holder struct {
	Owner string
	Held  bool
}

// HolderOf returns the holder of an account's lease, nil of an unknown account.
func HolderOf(ctx context.Context, address, account string) (*Holder, error) {
	d, made, err := look(ctx, address)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if !made {
		return nil, nil //nolint:nilnil // there are no accounts
	}
	found, err := ask[Holder](ctx, d, selectHolder, account)
	if len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Open opens the store of an account for the worker, or makes it. It takes the lease as owner, and renews it until
// Close. It waits until a lease that is not renewed expires, and returns store.ErrLocked for a renewed one.
func Open(ctx context.Context, address, account, owner string) (store.Store, error) {
	d, err := Connect(ctx, address)
	if err != nil {
		return store.Store{}, err
	}
	lease, err := d.wait(ctx, account, owner)
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	keeping, end := context.WithCancel(context.Background())
	var keeper sync.WaitGroup
	keeper.Go(func() {
		for keeping.Err() == nil {
			_ = d.Renew(keeping, lease) //nolint:errcheck // what is not renewed in time is lost
			select {
			case <-time.After(renewEvery):
			case <-keeping.Done():
			}
		}
	})
	return writable(&kv{Database: d, Lease: lease, name: account, close: func() error {
		end()
		keeper.Wait()
		defer d.Close()
		return d.Release(context.Background(), lease)
	}}), nil
}

func (d *Database) wait(ctx context.Context, account, owner string) (*store.Lease, error) {
	for end := time.Now().Add(leaseTime + renewEvery); ctx.Err() == nil; time.Sleep(waitEvery) {
		leases, err := d.Claim(ctx, owner, 1, account)
		if err != nil {
			return nil, err
		}
		if len(leases) > 0 {
			return leases[0], nil
		}
		if time.Now().After(end) {
			return nil, store.ErrLocked
		}
	}
	return nil, ctx.Err()
}
