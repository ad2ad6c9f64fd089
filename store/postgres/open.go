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
	lease, err := d.wait(ctx, account)
	if err != nil {
		d.Close()
		return store.Store{}, err
	}
	keeping, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.keep(keeping, lease)
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

const waitEvery = 250 * time.Millisecond // between two looks at a lease that is waited for

// wait claims the lease of an account, unless another process renews it meanwhile.
func (d *Database) wait(ctx context.Context, account string) (*store.Lease, error) {
	if err := d.AddAccounts(ctx, account); err != nil {
		return nil, err
	}
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

// StoreOf is the store of an account for the worker that has its lease. Writes fail once that is
// lost.
func (d *Database) StoreOf(l *store.Lease) store.Store {
	return d.writable(&kv{name: l.Account, account: l.Number, lease: l})
}

// Store is the store of an account for what any process writes, whoever has the lease: what a
// webhook says. It needs no Close.
func (d *Database) Store(ctx context.Context, account string) (store.Store, error) {
	h, err := d.HolderOf(ctx, account)
	return d.writable(&kv{name: account, account: h.account}), err
}

func (d *Database) writable(s *kv) store.Store {
	s.db, s.Group = d, store.NewGroup(s.commit)
	return store.Store{KV: s}
}

// OpenView opens the store of an account for reading, beside whoever has its lease. One that is not
// there reads as empty.
func OpenView(ctx context.Context, address, account string) (store.Store, error) {
	d, err := connect(address)
	if err != nil {
		return store.Store{}, err
	}
	h, err := d.HolderOf(ctx, account)
	if err != nil {
		d.Close()
	}
	s := &kv{db: d, name: account, account: h.account, close: func() error { d.Close(); return nil }}
	return store.Store{KV: s}, err
}

// HolderOf is who has the lease of an account of a database.
func HolderOf(ctx context.Context, address, account string) (h Holder, err error) {
	d, err := connect(address)
	if err != nil {
		return h, err
	}
	defer d.Close()
	h, err = d.HolderOf(ctx, account)
	return h, err
}
