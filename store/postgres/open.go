package postgres

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Open opens the store of an account for the worker, and makes it where there is none. It takes the
// account's lease and renews it until Close. While another process renews it the error is
// store.ErrLocked; the lease of one that ended without a word is taken when it expires.
func Open(ctx context.Context, address, account string) (store.Store, error) {
	d, err := Connect(ctx, address)
	if err != nil {
		return store.Store{}, err
	}
	err = d.AddAccounts(ctx, account)
	var lease *store.Lease
	if err == nil {
		lease, err = d.wait(ctx, account)
	}
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	s := d.leased(lease)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		d.keep(lease, done)
	}()
	s.close = func() error {
		close(done)
		<-ended
		err := d.Release(context.Background(), lease)
		d.Close()
		return err
	}
	return store.Store{KV: s}, nil
}

// OpenView opens the store of an account for reading, beside whoever has its lease. One that is not
// there reads as empty.
func OpenView(ctx context.Context, address, account string) (store.Store, error) {
	d, err := connect(address)
	if err != nil {
		return store.Store{}, err
	}
	n, err := d.number(ctx, account)
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	return store.Store{KV: &kv{
		db: d, name: account, account: n, close: func() error { d.Close(); return nil },
	}}, nil
}

// Missing reports whether there is no store of an account yet.
func Missing(ctx context.Context, address, account string) (bool, error) {
	s, err := OpenView(ctx, address, account)
	if err != nil {
		return false, err
	}
	return s.KV.(*kv).account == 0, s.Close() //nolint:forcetypeassert // see above
}

// HolderOf is who has the lease of an account, and the zero Holder where there is no such account.
func HolderOf(ctx context.Context, address, account string) (h Holder, err error) {
	d, err := connect(address)
	if err != nil {
		return h, err
	}
	defer d.Close()
	if n, err := d.number(ctx, account); err != nil || n == 0 {
		return h, err
	}
	return d.HolderOf(ctx, account)
}

// wait claims the lease of an account.
func (d *Database) wait(ctx context.Context, account string) (*store.Lease, error) {
	var first time.Time
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
		case h.Held && first.IsZero():
			first = h.expires
		case h.Held && !first.Equal(h.expires), time.Now().After(end):
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

// keep renews a lease until it is lost or done is closed.
func (d *Database) keep(l *store.Lease, done <-chan struct{}) {
	for {
		select {
		case <-time.After(renewEvery):
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
