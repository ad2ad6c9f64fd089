package setup

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
)

// openWait bounds the opening of a store in a database, but for the wait for its lease.
const openWait = 20 * time.Second

// postgresEngine keeps the stores of all accounts in a PostgreSQL database.
func postgresEngine(address, account string) storeEngine {
	name := postgres.Name(address, account)
	holder := func() (postgres.Holder, error) {
		ctx, cancel := context.WithTimeout(context.Background(), openWait)
		defer cancel()
		return postgres.HolderOf(ctx, address, account)
	}
	return storeEngine{
		place: address, name: name, id: name,
		open: func() (store.Store, error) { return postgres.Open(context.Background(), address, account) },
		view: func() (store.Store, error) {
			ctx, cancel := context.WithTimeout(context.Background(), openWait)
			defer cancel()
			return postgres.OpenView(ctx, address, account)
		},
		held: func() bool {
			h, err := holder()
			return err == nil && h.Held
		},
		missing: func() bool {
			ctx, cancel := context.WithTimeout(context.Background(), openWait)
			defer cancel()
			missing, err := postgres.Missing(ctx, address, account)
			return err == nil && missing
		},
		owner: func() (o owner, err error) {
			if h, err := holder(); err == nil && h.Held {
				o = ownerIn(h.Owner)
			}
			return o, nil
		},
		tell: func(o owner, s store.Store) (func(), error) {
			return func() {}, postgres.Announce(context.Background(), s, o.text()) // the end of the lease takes it back
		},
	}
}

// A database keeps the stores of all accounts of a process.
type database interface {
	fleet.Leases
	StoreOf(l *store.Lease) store.Store                                    // for the account's worker
	Store(ctx context.Context, account string) (store.Store, error)        // for what any process writes
	HolderOf(ctx context.Context, account string) (postgres.Holder, error) // the process that has the lease
	Hint(ctx context.Context, account string) error                        // has its list read soon
	Accepted(ctx context.Context, f func(account string, hinted bool))     // tells of what others write, or hint
	Close()
}

func openDatabase(ctx context.Context, address string) (database, error) {
	return postgres.Connect(ctx, address)
}
