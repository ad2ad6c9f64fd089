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
	// selectSequences selects, for accounts with a worker, the number that moves with each mark.
	selectSequences = `
		select a.name, kv.value from account a join kv on kv.account = a.name
		where a.expires > clock_timestamp() and kv.bucket = $1 and kv.key = $2`

	hintMark    = "?"         // begins the notification of a hint, and no account's name
	listenAgain = time.Second // between two connections
	pollEvery   = time.Minute // between two checks for lost notifications
)

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
