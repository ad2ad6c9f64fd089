package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

// mostConnections bounds the pool of a process, however many accounts it works on.
const mostConnections = 16

// The limits of each connection. A lock outlives none of them, so that a replica that hangs keeps
// no account from being taken within the time of a lease.
const (
	statementTimeout = 5 * time.Second
	lockTimeout      = 2 * time.Second
	idleTimeout      = 5 * time.Second // of a transaction that waits for its client
	deadTimeout      = 5 * time.Second // of a client that acknowledges no data
	connectTimeout   = 5 * time.Second
	// pingTimeout bounds the answer of a connection that rested for a second: one that was cut
	// without a word would otherwise be waited for until the system gives it up, a quarter of an
	// hour.
	pingTimeout = 2 * time.Second
)

// patience bounds one method with its repetitions.
const patience = 15 * time.Second

// schema is the database's schema that holds all tables.
const schema = "pubsync"

// A Database is the connections to a database that holds stores.
type Database struct {
	config    *pgxpool.Config
	pool      *pgxpool.Pool // of the accounts
	leases    *pgxpool.Pool // one connection: no account's waiting stops a renewal
	leaseTime time.Duration
	clock     clock
	listeners atomic.Int32 // connections that listen to what others write

	mu   sync.Mutex
	open map[string]*kv // that with the lease, by account
}

// Connect opens a database by its address, and makes its tables where there are none. Errors do not
// repeat the address's password.
func Connect(ctx context.Context, address string) (*Database, error) {
	d, err := connect(address)
	if err != nil {
		return nil, err
	}
	if err := d.migrate(ctx, migrations); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect is Connect without migrations. It makes no connection yet.
func connect(address string) (*Database, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the store is not one of PostgreSQL: " +
			"it has the form postgres://user:password@host:port/database")
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		// A connection keeps the plan that it made when the table was small. None that reads a
		// whole table of many accounts is right later.
		"enable_seqscan":                      "off",
		"enable_hashjoin":                     "off",
		"enable_mergejoin":                    "off",
		"jit":                                 "off", // no statement runs for long
		"application_name":                    "pubsync",
		"search_path":                         schema,
		"statement_timeout":                   milliseconds(statementTimeout),
		"lock_timeout":                        milliseconds(lockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(idleTimeout),
		"tcp_user_timeout":                    milliseconds(deadTimeout),
		"tcp_keepalives_idle":                 "5",
		"tcp_keepalives_interval":             "2",
		"tcp_keepalives_count":                "3",
	} {
		if c.ConnConfig.RuntimeParams[name] == "" {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	c.PingTimeout = pingTimeout
	d := &Database{config: c, leaseTime: leaseTime, open: map[string]*kv{}}
	for pool, most := range map[**pgxpool.Pool]int32{&d.pool: mostConnections, &d.leases: 1} {
		c := c.Copy()
		c.MaxConns = most
		if *pool, err = pgxpool.NewWithConfig(context.Background(), c); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// Close ends the connections, once what is under way has ended.
func (d *Database) Close() {
	d.leases.Close()
	d.pool.Close()
}

// Name is the address of a database without user, password and options, and the name of an account
// in it. It tells one store from another, and is shown.
func Name(address, account string) string {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return "postgres"
	}
	return nameOf(c, account)
}

func nameOf(c *pgxpool.Config, account string) string {
	host := net.JoinHostPort(c.ConnConfig.Host, strconv.Itoa(int(c.ConnConfig.Port)))
	return "postgres://" + host + "/" + c.ConnConfig.Database + "#" + account
}

// StoreOf is the store of an account for the worker that has its lease. Writes fail once that is
// lost.
func (d *Database) StoreOf(l *store.Lease) store.Store { return store.Store{KV: d.leased(l)} }

func (d *Database) leased(l *store.Lease) *kv {
	s := &kv{db: d, name: l.Account, account: l.Number, lease: l}
	s.Group = store.NewGroup(s.commit)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[s.name] = s
	return s
}

// Store is the store of an account for what any process writes, whoever has the lease: what a
// webhook says. It needs no Close.
func (d *Database) Store(ctx context.Context, account string) (store.Store, error) {
	n, err := d.number(ctx, account)
	s := &kv{db: d, name: account, account: n}
	s.Group = store.NewGroup(s.commit)
	return store.Store{KV: s}, err
}
