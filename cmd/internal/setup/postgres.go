package setup

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
)

// openWait bounds the opening of a store in a database, but for the wait for its lease.
const openWait = 20 * time.Second

// postgresEngine keeps the stores of all accounts in a PostgreSQL database.
func postgresEngine(account string) engine {
	return engine{
		open: opener(func(address string) (*postgres.Store, error) {
			return postgres.Open(context.Background(), address, account)
		}),
		view: opener(func(address string) (*postgres.Store, error) {
			ctx, cancel := context.WithTimeout(context.Background(), openWait)
			defer cancel()
			return postgres.OpenView(ctx, address, account)
		}),
		held: func(address string) bool {
			h, err := holderOf(address, account)
			return err == nil && h.Held
		},
		missing: func(address string) bool {
			ctx, cancel := context.WithTimeout(context.Background(), openWait)
			defer cancel()
			missing, err := postgres.Missing(ctx, address, account)
			return err == nil && missing
		},
		place: func(rest string) string { return "postgres://" + rest },
		name:  func(address string) string { return postgres.Name(address, account) },
		id:    func(address string) string { return postgres.Name(address, account) },
		owner: func(address string) (o owner, err error) {
			if h, err := holderOf(address, account); err == nil && h.Held {
				o = ownerIn(h.Owner)
			}
			return o, nil
		},
		tell: func(o owner, _ string, s Store) (func(), error) {
			held, ok := s.(*postgres.Store)
			data, err := json.Marshal(o)
			if err == nil && ok {
				err = held.Announce(context.Background(), string(data))
			}
			return func() {}, err // the end of the lease takes it back
		},
	}
}

func holderOf(address, account string) (postgres.Holder, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openWait)
	defer cancel()
	return postgres.HolderOf(ctx, address, account)
}

// A database keeps the stores of all accounts of a process.
type database interface {
	store.Leases
	// View is the store of an account for reading.
	View(ctx context.Context, account string) (*postgres.Store, error)
	// HolderOf returns the process that has the lease of an account.
	HolderOf(ctx context.Context, account string) (postgres.Holder, error)
	Close()
}

func openDatabase(ctx context.Context, address string) (database, error) {
	return postgres.Connect(ctx, address)
}

// ownerIn is the owner that the note of a lease tells of.
func ownerIn(note string) (o owner) {
	_ = json.Unmarshal([]byte(note), &o) //nolint:errcheck // it is only told
	return o
}
