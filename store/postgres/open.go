package postgres

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Open opens the store of an account for writing, and makes it where there is none. It takes the
// account's lease and renews it until Close. While another process has it the error is
// store.ErrLocked.
func Open(ctx context.Context, address, account string) (store.Store, error) {
	d, err := Connect(ctx, address)
	if err != nil {
		return store.Store{}, err
	}
	if err := d.AddAccounts(ctx, account); err != nil {
		d.Close()
		return store.Store{}, err
	}
	lease, err := d.wait(ctx, account)
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	s := d.kvOf(lease)
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
	s, err := openView(ctx, address, account)
	return store.Store{KV: s}, err
}

func openView(ctx context.Context, address, account string) (*kv, error) {
	d, err := connect(address)
	if err != nil {
		return nil, err
	}
	s, err := d.view(ctx, account)
	s.close = func() error { d.Close(); return nil }
	if err != nil {
		d.Close()
	}
	return s, err
}

// View is the store of an account for reading.
func (d *Database) View(ctx context.Context, account string) (store.Store, error) {
	s, err := d.view(ctx, account)
	return store.Store{KV: s}, err
}

func (d *Database) view(ctx context.Context, account string) (*kv, error) {
	s := &kv{db: d, name: account}
	version, err := d.version(ctx)
	if err == nil && version != 0 {
		if err = known(version); err == nil {
			s.account, err = d.number(ctx, account)
		}
	}
	s.absent = s.account == 0
	return s, translate(err)
}

// Missing reports whether there is no store of an account yet.
func Missing(ctx context.Context, address, account string) (bool, error) {
	s, err := openView(ctx, address, account)
	if err != nil {
		return false, err
	}
	return s.absent, s.Close()
}

// HolderOf is who has the lease of an account, and the zero Holder where there is no such account.
func HolderOf(ctx context.Context, address, account string) (h Holder, err error) {
	d, err := connect(address)
	if err != nil {
		return h, err
	}
	defer d.Close()
	if version, err := d.version(ctx); err != nil || version == 0 {
		return h, translate(err)
	}
	return d.HolderOf(ctx, account)
}

// wait claims the lease of an account. While another process renews it the error is
// store.ErrLocked. The lease of one that ended without a word is taken when it expires.
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
