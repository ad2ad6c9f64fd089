package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	notify      = `select pg_notify('pubsync', $1)`
	hintMark    = "?"         // begins a notification of a hint; no account's name begins with it
	listenAgain = time.Second // between two connections
	// lookEvery is between two looks of all accounts at what a lost notification may have left.
	lookEvery = 5 * time.Minute
)

// Hint asks whoever has the lease of an account to read its list soon. It is not durable: what a
// list has is found by the next sweep too.
func (d *Database) Hint(ctx context.Context, account string) error {
	_, err := d.pool.Exec(ctx, notify, hintMark+account)
	return err
}

// Accepted has f called with the name of an account to which another process wrote, or which was
// hinted at, until ctx ends. A notification that came while the connection was away is lost, and so
// is that of a process which died before it sent it: "", which stands for every account, is handed to
// f at the beginning, after each such gap, and every five minutes.
func (d *Database) Accepted(ctx context.Context, f func(account string, hinted bool)) {
	c := d.config.ConnConfig.Copy()
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		account, hinted := strings.CutPrefix(n.Payload, hintMark)
		f(account, hinted)
	}
	for ctx.Err() == nil {
		_ = listen(ctx, c, func() { f("", false) }) //nolint:errcheck // it is tried again until ctx ends
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
		}
	}
}

// listen listens on one connection until that ends.
func listen(ctx context.Context, config *pgx.ConnConfig, all func()) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only listened
	for {
		// also later: a connection that was cut without a word does not say so by itself
		asked, cancel := context.WithTimeout(ctx, askTimeout)
		_, err := c.Exec(asked, "listen pubsync")
		cancel()
		if err != nil {
			return err
		}
		all()
		quiet, cancel := context.WithTimeout(ctx, lookEvery)
		for err == nil {
			err = c.PgConn().WaitForNotification(quiet)
		}
		cancel()
		if ctx.Err() != nil || !pgconn.Timeout(err) || c.IsClosed() {
			return err
		}
	}
}
