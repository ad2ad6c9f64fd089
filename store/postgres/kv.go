package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

const (
	selectKeys = `
		select k.bucket, k.key, kv.value from unnest($2::text[], $3::bytea[]) as k(bucket, key)
		join kv on kv.account = $1 and kv.bucket = k.bucket and kv.key = k.key`
	selectPage = `
		select $2::text, key, value from kv
		where account = $1 and bucket = $2 and key >= $3 and ($4::bytea is null or key < $4) order by key limit $5`
	upsertPairs = `
		insert into kv (account, bucket, key, value)
		select $1, w.bucket, w.key, w.value from unnest($2::text[], $3::bytea[], $4::bytea[]) as w(bucket, key, value)
		on conflict (account, bucket, key) do update set value = excluded.value`
	deleteKeys = `
		delete from kv using unnest($2::text[], $3::bytea[]) as k(bucket, key)
		where kv.account = $1 and kv.bucket = k.bucket and kv.key = k.key`

	lockAccount = `select pg_advisory_xact_lock($1, $2)`
	checkFence  = `
		select from account where number = $1 and fence = $2 and expires > clock_timestamp() for key share`
	// endHolder ends the holder of an account's lock that is older than any that answers: no
	// timeout of the server covers one whose client was cut off while it sent.
	endHolder = `
		select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
		where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
			and classid = $1::integer::oid and objid = $2::integer::oid and objsubid = 2 and granted
			and pid <> pg_backend_pid() and clock_timestamp() - xact_start > $3::interval`
)

// lockClass tells the advisory locks of accounts from others.
const lockClass = 0x70756273

// A kv is what a database holds of one account.
type kv struct {
	*store.Group // nil: it is only read

	db      *Database
	name    string
	account int32        // 0: there is no such account, or no table
	lease   *store.Lease // nil: of a process that writes what it is told, without the lease
	closed  atomic.Bool
	close   func() error // nil: the database is the caller's
}

// columns are those of keys and values.
type columns struct {
	buckets      []string
	keys, values [][]byte
}

func (c *columns) add(k store.Key, value []byte) {
	c.buckets, c.keys = append(c.buckets, string(k.Bucket)), append(c.keys, []byte(k.Key))
	c.values = append(c.values, value)
}

// commit makes one transaction for some writers. It is repeated where it has surely left no trace.
func (s *kv) commit(calls []*store.Write) error {
	if s.account == 0 {
		return fmt.Errorf("store has no account %q", s.name)
	}
	sent := false
	again := func(err error) bool { return repeatable(err) || !sent && harmless(err) }
	err := repeat(context.Background(), again, func(ctx context.Context) error {
		sent = false
		c, err := s.db.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		tx, err := s.begin(ctx, c, calls)
		if err == nil {
			for _, call := range calls {
				call.Run(tx)
			}
			err = tx.Err()
		}
		if err == nil {
			sent, err = true, s.end(ctx, c, tx)
		}
		c.Release() // with a transaction open it is closed
		if codeOf(err) == codeLockTimeout {
			_, ending := s.db.pool.Exec(ctx, endHolder, lockClass, s.account, idleTimeout+time.Second)
			err = cmp.Or(ending, err)
		}
		return err
	})
	if errors.Is(err, store.ErrFenced) {
		s.lease.End()
	}
	return err
}

// begin begins a transaction with the account's lock, and reads what its writers declared.
func (s *kv) begin(ctx context.Context, c *pgxpool.Conn, calls []*store.Write) (*store.Tx, error) {
	read := map[store.Key][]byte{}
	for _, call := range calls {
		for _, k := range call.Declared {
			read[k] = nil
		}
	}
	var declared columns
	for k := range read {
		declared.add(k, nil)
	}
	fenced, b := false, &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lockAccount, lockClass, s.account)
	if s.lease != nil {
		b.Queue(checkFence, s.account, s.lease.Fence).Query(func(rows pgx.Rows) error {
			fenced = !rows.Next()
			return nil
		})
	}
	if len(read) > 0 {
		b.Queue(selectKeys, s.account, declared.buckets, declared.keys).Query(func(rows pgx.Rows) error {
			return eachPair(rows, func(k store.Key, value []byte) { read[k] = value })
		})
	}
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if fenced {
		return nil, store.ErrFenced
	}
	return store.NewTx(s.db.shift(), source{ctx, c, s.account}, read), nil
}

// end sends what a transaction has written, and its commit.
func (s *kv) end(ctx context.Context, c *pgxpool.Conn, tx *store.Tx) error {
	var put, gone columns
	for k, value := range tx.Writes() {
		if value == nil {
			gone.add(k, nil)
		} else {
			put.add(k, value)
		}
	}
	b := &pgx.Batch{}
	if len(put.keys) > 0 {
		b.Queue(upsertPairs, s.account, put.buckets, put.keys, put.values)
	}
	if len(gone.keys) > 0 {
		b.Queue(deleteKeys, s.account, gone.buckets, gone.keys)
	}
	b.Queue("commit")
	if s.lease == nil { // by a statement of its own: a commit that notifies waits for all others that do
		b.Queue(notify, s.name)
	}
	return c.SendBatch(ctx, b).Close()
}

// View implements store.KV. A store that is not there reads as empty.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case s.account == 0:
		return store.NewMemory().View(ctx, fn)
	}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return store.PassOn(repeat(ctx, harmless, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.db.pool, snapshot, func(c pgx.Tx) error {
			tx := store.NewTx(s.db.shift(), source{ctx, c, s.account}, nil)
			err := store.Guarded(func() error { return fn(tx) })
			return cmp.Or(tx.Err(), err)
		})
	}))
}

// A source reads an account in a transaction.
type source struct {
	ctx context.Context //nolint:containedctx // of the transaction
	c   interface {
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	}
	account int32
}

// Read implements store.Source.
func (s source) Read(keys []store.Key) (map[store.Key][]byte, error) {
	var asked columns
	for _, k := range keys {
		asked.add(k, nil)
	}
	values := make(map[store.Key][]byte, len(keys))
	rows, err := s.c.Query(s.ctx, selectKeys, s.account, asked.buckets, asked.keys)
	if err == nil {
		err = eachPair(rows, func(k store.Key, value []byte) { values[k] = value })
	}
	return values, err
}

// Page implements store.Source.
func (s source) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
	var bound []byte
	if to != "" {
		bound = []byte(to)
	}
	rows, err := s.c.Query(s.ctx, selectPage, s.account, string(b), []byte(from), bound, most)
	if err == nil {
		err = eachPair(rows, func(k store.Key, value []byte) { page = append(page, store.Pair{Key: k.Key, Value: value}) })
	}
	return page, err
}

func eachPair(rows pgx.Rows, each func(k store.Key, value []byte)) error {
	var bucket string
	var key, value []byte
	_, err := pgx.ForEachRow(rows, []any{&bucket, &key, &value}, func() error {
		each(store.Key{Bucket: store.Bucket(bucket), Key: string(key)}, value)
		value = nil
		return nil
	})
	return err
}

// Path is the store's address without any secret.
func (s *kv) Path() string { return nameOf(s.db.config, s.name) }

// Lost is closed when the account's lease is lost. It is nil without a lease.
func (s *kv) Lost() <-chan struct{} {
	if s.lease == nil {
		return nil
	}
	return s.lease.Lost()
}

// Held reports whether the account's lease is held at this moment.
func (s *kv) Held() bool { return s.lease != nil && s.lease.Held() }

// Close waits for the writes under way, and gives up the lease where the store took it. A second
// call does nothing.
func (s *kv) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.Group.Close()
	if s.close != nil {
		return s.close()
	}
	return nil
}
