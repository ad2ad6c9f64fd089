package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

const (
	notify = `select pg_notify('pubsync', $1)`
	// selectSequences is what moves with each mark, of the accounts that are worked on.
	selectSequences = `
		select a.name, kv.value from account a join kv on kv.account = a.name
		where a.expires > clock_timestamp() and kv.bucket = $1 and kv.key = $2`

	hintMark    = "?"         // begins a notification of a hint; no account's name begins with it
	listenAgain = time.Second // between two connections
	pollEvery   = time.Minute // between two looks at what a lost notification may have left
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
// f at the beginning and after each such gap, and each minute f is called with the accounts whose
// marks have moved.
func (d *Database) Accepted(ctx context.Context, f func(account string, hinted bool)) {
	c := d.config.ConnConfig.Copy()
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

// listen listens on one connection until that ends.
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
	if err := moved(ctx, c, seen, func(string, bool) {}); err != nil {
		return err
	}
	f("", false)
	for {
		quiet, cancel := context.WithTimeout(ctx, pollEvery)
		for err == nil {
			err = c.PgConn().WaitForNotification(quiet)
		}
		cancel()
		if ctx.Err() != nil || !pgconn.Timeout(err) || c.IsClosed() {
			return err
		}
		// a connection that was cut without a word does not say so by itself: this statement finds it
		if err = moved(ctx, c, seen, f); err != nil {
			return err
		}
	}
}

// moved calls f with the accounts whose marks are others than were seen: one statement for all.
func moved(ctx context.Context, c *pgx.Conn, seen map[string]string, f func(account string, hinted bool)) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	rows, err := c.Query(ctx, selectSequences, string(store.SequenceKey.Bucket), []byte(store.SequenceKey.Key))
	if err != nil {
		return err
	}
	var name string
	var sequence []byte
	_, err = pgx.ForEachRow(rows, []any{&name, &sequence}, func() error {
		if now := string(sequence); seen[name] != now {
			seen[name] = now
			f(name, false)
		}
		return nil
	})
	return err
}
