package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

const (
	insertWishes = `
		insert into kv (account, bucket, key, value)
		select a.number, $4, w.key, w.value from unnest($1::text[], $2::bytea[], $3::bytea[]) as w(account, key, value)
		join account a on a.name = w.account on conflict do nothing`
	selectNames = `select name from account where name = any($1)`
	notify      = `select pg_notify('pubsync', $1)`

	selectWaiting = `
		select name from account a where number = any($1)
		and exists (select from kv where account = a.number and bucket = $2)`
)

// hintMark begins a notification of a hint; no account's name begins with it.
const hintMark = "?"

// The times of listening.
const (
	listenAgain = time.Second // between two connections
	pollEvery   = time.Minute // between two looks at what a lost notification may have left
)

// mostNotified is how long the payload of a notification is at most, in bytes; "" is every account.
const mostNotified = 7000

// An accepted is what a caller of Accept waits for.
type accepted struct {
	account string
	wishes  []store.Pair
}

// Accept makes publications of any account due, whoever has its lease.
func (d *Database) Accept(ctx context.Context, account string, marks ...store.Mark) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := accepted{account: account}
	for _, m := range marks {
		p, err := store.Wish(m, d.clock.ahead())
		if err != nil {
			return err
		}
		a.wishes = append(a.wishes, p)
	}
	done, err := d.inbox.Enter(a)
	if err != nil {
		return err
	}
	return <-done
}

// accept inserts what some callers accept, in one statement, and notifies once.
func (d *Database) accept(calls []*store.Call[accepted]) error {
	ctx := context.Background()
	var accounts []string
	var names []string
	var keys, values [][]byte
	for _, c := range calls {
		accounts = append(accounts, c.Of.account)
		for _, p := range c.Of.wishes {
			names, keys, values = append(names, c.Of.account), append(keys, []byte(p.Key)), append(values, p.Value)
		}
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	err := repeat(ctx, harmless, func(ctx context.Context) error {
		b := &pgx.Batch{}
		known := map[string]bool{}
		b.Queue(insertWishes, names, keys, values, string(store.BucketWish))
		b.Queue(selectNames, accounts).Query(func(rows pgx.Rows) error {
			var name string
			_, err := pgx.ForEachRow(rows, []any{&name}, func() error { known[name] = true; return nil })
			return err
		})
		if err := d.hints.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		accounts = slices.DeleteFunc(accounts, func(name string) bool { return !known[name] })
		for _, c := range calls {
			if !known[c.Of.account] {
				c.Fail(fmt.Errorf("store has no account %q", c.Of.account))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(accounts) == 0 {
		return nil
	}
	payload := strings.Join(accounts, "\n")
	if len(payload) > mostNotified {
		payload = ""
	}
	bound, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	_, _ = d.hints.Exec(bound, notify, payload) //nolint:errcheck // a notification is a hint
	return nil
}

// Hint asks whoever has the lease of an account to read its list soon.
func (d *Database) Hint(ctx context.Context, account string) error {
	return repeat(ctx, repeatable, func(ctx context.Context) error {
		_, err := d.hints.Exec(ctx, notify, hintMark+account)
		return err
	})
}

// Accepted has f called with the names of accounts for which marks were accepted, or which were
// hinted at, until ctx ends. A notification that came while the connection was away is lost: an
// empty list, which stands for every account, is handed to f at the beginning and after each such
// gap, and each minute f is called with the accounts of open stores for which something waits.
func (d *Database) Accepted(ctx context.Context, f func(accounts []string, hinted bool)) {
	c := d.config.ConnConfig.Copy()
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		switch account, hinted := strings.CutPrefix(n.Payload, hintMark); {
		case hinted:
			f([]string{account}, true)
		case n.Payload == "":
			d.changed()
			f(nil, false)
		default:
			names := strings.Split(n.Payload, "\n")
			d.changed(names...)
			f(names, false)
		}
	}
	for {
		_ = d.listen(ctx, c, f) //nolint:errcheck // it is tried again until ctx ends
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
			return
		}
	}
}

// listen listens on one connection until that ends.
func (d *Database) listen(ctx context.Context, config *pgx.ConnConfig, f func(accounts []string, hinted bool)) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only listened
	if _, err := c.Exec(ctx, "listen pubsync"); err != nil {
		return err
	}
	d.changed()
	d.listeners.Add(1)
	defer d.listeners.Add(-1)
	f(nil, false)
	for poll := time.Now().Add(pollEvery); ; {
		quiet, cancel := context.WithDeadline(ctx, poll)
		err := c.PgConn().WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() == nil && pgconn.Timeout(err) && !c.IsClosed():
			waiting, err := waiting(ctx, c, d.numbers())
			if err != nil {
				return err
			}
			if len(waiting) > 0 {
				d.changed(waiting...)
				f(waiting, false)
			}
			poll = time.Now().Add(pollEvery)
		default:
			return err
		}
	}
}

// waiting is the accounts of open stores for which something was accepted: one statement for all.
func waiting(ctx context.Context, c *pgx.Conn, numbers []int32) (names []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	rows, err := c.Query(ctx, selectWaiting, numbers, string(store.BucketWish))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
