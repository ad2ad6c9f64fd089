package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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
)

// patience bounds one method with its repetitions.
const patience = 15 * time.Second

// schema is the database's schema that holds all tables.
const schema = "pubsync"

// A Database is a pool of connections to a database that holds stores.
type Database struct {
	pool *pgxpool.Pool
}

// Connect opens a database by its address, and brings its schema up to date. Errors do not repeat
// the address's password.
func Connect(ctx context.Context, address string) (*Database, error) {
	d, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := d.migrate(ctx, migrations); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect is Connect without migrations.
func connect(ctx context.Context, address string) (*Database, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the store is not one of PostgreSQL: " +
			"it has the form postgres://user:password@host:port/database")
	}
	if c.MaxConns = mostConnections; c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
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
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &Database{pool: pool}, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// Close ends the connections, once what is under way has ended.
func (d *Database) Close() { d.pool.Close() }

// send runs the statements of a batch in one transaction and one round trip.
func (d *Database) send(ctx context.Context, b *pgx.Batch) error {
	return d.pool.SendBatch(ctx, b).Close()
}
