package postgres

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// The times of a lease.
const (
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
)

// margin lies between the moment at which a replica stops to work on an account by its own clock,
// and the end of the lease by the database's clock.
func margin(leaseTime time.Duration) time.Duration { return leaseTime * 3 / 10 }

const (
	checkFence = `
		with held as (
			select from lease l join heartbeat h using (account)
			where l.account = $1 and l.fence = $2 and h.expires > now() for share of l
		)
		select expect(exists (select from held), 'PS002')`

	claimLeases = `
		with free as (
			select l.account from account a join lease l on l.account = a.number join heartbeat h on h.account = a.number
			where a.name = any($1) and h.expires <= now() order by a.number limit $2 for update of l, h skip locked
		), taken as (
			update lease l set fence = fence + 1 from free where l.account = free.account returning l.account, l.fence
		), beat as (
			update heartbeat h set fence = h.fence + 1, expires = now() + $3::interval, owner = $4
			from free where h.account = free.account
		)
		select a.name, t.account, t.fence, ` + selectClock + ` from taken t join account a on a.number = t.account`

	renewLeases = `
		update heartbeat h set expires = now() + $3::interval
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where h.account = g.account and h.fence = g.fence returning h.account, ` + selectClock

	releaseLeases = `
		update heartbeat h set expires = '-infinity', owner = ''
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where h.account = g.account and h.fence = g.fence`

	announceLease = `update heartbeat set owner = $3 where account = $1 and fence = $2`

	selectHolder = `
		select owner, expires > now(), expires::text from heartbeat join account a on a.number = account where a.name = $1`
)

// AddAccounts makes the rows of accounts, which a lease is taken of.
func (d *Database) AddAccounts(ctx context.Context, names ...string) error {
	return repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, nil, insertAccounts, names)
	})
}

// Claim takes the leases of at most so many of the accounts that nobody has. owner is what Holder
// says of them.
func (d *Database) Claim(
	ctx context.Context, owner string, most int, accounts ...string,
) (all []*store.Lease, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		all = nil
		begun := time.Now()
		return d.query(ctx, func(r row) error {
			var account string
			var number int32
			var fence, base int64
			err := r.scan(&account, &number, &fence, &base)
			d.clock.saw(begun, base)
			all = append(all, store.NewLease(account, number, fence, begun, d.leaseTime-margin(d.leaseTime)))
			return err
		}, claimLeases, accounts, most, d.leaseTime, owner)
	})
	return all, err
}

// Renew prolongs leases in one round trip. Those that another replica has taken are lost.
func (d *Database) Renew(ctx context.Context, leases ...*store.Lease) error {
	numbers, fences := columnsOf(leases)
	return repeat(ctx, func(ctx context.Context) error {
		begun := time.Now()
		held := map[int32]bool{}
		err := d.query(ctx, func(r row) error {
			var number int32
			var base int64
			err := r.scan(&number, &base)
			d.clock.saw(begun, base)
			held[number] = true
			return err
		}, renewLeases, numbers, fences, d.leaseTime)
		if err != nil {
			return err
		}
		for _, l := range leases {
			if held[l.Number] {
				l.Renewed(begun, d.leaseTime-margin(d.leaseTime))
			} else {
				l.End()
			}
		}
		return nil
	})
}

// Release gives leases up, so that others can take them at once.
func (d *Database) Release(ctx context.Context, leases ...*store.Lease) error {
	for _, l := range leases {
		l.End()
	}
	numbers, fences := columnsOf(leases)
	return repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, nil, releaseLeases, numbers, fences)
	})
}

func columnsOf(leases []*store.Lease) (numbers []int32, fences []int64) {
	numbers, fences = []int32{}, []int64{}
	for _, l := range leases {
		numbers, fences = append(numbers, l.Number), append(fences, l.Fence)
	}
	return numbers, fences
}

const (
	joinReplicas = `
		insert into replica (owner, expires) values ($1, now() + $2::interval)
		on conflict (owner) do update set expires = excluded.expires`
	forgetReplicas = `delete from replica where expires < now() - interval '1 hour'`
	countLeases    = `
		select r.owner, count(h.account) from replica r left join heartbeat h on h.owner = r.owner and h.expires > now()
		where r.expires > now() group by r.owner`
	leaveReplicas = `delete from replica where owner = $1`
)

// Join tells for the time of a lease that a replica is there, and returns how many leases each
// replica has.
func (d *Database) Join(ctx context.Context, owner string) (leases map[string]int, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		leases = map[string]int{}
		b := &batch{}
		b.queue(joinReplicas, owner, d.leaseTime)
		b.queue(forgetReplicas)
		b.queue(countLeases).each = func(r row) error {
			var name string
			var n int64
			err := r.scan(&name, &n)
			leases[name] = int(n)
			return err
		}
		return d.send(ctx, b)
	})
	return leases, err
}

// Leave takes back that a replica is there.
func (d *Database) Leave(ctx context.Context, owner string) error {
	return repeat(ctx, func(ctx context.Context) error { return d.query(ctx, nil, leaveReplicas, owner) })
}

// keep renews a lease until it is lost or done is closed.
func (d *Database) keep(l *store.Lease, done <-chan struct{}) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
			_ = d.Renew(ctx, l) //nolint:errcheck // what is not renewed in time is lost
			cancel()
		case <-l.Lost():
			return
		case <-done:
			return
		}
	}
}

// Announce has HolderOf say who has the lease.
func (s *Store) Announce(ctx context.Context, owner string) error {
	if err := s.writable(); err != nil {
		return err
	}
	return repeat(ctx, func(ctx context.Context) error {
		return s.db.query(ctx, nil, announceLease, s.account, s.lease.Fence, owner)
	})
}

// A Holder is who has the lease of an account.
type Holder struct {
	Owner string // as Claim or Announce said
	Held  bool   // the lease has not expired

	expires string
}

// HolderOf is who has the lease of an account, and the zero Holder where the account is not known.
func (d *Database) HolderOf(ctx context.Context, account string) (h Holder, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, func(r row) error { return r.scan(&h.Owner, &h.Held, &h.expires) }, selectHolder, account)
	})
	return h, err
}

// wait claims the lease of an account. While another process renews it the error is
// store.ErrLocked. The lease of one that ended without a word is taken when it expires.
func (d *Database) wait(ctx context.Context, account string) (*store.Lease, error) {
	var first string
	for end := time.Now().Add(leaseTime + renewEvery); ; {
		leases, err := d.Claim(ctx, "", 1, account)
		if err != nil {
			return nil, err
		}
		if len(leases) > 0 {
			return leases[0], nil
		}
		h, err := d.HolderOf(ctx, account)
		switch {
		case err != nil:
			return nil, err
		case h.Held && first == "":
			first = h.expires
		case h.Held && first != h.expires, time.Now().After(end):
			return nil, store.ErrLocked
		}
		select {
		case <-time.After(waitEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// waitEvery is how often a lease that is waited for is looked at.
const waitEvery = 250 * time.Millisecond
