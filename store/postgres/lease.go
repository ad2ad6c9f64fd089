package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// The times of a lease. Between the moment at which a replica stops to work on an account by its
// own clock, and the end of the lease by the database's clock, lies margin.
const (
	leaseTime  = 10 * time.Second
	renewEvery = 2 * time.Second
	margin     = 3 * time.Second
)

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
		select a.name, t.account, t.fence from taken t join account a on a.number = t.account`

	renewLeases = `
		update heartbeat h set expires = now() + $3::interval
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where h.account = g.account and h.fence = g.fence returning h.account`

	releaseLeases = `
		update heartbeat h set expires = '-infinity', owner = ''
		from unnest($1::integer[], $2::bigint[]) as g(account, fence)
		where h.account = g.account and h.fence = g.fence`

	announceLease = `update heartbeat set owner = $3 where account = $1 and fence = $2`

	selectHolder = `
		select owner, expires > now(), expires::text from heartbeat join account a on a.number = account where a.name = $1`
)

// A Lease is the right to work on an account, and to write what the store holds of it, until it
// expires by the database's clock. It is taken, renewed and used with a fencing number, which grows
// whenever the lease is taken.
type Lease struct {
	account string
	number  int32
	fence   int64

	mu    sync.Mutex
	until time.Time // by this process's monotonic clock
	timer *time.Timer
	lost  chan struct{}
	ended bool
}

// Account is the name of the account.
func (l *Lease) Account() string { return l.account }

// Lost is closed when the lease is lost, or cannot be renewed in time: from then on another replica
// may have it.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Held reports whether the lease is held for certain, by this process's own clock. It is asked
// before each call of a shop.
func (l *Lease) Held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.ended && time.Now().Before(l.until)
}

// renewed counts the lease from the moment at which its renewal was begun.
func (l *Lease) renewed(begun time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = begun.Add(leaseTime - margin)
	if l.timer == nil {
		l.timer = time.AfterFunc(time.Until(l.until), l.lose)
	} else if !l.ended {
		l.timer.Reset(time.Until(l.until))
	}
}

// lose ends the lease on this side.
func (l *Lease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		l.timer.Stop()
		close(l.lost)
	}
}

// AddAccounts makes the rows of accounts, which a lease is taken of.
func (d *Database) AddAccounts(ctx context.Context, names ...string) error {
	return repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, nil, insertAccounts, names)
	})
}

// Claim takes the leases of at most so many of the accounts that nobody has. owner is what Holder
// says of them.
func (d *Database) Claim(ctx context.Context, owner string, most int, accounts ...string) (all []*Lease, err error) {
	err = repeat(ctx, func(ctx context.Context) error {
		all = nil
		begun := time.Now()
		err := d.query(ctx, func(r row) error {
			l := &Lease{lost: make(chan struct{})}
			all = append(all, l)
			return r.scan(&l.account, &l.number, &l.fence)
		}, claimLeases, accounts, most, leaseTime, owner)
		if err == nil {
			for _, l := range all {
				l.renewed(begun)
			}
		}
		return err
	})
	return all, err
}

// Renew prolongs leases in one round trip. Those that another replica has taken are lost.
func (d *Database) Renew(ctx context.Context, leases ...*Lease) error {
	numbers, fences := columnsOf(leases)
	return repeat(ctx, func(ctx context.Context) error {
		begun := time.Now()
		held := map[int32]bool{}
		err := d.query(ctx, func(r row) error {
			var number int32
			err := r.scan(&number)
			held[number] = true
			return err
		}, renewLeases, numbers, fences, leaseTime)
		if err != nil {
			return err
		}
		for _, l := range leases {
			if held[l.number] {
				l.renewed(begun)
			} else {
				l.lose()
			}
		}
		return nil
	})
}

// Release gives leases up, so that others can take them at once.
func (d *Database) Release(ctx context.Context, leases ...*Lease) error {
	for _, l := range leases {
		l.lose()
	}
	numbers, fences := columnsOf(leases)
	return repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, nil, releaseLeases, numbers, fences)
	})
}

func columnsOf(leases []*Lease) (numbers []int32, fences []int64) {
	numbers, fences = []int32{}, []int64{}
	for _, l := range leases {
		numbers, fences = append(numbers, l.number), append(fences, l.fence)
	}
	return numbers, fences
}

// keep renews a lease until it is lost or done is closed.
func (d *Database) keep(l *Lease, done <-chan struct{}) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(context.Background(), leaseTime)
			_ = d.Renew(ctx, l) //nolint:errcheck // what is not renewed in time is lost
			cancel()
		case <-l.lost:
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
		return s.db.query(ctx, nil, announceLease, s.account, s.lease.fence, owner)
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
func (d *Database) wait(ctx context.Context, account string) (*Lease, error) {
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
