package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

// mostConnections bounds the pool of a process, however many accounts it works on.
const mostConnections = 16

// The limits of each connection. A lock outlives none of them, so that a replica that hangs keeps
// no account from being taken within the time of a lease.
const (
	statementTimeout = 5 * time.Second
	idleTimeout      = 5 * time.Second // of a transaction that waits for its client
	connectTimeout   = 5 * time.Second
	// pingTimeout bounds the answer of a connection that rested for a second: one that was cut
	// without a word would otherwise be waited for until the system gives it up, a quarter of an
	// hour.
	pingTimeout = 2 * time.Second
)

// schema is the database's schema that holds all tables.
const schema = "pubsync"

var parameters = map[string]string{
	// A connection keeps the plan that it made when the table was small. None that reads a whole
	// table of many accounts is right later.
	"enable_seqscan":                      "off",
	"enable_hashjoin":                     "off",
	"enable_mergejoin":                    "off",
	"jit":                                 "off", // no statement runs for long
	"application_name":                    "pubsync",
	"search_path":                         schema,
	"statement_timeout":                   milliseconds(statementTimeout),
	"lock_timeout":                        "2000",
	"idle_in_transaction_session_timeout": milliseconds(idleTimeout),
	"tcp_user_timeout":                    "5000",
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "2",
	"tcp_keepalives_count":                "3",
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

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
		return nil, fmt.Errorf("open store: %w", translate(err))
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
	for name, value := range parameters {
		if c.ConnConfig.RuntimeParams[name] == "" {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	c.PingTimeout, c.MaxConns = pingTimeout, mostConnections
	d := &Database{config: c, leaseTime: leaseTime}
	if d.pool, err = pgxpool.NewWithConfig(context.Background(), c); err != nil {
		return nil, err
	}
	one := c.Copy()
	one.MaxConns = 1
	d.leases, err = pgxpool.NewWithConfig(context.Background(), one)
	return d, err
}

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

//go:embed tables.sql
var tables string

// tablesLock is the advisory lock under which one process at a time makes the tables.
const tablesLock = 0x70756273796e63 // "pubsync"

const (
	selectForm = `select coalesce(max(number), 0) from migration`
	makeSchema = `
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(%d);
		create schema if not exists %s;
		create table if not exists migration (number integer primary key, at timestamptz not null default now())`
	makeTables = `%s; insert into migration (number) values (%d)`
)

// there reports whether there are tables. It fails for those of a form that this version does not
// read.
func (d *Database) there(ctx context.Context) (bool, error) {
	var form int
	err := repeat(ctx, harmless, func(ctx context.Context) error {
		return d.leases.QueryRow(ctx, selectForm).Scan(&form)
	})
	if codeOf(err) == codeNoTable || err == nil && form == 0 {
		return false, nil
	}
	if err == nil {
		err = store.CheckSchema(strconv.Itoa(form))
	}
	return true, err
}

// makeTables makes the tables where there are none, else it writes nothing, so that a role without
// the right to make tables will do. Other processes wait meanwhile.
func (d *Database) makeTables(ctx context.Context) error {
	if there, err := d.there(ctx); there || err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, d.leases, func(tx pgx.Tx) error {
		form := 0
		_, err := tx.Exec(ctx, fmt.Sprintf(makeSchema, tablesLock, schema))
		if err == nil {
			err = tx.QueryRow(ctx, selectForm).Scan(&form)
		}
		if err == nil && form == 0 {
			_, err = tx.Exec(ctx, fmt.Sprintf(makeTables, tables, store.Schema))
		}
		return err
	})
}
