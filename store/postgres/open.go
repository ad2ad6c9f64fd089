package postgres

import (
	"context"
	"errors"

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
	keeping, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.keep(keeping, lease)
	}()
	s := d.writable(&kv{name: account, account: lease.Number, lease: lease})
	s.close = func() error {
		end()
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
	s, err := view(ctx, address, account)
	return store.Store{KV: s}, err
}

func view(ctx context.Context, address, account string) (*kv, error) {
	d, err := connect(address)
	if err != nil {
		return nil, err
	}
	s := &kv{db: d, name: account, close: func() error { d.Close(); return nil }}
	if s.account, err = d.number(ctx, account); err != nil {
		d.Close()
	}
	return s, err
}

// Missing reports whether there is no store of an account yet.
func Missing(ctx context.Context, address, account string) (bool, error) {
	s, err := view(ctx, address, account)
	if err != nil {
		return false, err
	}
	return s.account == 0, s.Close()
}

// HolderOf is who has the lease of an account, and the zero Holder where there is no such account.
func HolderOf(ctx context.Context, address, account string) (h Holder, err error) {
	s, err := view(ctx, address, account)
	if err != nil {
		return h, err
	}
	if s.account != 0 {
		h, err = s.db.HolderOf(ctx, account)
	}
	return h, errors.Join(err, s.Close())
}
