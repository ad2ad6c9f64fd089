package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

const (
	mostConnections = 16              // of pool
	idleTimeout     = 5 * time.Second // of a transaction that waits for its client
	connectTimeout  = 5 * time.Second
	// pingTimeout bounds the check of a rested connection: the system gives a silently cut one 15 minutes.
	pingTimeout = 2 * time.Second
	patience    = 15 * time.Second // of one transaction, with the wait for the lock
)

// parameters apply to each connection. By the timeouts a hung process blocks a take-over no longer than a lease.
var parameters = map[string]string{
	// A connection keeps the plan that it made for a small table: reading all of it is wrong later.
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

// A Database is the connections to a database of stores.
type Database struct {
	address   string
	pool      *pgxpool.Pool
	leases    *pgxpool.Pool // a connection of its own: no account's wait stops a renewal
	leaseTime time.Duration
}

//go:embed tables.sql
var tables string

const (
	selectForm = `select coalesce(max(number), 0) from migration`
	// makeTables is one transaction, as all statements that are sent together.
	makeTables = `
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(hashtext('pubsync'));
		create schema if not exists pubsync;
		create table if not exists migration (number integer primary key, at timestamptz not null default now());
		do $do$ begin if not exists (select from migration) then -- else another process has made them
			%s
			insert into migration (number) values (%d);
		end if; end $do$`

	notify = `select pg_notify('pubsync', $1)`
	// selectSequences selects, for accounts with a worker, the number that moves with each mark.
	selectSequences = `
		select a.name, kv.value from account a join kv on kv.account = a.name
		where a.expires > clock_timestamp() and kv.bucket = $1 and kv.key = $2`

	hintMark    = "?"         // begins the notification of a hint, and no account's name
	listenAgain = time.Second // between two connections
	pollEvery   = time.Minute // between two checks for lost notifications
)

// Connect opens a database, and makes missing tables while other processes wait. If there are tables it writes
// nothing, so that a role may lack the right to make them. Errors do not contain the password.
func Connect(ctx context.Context, address string) (*Database, error) {
	d, made, err := look(ctx, address)
	if err != nil || made {
		return d, err
	}
	if _, err := d.leases.Exec(ctx, fmt.Sprintf(makeTables, tables, store.Schema)); err != nil {
		d.Close()
		return nil, fmt.Errorf("open store: %w", translate(err))
	}
	return d, nil
}

// look connects, and reports whether there are tables.
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
	if codeOf(err) == "42P01" || err == nil && form[0].Number == 0 { // no such table
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

// Name returns the address without user, password and options, and the account. It identifies a store, and is shown.
func Name(address, account string) string {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return "postgres"
	}
	return "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database + "#" + account
}

// codeOf returns the SQLSTATE, "" if the server sent none.
func codeOf(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// translate hides a timeout of the engine's own, which callers would take for the end of their context.
func translate(err error) error {
	switch {
	case codeOf(err) == "53100": // the disk is full
		return fmt.Errorf("store: %w: %w", err, syscall.ENOSPC)
	case err != nil && store.Stopped(err):
		return fmt.Errorf("store: %v", err) //nolint:errorlint // not the caller's context
	default:
		return err
	}
}

// Hint asks the worker of an account to read its list soon. The next sweep makes up for a lost hint.
func (d *Database) Hint(ctx context.Context, account string) error {
	_, err := d.pool.Exec(ctx, notify, hintMark+account)
	return err
}

// Accepted calls f, until ctx ends, with each account that any process wrote to without its lease, or hinted at. A
// notification is lost while the connection is away, or if its sender dies. So f gets "", for every account, at
// each connection, and each minute the accounts whose marks have moved.
func (d *Database) Accepted(ctx context.Context, f func(account string, hinted bool)) {
	c := d.pool.Config().ConnConfig
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		account, hinted := strings.CutPrefix(n.Payload, hintMark)
		f(account, hinted)
	}
	for ctx.Err() == nil {
		_ = listen(ctx, c, f) //nolint:errcheck // it is tried again until ctx ends
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

func listen(ctx context.Context, config *pgx.ConnConfig, f func(account string, hinted bool)) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only listened
	if _, err := c.Exec(ctx, "listen pubsync"); err != nil {
		return err
	}
	seen := map[string]string{}
	for first := true; ; first = false {
		// this statement finds a connection that was cut silently
		asking, cancel := context.WithTimeout(ctx, askTimeout)
		rows, err := c.Query(asking, selectSequences, string(store.SequenceKey.Bucket), []byte(store.SequenceKey.Key))
		var name string
		var sequence []byte
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&name, &sequence}, func() error {
				if !first && seen[name] != string(sequence) {
					f(name, false)
				}
				seen[name] = string(sequence)
				return nil
			})
		}
		cancel()
		if err == nil && first {
			f("", false)
		}
		quiet, cancel := context.WithTimeout(ctx, pollEvery)
		for err == nil {
			err = c.PgConn().WaitForNotification(quiet)
		}
		cancel()
		if ctx.Err() != nil || !pgconn.Timeout(err) || c.IsClosed() {
			return err
		}
	}
}
