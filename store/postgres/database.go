package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// mostConnections bounds the pool of a process, however many accounts it works on.
const mostConnections = 16

// spare is how many connections the methods of stores leave to leases and webhooks, which wait for
// none of them: when a thousand accounts begin at once, their leases are renewed all the same.
const spare = 2

// The limits of each connection. A lock outlives none of them, so that a replica that hangs keeps
// no account from being taken within the time of a lease.
const (
	statementTimeout = 5 * time.Second
	lockTimeout      = 2 * time.Second
	idleTimeout      = 5 * time.Second // of a transaction that waits for its client
	deadTimeout      = 5 * time.Second // of a client that acknowledges no data
	connectTimeout   = 5 * time.Second
)

// patience bounds one method with its repetitions.
const patience = 15 * time.Second

// schema is the database's schema that holds all tables.
const schema = "pubsync"

// A Database is a pool of connections to a database that holds stores.
type Database struct {
	config    *pgconn.Config
	pool      *puddle.Pool[*connection]
	leaseTime time.Duration
	clock     clock
	inbox     inbox
	turns     chan struct{} // has a token for each method of a store that is under way
	listeners atomic.Int32  // connections that listen to what others accept

	mu   sync.Mutex
	open map[string][]*Store // those with a lease, by account
}

// A connection of the pool knows the statements that were prepared in it.
type connection struct {
	*pgconn.PgConn
	prepared map[string]*pgconn.StatementDescription
}

// Connect opens a database by its address, and brings its schema up to date. Errors do not repeat
// the address's password.
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
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the store is not one of PostgreSQL: " +
			"it has the form postgres://user:password@host:port/database")
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		// A connection keeps the plan that it made when a table was small. None that reads a whole
		// table of many accounts is right later.
		"enable_seqscan":                      "off",
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
		if c.RuntimeParams[name] == "" {
			c.RuntimeParams[name] = value
		}
	}
	d := &Database{
		config: c, leaseTime: leaseTime, turns: make(chan struct{}, mostConnections-spare),
		open: map[string][]*Store{},
	}
	d.pool, err = puddle.NewPool(&puddle.Config[*connection]{
		MaxSize: mostConnections, Constructor: d.dial,
		Destructor: func(c *connection) {
			ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
			defer cancel()
			_ = c.Close(ctx) //nolint:errcheck // it is given up
		},
	})
	d.inbox.init()
	return d, err
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

func (d *Database) dial(ctx context.Context) (*connection, error) {
	c, err := pgconn.ConnectConfig(ctx, d.config)
	if err != nil {
		return nil, err
	}
	return &connection{PgConn: c, prepared: map[string]*pgconn.StatementDescription{}}, nil
}

// Close ends the connections, once what is under way has ended.
func (d *Database) Close() {
	d.inbox.close()
	d.pool.Close()
}

// rested is how long a connection may be idle before it is tried again before its next use: the
// server may have been restarted meanwhile.
const rested = time.Second

// pingTimeout bounds the answer to a ping. A connection that was cut without a word would otherwise be
// waited for until the system gives it up, a quarter of an hour.
const pingTimeout = 2 * time.Second

func ping(ctx context.Context, c *pgconn.PgConn) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return c.Ping(ctx)
}

// with hands a connection to f, and gives it up where it cannot be used afterwards.
func (d *Database) with(ctx context.Context, f func(c *connection) error) error {
	for {
		r, err := d.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		c := r.Value()
		if r.IdleDuration() > rested && ping(ctx, c.PgConn) != nil && ctx.Err() == nil {
			r.Destroy()
			continue
		}
		usable := false
		defer func() { // also after a panic of f
			if usable && !c.IsClosed() && c.TxStatus() == 'I' {
				r.Release()
			} else {
				r.Destroy()
			}
		}()
		err = f(c)
		usable = true
		return err
	}
}

// turn waits until a method of a store may begin, for as long as ctx lasts. The function that it
// returns ends the turn.
func (d *Database) turn(ctx context.Context) (end func(), err error) {
	select {
	case d.turns <- struct{}{}:
		return func() { <-d.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send runs the statements of a batch in one transaction and one round trip.
func (d *Database) send(ctx context.Context, b *batch) error {
	return d.with(ctx, func(c *connection) error { return c.send(ctx, b) })
}

// query runs one statement.
func (d *Database) query(ctx context.Context, each func(r row) error, sql string, args ...any) error {
	b := &batch{}
	b.queue(sql, args...).each = each
	return d.send(ctx, b)
}
