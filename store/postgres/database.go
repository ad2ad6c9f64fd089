package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

const (
	mostConnections = 16              // of a process's pool, however many accounts it works on
	idleTimeout     = 5 * time.Second // of a transaction that waits for its client
	connectTimeout  = 5 * time.Second
	// pingTimeout bounds the answer of a connection that rested for a second: one that was cut without
	// a word would otherwise be waited for until the system gives it up, a quarter of an hour.
	pingTimeout = 2 * time.Second
	patience    = 15 * time.Second // bounds one transaction, with the wait for the account's lock
)

// parameters limit each connection. A lock outlives none of the timeouts, so that a replica that
// hangs keeps no account from being taken within the time of a lease.
var parameters = map[string]string{
	// A connection keeps the plan that it made when the table was small. None that reads a whole
	// table of many accounts is right later.
	"enable_seqscan":                      "off",
	"enable_hashjoin":                     "off",
	"enable_mergejoin":                    "off",
	"jit":                                 "off", // no statement runs for long
	"application_name":                    "pubsync",
	"search_path":                         "pubsync",
	"statement_timeout":                   "5000",
	"lock_timeout":                        "2000",
	"idle_in_transaction_session_timeout": fmt.Sprint(idleTimeout.Milliseconds()),
	"tcp_user_timeout":                    "5000",
	"tcp_keepalives_idle":                 "5",
	"tcp_keepalives_interval":             "2",
	"tcp_keepalives_count":                "3",
}

// A Database is the connections to a database that holds stores.
type Database struct {
	address   string
	pool      *pgxpool.Pool // of the accounts
	leases    *pgxpool.Pool // one connection: no account's waiting stops a renewal
	leaseTime time.Duration
}

//go:embed tables.sql
var tables string

const (
	selectForm    = `select coalesce(max(number), 0) from migration`
	prepareTables = `
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(hashtext('pubsync'));
		create schema if not exists pubsync;
		create table if not exists migration (number integer primary key, at timestamptz not null default now())`
	makeTables = `%s; insert into migration (number) values (%d)`
)

// Connect opens a database by its address, and makes its tables where there are none; other
// processes wait meanwhile. Else it writes nothing, so that a role without the right to make tables
// will do. Errors do not repeat the address's password.
func Connect(ctx context.Context, address string) (*Database, error) {
	d, made, err := look(ctx, address)
	if err != nil || made {
		return d, err
	}
	if err := pgx.BeginFunc(ctx, d.leases, func(tx pgx.Tx) error {
		form := 0
		_, err := tx.Exec(ctx, prepareTables)
		if err == nil {
			err = tx.QueryRow(ctx, selectForm).Scan(&form)
		}
		if err == nil && form == 0 {
			_, err = tx.Exec(ctx, fmt.Sprintf(makeTables, tables, store.Schema))
		}
		return err
	}); err != nil {
		d.Close()
		return nil, fmt.Errorf("open store: %w", translate(err))
	}
	return d, nil
}

// look is Connect without making tables; made reports whether there are any. Those of a form that
// this version does not read are an error.
func look(ctx context.Context, address string) (d *Database, made bool, err error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, false, errors.New("the address of the store is not one of PostgreSQL: " +
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
	one := c.Copy()
	one.MaxConns = 1
	d = &Database{address: address, leaseTime: leaseTime}
	if d.pool, err = pgxpool.NewWithConfig(context.Background(), c); err == nil {
		d.leases, err = pgxpool.NewWithConfig(context.Background(), one)
	}
	if err != nil {
		return nil, false, err
	}
	form, err := ask[struct{ Number int }](ctx, d, selectForm)
	if codeOf(err) == codeNoTable || err == nil && form[0].Number == 0 {
		return d, false, nil
	}
	if err == nil {
		err = store.CheckSchema(strconv.Itoa(form[0].Number))
	}
	if err != nil {
		d.Close()
		return nil, false, fmt.Errorf("open store: %w", err)
	}
	return d, true, nil
}

// Close ends the connections, once what is under way has ended.
func (d *Database) Close() {
	d.leases.Close()
	d.pool.Close()
}

// Name is the address of a database without user, password and options, and the name of an account
// in it. It tells one store from another, and is shown.
func Name(address, account string) string {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return "postgres"
	}
	return "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database + "#" + account
}

// The codes of errors.
const (
	codeLockTimeout = "55P03"
	codeDiskFull    = "53100"
	codeNoTable     = "42P01"
)

// codeOf is the SQLSTATE of an error, "" of one that is not the server's.
func codeOf(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// translate gives an error of PostgreSQL the form that callers tell apart. The end of the engine's
// own patience is not that of the caller's context.
func translate(err error) error {
	switch {
	case codeOf(err) == codeDiskFull:
		return fmt.Errorf("store: %w: %w", err, syscall.ENOSPC)
	case err != nil && store.Stopped(err):
		return fmt.Errorf("store: %v", err) //nolint:errorlint // not the caller's context
	default:
		return err
	}
}
