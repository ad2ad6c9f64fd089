package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
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
	ahead     atomic.Int64 // nanoseconds by which the database's clock is ahead of this process's
}

// Connect opens a database by its address, and makes its tables where there are none. Errors do not
// repeat the address's password.
func Connect(ctx context.Context, address string) (*Database, error) {
	d, err := connect(address)
	if err != nil {
		return nil, err
	}
	if err := d.makeTables(ctx); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect is Connect without making tables. It makes no connection yet.
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
	d := &Database{config: c, leaseTime: leaseTime}
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
func (d *Database) StoreOf(l *store.Lease) store.Store {
	return store.Store{KV: d.writable(&kv{name: l.Account, account: l.Number, lease: l})}
}

// Store is the store of an account for what any process writes, whoever has the lease: what a
// webhook says. It needs no Close.
func (d *Database) Store(ctx context.Context, account string) (store.Store, error) {
	n, err := d.number(ctx, account)
	return store.Store{KV: d.writable(&kv{name: account, account: n})}, err
}

func (d *Database) writable(s *kv) *kv {
	s.db, s.Group = d, store.NewGroup(s.commit)
	return s
}

const (
	clockStep   = 2 * time.Second // a smaller difference of two clocks is none, so that times seldom move
	clockWithin = time.Second     // an answer that takes longer does not tell the time
)

// saw learns what the database's clock showed during a request that was begun at a moment.
func (d *Database) saw(begun, now time.Time) {
	took := time.Since(begun)
	shift := now.Sub(begun.Add(took / 2))
	if took > clockWithin || (shift-d.shift()).Abs() < clockStep {
		return
	}
	if shift.Abs() < clockStep {
		shift = 0
	}
	d.ahead.Store(int64(shift.Round(time.Millisecond)))
}

// shift is what is added to a time of this process to have it by the database's clock.
func (d *Database) shift() time.Duration { return time.Duration(d.ahead.Load()) }
