package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

// The times of a lease.
const (
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
	askTimeout = 2 * time.Second // of one statement: a connection that was cut without a word costs no lease

	clockStep = 2 * time.Second // a smaller difference of two clocks is none, so that times seldom move
)

// trusted is how long a lease is trusted from the beginning of its renewal: the margin lies between
// the moment at which a replica stops to work on an account by its own clock, and the end of the
// lease by the database's.
func (d *Database) trusted() time.Duration { return d.leaseTime * 7 / 10 }

// Each row that a statement returns begins with the time by the database's clock.
const (
	insertAccounts = `
		insert into account (name) select n from unnest($1::text[]) n
		where not exists (select from account where name = n) on conflict do nothing`

	claimLeases = `
		with free as (
			select number from account where name = any($1) and expires <= clock_timestamp()
			order by number limit $2 for update skip locked
		)
		update account a set fence = fence + 1, expires = clock_timestamp() + $3::interval, owner = $4
		from free where a.number = free.number returning clock_timestamp(), a.name, a.number, a.fence`

	renewLeases = `
		update account a set expires = clock_timestamp() + $3::interval
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where a.number = g.account and a.fence = g.fence and a.expires > '-infinity'
		returning clock_timestamp(), a.number`

	releaseLeases = `
		update account a set expires = '-infinity', owner = ''
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where a.number = g.account and a.fence = g.fence`

	announceLease = `update account set owner = $3 where number = $1 and fence = $2`
	selectHolder  = `
		select clock_timestamp(), number, owner, expires > clock_timestamp(), extract(epoch from expires)::float8
		from account where name = $1`

	joinReplicas = `
		with gone as (delete from replica where expires < clock_timestamp() - interval '1 hour' and owner <> $1),
		own as (
			insert into replica (owner, expires) values ($1, clock_timestamp() + $2::interval)
			on conflict (owner) do update set expires = excluded.expires returning owner
		)
		select clock_timestamp(), r.owner, count(a.number)
		from (select owner from own union select owner from replica where expires > clock_timestamp()) r
		left join account a on a.owner = r.owner and a.expires > clock_timestamp() group by r.owner`
	leaveReplicas = `delete from replica where owner = $1`
)

// ask runs one statement of leases, which may be made twice, and calls each with each row.
func (d *Database) ask(ctx context.Context, each func(), into []any, sql string, args ...any) error {
	again := func(err error) bool { return ctx.Err() == nil && (harmless(err) || pgconn.Timeout(err)) }
	return repeat(ctx, again, func(context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		begun := time.Now()
		var now time.Time
		rows, err := d.leases.Query(ctx, sql, args...)
		if err == nil {
			_, err = pgx.ForEachRow(rows, append([]any{&now}, into...), func() error { each(); return nil })
		}
		if took := time.Since(begun); !now.IsZero() && took < clockStep/2 {
			d.saw(now.Sub(begun.Add(took / 2)))
		}
		return err
	})
}

// saw learns by how much the database's clock is ahead of this process's.
func (d *Database) saw(ahead time.Duration) {
	if (ahead - d.shift()).Abs() < clockStep {
		return
	}
	if ahead.Abs() < clockStep {
		ahead = 0
	}
	d.ahead.Store(int64(ahead.Round(time.Millisecond)))
}

// shift is what is added to a time of this process to have it by the database's clock.
func (d *Database) shift() time.Duration { return time.Duration(d.ahead.Load()) }

func nothing() {}

// AddAccounts makes the rows of accounts, which a lease is taken of.
func (d *Database) AddAccounts(ctx context.Context, names ...string) error {
	return d.ask(ctx, nothing, nil, insertAccounts, names)
}

// Claim takes the leases of at most so many of the accounts, of those that are free. owner is what
// HolderOf says of them.
func (d *Database) Claim(
	ctx context.Context, owner string, most int, accounts ...string,
) (all []*store.Lease, err error) {
	var name string
	var number int32
	var fence int64
	begun := time.Now()
	err = d.ask(ctx, func() { all = append(all, store.NewLease(name, number, fence, begun, d.trusted())) },
		[]any{&name, &number, &fence}, claimLeases, accounts, most, d.leaseTime, owner)
	return all, err
}

// Renew prolongs leases in one round trip. Those that another replica has taken are lost.
func (d *Database) Renew(ctx context.Context, leases ...*store.Lease) error {
	numbers, fences := numbersOf(leases)
	begun := time.Now()
	var number int32
	held := map[int32]bool{}
	err := d.ask(ctx, func() { held[number] = true }, []any{&number}, renewLeases, numbers, fences, d.leaseTime)
	if err != nil {
		return err
	}
	for _, l := range leases {
		if held[l.Number] {
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
	numbers, fences := numbersOf(leases)
	return d.ask(ctx, nothing, nil, releaseLeases, numbers, fences)
}

func numbersOf(leases []*store.Lease) (numbers []int32, fences []int64) {
	numbers, fences = []int32{}, []int64{}
	for _, l := range leases {
		numbers, fences = append(numbers, l.Number), append(fences, l.Fence)
	}
	return numbers, fences
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
	return d.ask(ctx, nothing, nil, leaveReplicas, owner)
}

// Announce has HolderOf say who has the lease of the account of a store.
func Announce(ctx context.Context, of store.Store, owner string) error {
	s, _ := of.KV.(*kv)
	if s == nil || s.lease == nil {
		return store.ErrReadOnly
	}
	return s.db.ask(ctx, nothing, nil, announceLease, s.account, s.lease.Fence, owner)
}

// A Holder is who has the lease of an account. The zero Holder is of an account that is not there.
type Holder struct {
	Owner string // as Claim or Announce said
	Held  bool   // the lease has not expired

	account int32
	expires float64
}

// Missing reports whether there is no such account yet.
func (h Holder) Missing() bool { return h.account == 0 }

// HolderOf is who has the lease of an account.
func (d *Database) HolderOf(ctx context.Context, account string) (h Holder, err error) {
	if there, err := d.there(ctx); !there || err != nil {
		return h, translate(err)
	}
	err = d.ask(ctx, nothing, []any{&h.account, &h.Owner, &h.Held, &h.expires}, selectHolder, account)
	return h, err
}

// keep renews a lease until it is lost or ctx ends.
func (d *Database) keep(ctx context.Context, l *store.Lease) {
	for {
		select {
		case <-time.After(renewEvery):
			_ = d.Renew(ctx, l) //nolint:errcheck // what is not renewed in time is lost
		case <-l.Lost():
			return
		case <-ctx.Done():
			return
		}
	}
}
