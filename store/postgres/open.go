package postgres

import (
	"context"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

const (
	insertAccounts = `
		with made as (
			insert into account (name) select unnest($1::text[]) on conflict do nothing returning number
		), leased as (
			insert into lease (account) select number from made
		)
		insert into heartbeat (account) select number from made`
	selectAccount = `select number from account where name = $1`
)

// Open opens the store of an account for writing, and makes it where there is none. It takes the
// account's lease and renews it until Close. While another process has it the error is
// store.ErrLocked.
func Open(ctx context.Context, address, account string) (*Store, error) {
	d, err := Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := d.AddAccounts(ctx, account); err != nil {
		d.Close()
		return nil, err
	}
	lease, err := d.wait(ctx, account)
	if err != nil {
		d.Close()
		return nil, err
	}
	s := d.storeOf(lease)
	done := make(chan struct{})
	ended := make(chan struct{})
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
	return s, nil
}

// OpenView opens the store of an account for reading, beside whoever has its lease. One that is not
// there reads as empty.
func OpenView(ctx context.Context, address, account string) (*Store, error) {
	d, err := connect(address)
	if err != nil {
		return nil, err
	}
	s, err := d.view(ctx, account)
	if err != nil {
		d.Close()
		return nil, err
	}
	s.close = func() error { d.Close(); return nil }
	return s, nil
}

// StoreOf is the store of an account whose lease is held. Its writes fail once that is lost.
func (d *Database) StoreOf(l *store.Lease) store.Store {
	return d.storeOf(l)
}

func (d *Database) storeOf(l *store.Lease) *Store {
	s := &Store{db: d, name: l.Account, path: d.nameOf(l.Account), account: l.Number, lease: l}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[s.name] = append(d.open[s.name], s)
	return s
}

// leave forgets a store that was closed.
func (d *Database) leave(s *Store) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[s.name] = slices.DeleteFunc(d.open[s.name], func(other *Store) bool { return other == s })
	if len(d.open[s.name]) == 0 {
		delete(d.open, s.name)
	}
}

// changed has the stores of accounts read anew; without names all of them.
func (d *Database) changed(accounts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(accounts) == 0 {
		accounts = slices.Collect(maps.Keys(d.open))
	}
	for _, name := range accounts {
		for _, s := range d.open[name] {
			s.answers.forgetAll()
		}
	}
}

// numbers is the accounts whose stores are open.
func (d *Database) numbers() []int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	numbers := make([]int32, 0, len(d.open))
	for _, all := range d.open {
		numbers = append(numbers, all[0].account)
	}
	return numbers
}

// View is the store of an account for reading.
func (d *Database) View(ctx context.Context, account string) (*Store, error) {
	return d.view(ctx, account)
}

func (d *Database) view(ctx context.Context, account string) (*Store, error) {
	s := &Store{db: d, name: account, path: d.nameOf(account)}
	version, err := d.version(ctx)
	switch {
	case err != nil:
		return nil, translate(err)
	case version == 0:
		s.absent = true
		return s, nil
	case version != len(migrations):
		return nil, &SchemaError{version, len(migrations)}
	}
	err = repeat(ctx, func(ctx context.Context) error {
		return d.query(ctx, func(r row) error { return r.scan(&s.account) }, selectAccount, account)
	})
	s.absent = s.account == 0
	return s, err
}

// Missing reports whether there is no store of an account yet.
func Missing(ctx context.Context, address, account string) (bool, error) {
	s, err := OpenView(ctx, address, account)
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

// Name is the address of a database without user, password and options, and the name of an account
// in it. It tells one store from another, and is shown.
func Name(address, account string) string {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return "postgres"
	}
	return nameOf(c, account)
}

func (d *Database) nameOf(account string) string { return nameOf(d.config, account) }

func nameOf(c *pgconn.Config, account string) string {
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	return "postgres://" + host + "/" + c.Database + "#" + account
}

var _ store.Store = (*Store)(nil)
