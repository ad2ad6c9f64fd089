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
	for first := true; ; first = false {
		// a connection that was cut without a word does not say so by itself: this statement finds it
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
