package postgres

import (
	"context"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
)

// The times of a lease.
const (
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
	waitEvery  = 250 * time.Millisecond // between two looks at a lease that is waited for
	askTimeout = 2 * time.Second        // of one statement: a connection that was cut without a word costs no lease
)

// trusted is how long a lease is trusted from the beginning of its renewal: the margin lies between
// the moment at which a replica stops to work on an account by its own clock, and the end of the
// lease by the database's.
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
		where a.name = g.name and a.fence = g.fence and a.expires > '-infinity' returning a.name`

	releaseLeases = `
		update account a set expires = '-infinity', owner = ''
		from unnest($1::text[], $2::bigint[]) as g(name, fence) where a.name = g.name and a.fence = g.fence`

	announceLease = `update account set owner = $3 where name = $1 and fence = $2`
	selectHolder  = `
		select true, owner, expires > clock_timestamp(), extract(epoch from expires)::float8
		from account where name = $1`

	joinReplicas = `
		with gone as (delete from replica where expires < clock_timestamp() - interval '1 hour' and owner <> $1),
		own as (
			insert into replica (owner, expires) values ($1, clock_timestamp() + $2::interval)
			on conflict (owner) do update set expires = excluded.expires returning owner
		)
		select r.owner, count(a.name)
		from (select owner from own union select owner from replica where expires > clock_timestamp()) r
		left join account a on a.owner = r.owner and a.expires > clock_timestamp() group by r.owner`
	leaveReplicas = `delete from replica where owner = $1`
)

// ask makes one statement of leases, which may be made twice, and calls each with each row; nil does
// nothing.
func (d *Database) ask(ctx context.Context, each func(), into []any, sql string, args ...any) error {
	return repeat(ctx, func(ctx context.Context) error {
		one, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		rows, err := d.leases.Query(one, sql, args...)
		if err == nil {
			_, err = pgx.ForEachRow(rows, into, func() error {
				if each != nil {
					each()
				}
				return nil
			})
		}
		if err != nil && one.Err() != nil && ctx.Err() == nil {
			return io.ErrUnexpectedEOF // the connection is silent
		}
		return err
	})
}

// Claim takes the leases of at most so many of the accounts, of those that are free. owner is what
// HolderOf says of them.
func (d *Database) Claim(
	ctx context.Context, owner string, most int, accounts ...string,
) (all []*store.Lease, err error) {
	if err := d.ask(ctx, nil, nil, insertAccounts, accounts); err != nil {
		return nil, err
	}
	var name string
	var fence int64
	begun := time.Now()
	err = d.ask(ctx, func() { all = append(all, store.NewLease(name, fence, begun, d.trusted())) },
		[]any{&name, &fence}, claimLeases, accounts, most, d.leaseTime, owner)
	return all, err
}

// Renew prolongs leases in one round trip. Those that another replica has taken are lost.
func (d *Database) Renew(ctx context.Context, leases ...*store.Lease) error {
	names, fences := columnsOf(leases)
	begun := time.Now()
	var name string
	held := map[string]bool{}
	err := d.ask(ctx, func() { held[name] = true }, []any{&name}, renewLeases, names, fences, d.leaseTime)
	if err != nil {
		return err
	}
	for _, l := range leases {
		if held[l.Account] {
			l.Renewed(begun, d.trusted())
		} else {
			l.End()
		}
	}
	return nil
}

// Release gives leases up, so that others can take them at once.
func (d *Database) Release(ctx context.Context, leases ...*store.Lease) error {
	for _, l := range leases {
		l.End()
	}
	names, fences := columnsOf(leases)
	return d.ask(ctx, nil, nil, releaseLeases, names, fences)
}

func columnsOf(leases []*store.Lease) (names []string, fences []int64) {
	for _, l := range leases {
		names, fences = append(names, l.Account), append(fences, l.Fence)
	}
	return names, fences
}

// Join tells for the time of a lease that a replica is there, and returns how many leases each
// replica has.
func (d *Database) Join(ctx context.Context, owner string) (leases map[string]int, err error) {
	leases = map[string]int{}
	var name string
	var n int
	err = d.ask(ctx, func() { leases[name] = n }, []any{&name, &n}, joinReplicas, owner, d.leaseTime)
	return leases, err
}

// Leave takes back that a replica is there.
func (d *Database) Leave(ctx context.Context, owner string) error {
	return d.ask(ctx, nil, nil, leaveReplicas, owner)
}

// Announce has HolderOf say who has the lease of the account of a store.
func Announce(ctx context.Context, of store.Store, owner string) error {
	s, _ := of.KV.(*kv)
	if s == nil || s.lease == nil {
		return store.ErrReadOnly
	}
	return s.db.ask(ctx, nil, nil, announceLease, s.name, s.lease.Fence, owner)
}

// A Holder is who has the lease of an account. The zero Holder is of an account that is not there.
type Holder struct {
	Known bool   // there is such an account
	Owner string // as Claim or Announce said
	Held  bool   // the lease has not expired

	expires float64
}

// HolderOf is who has the lease of an account.
func (d *Database) HolderOf(ctx context.Context, account string) (h Holder, err error) {
	err = d.ask(ctx, nil, []any{&h.Known, &h.Owner, &h.Held, &h.expires}, selectHolder, account)
	return h, err
}

// HolderOf is who has the lease of an account of a database.
func HolderOf(ctx context.Context, address, account string) (h Holder, err error) {
	d, made, err := look(ctx, address)
	if err != nil {
		return h, err
	}
	defer d.Close()
	if made {
		h, err = d.HolderOf(ctx, account)
	}
	return h, err
}

// Open opens the store of an account for the worker, and makes it where there is none. It takes the
// account's lease and renews it until Close. While another process renews it the error is
// store.ErrLocked; the lease of one that ended without a word is taken when it expires.
func Open(ctx context.Context, address, account string) (store.Store, error) {
	d, err := Connect(ctx, address)
	if err != nil {
		return store.Store{}, err
	}
	lease, err := d.wait(ctx, account)
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	keeping, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-time.After(renewEvery):
				_ = d.Renew(keeping, lease) //nolint:errcheck // what is not renewed in time is lost
			case <-keeping.Done():
				return
			}
		}
	}()
	s := d.StoreOf(lease)
	s.KV.(*kv).close = func() error { //nolint:forcetypeassert // it is one
		end()
		<-ended
		err := d.Release(context.Background(), lease)
		d.Close()
		return err
	}
	return s, nil
}

// wait claims the lease of an account, unless another process renews it meanwhile.
func (d *Database) wait(ctx context.Context, account string) (*store.Lease, error) {
	var first Holder
	for end := time.Now().Add(leaseTime + renewEvery); ; {
		leases, err := d.Claim(ctx, "", 1, account)
		if err != nil {
			return nil, err
		}
		if len(leases) > 0 {
			return leases[0], nil
		}
		now, err := d.HolderOf(ctx, account)
		switch {
		case err != nil:
			return nil, err
		case time.Now().After(end), first.Held && now.Held && now.expires != first.expires:
			return nil, store.ErrLocked
		case !first.Held:
			first = now
		}
		select {
		case <-time.After(waitEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
