package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

const (
	selectKeys = `
		select k.bucket, k.key, kv.value from unnest($2::text[], $3::bytea[]) as k(bucket, key)
		join kv on kv.account = $1 and kv.bucket = k.bucket and kv.key = k.key`
	selectPage   = `select key, value from kv where account = $1 and bucket = $2 and key >= $3 order by key limit $4`
	selectPageTo = `
		select key, value from kv where account = $1 and bucket = $2 and key >= $3 and key < $5 order by key limit $4`
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
	selectNow = `select clock_timestamp()`

	// endHolder ends the holder of an account's lock that is older than any that answers: no timeout of
	// the server covers one whose client was cut off while it sent.
	endHolder = `
		select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
		where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
			and classid = $1::integer::oid and objid = $2::integer::oid and objsubid = 2 and granted
			and pid <> pg_backend_pid() and clock_timestamp() - xact_start > $3::interval`
)

// lockClass tells the advisory locks of accounts from others.
const lockClass = 0x70756273

// Update implements keyed.KV: it runs fn in a transaction that it shares with the other writers of the
// process to the account. The end of ctx changes nothing once fn is queued.
func (s *Store) Update(ctx context.Context, declared []keyed.Key, fn func(*keyed.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case s.lease == nil:
		return store.ErrReadOnly
	}
	done, err := s.group.Enter(keyed.Write{Declared: declared, Fn: fn})
	if err != nil {
		return err
	}
	return keyed.PassOn(<-done)
}

// commit makes one transaction for some writers. It is repeated where it has surely left no trace.
func (s *Store) commit(calls []*keyed.Call[keyed.Write]) error {
	begun, sent := time.Now(), false
	again := func(err error) bool { return repeatable(err) || !sent && disconnected(err) }
	defer s.answers.forget()
	err := repeat(context.Background(), again, func(ctx context.Context) (err error) {
		sent, err = s.transact(ctx, calls)
		return err
	})
	switch told := s.observe.Load(); {
	case errors.Is(err, store.ErrFenced):
		s.lease.End()
	case err != nil && sent:
		s.answers.doubt()
	case err == nil && told != nil:
		(*told)(len(calls), time.Since(begun))
	}
	return err
}

// transact runs the functions of some writers. sent is whether the commit was.
func (s *Store) transact(ctx context.Context, calls []*keyed.Call[keyed.Write]) (sent bool, err error) {
	c, err := s.db.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer func() { giveBack(c) }()
	tx, err := s.begin(ctx, c, calls)
	if locked := err; codeOf(err) == codeLockTimeout {
		giveBack(c)
		if c, err = s.db.pool.Acquire(ctx); err == nil {
			_, err = c.Exec(ctx, endHolder, lockClass, s.account, idleTimeout+time.Second)
		}
		return false, cmp.Or(err, locked)
	}
	if err != nil {
		return false, err
	}
	for _, call := range calls {
		call.Fail(keyed.Guarded(func() error { return tx.Try(call.Of.Fn) }))
	}
	if err := tx.Err(); err != nil {
		return false, err
	}
	var put, gone writes
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
	return true, c.SendBatch(ctx, b).Close()
}

// writes are the columns of what a transaction writes.
type writes struct {
	buckets      []string
	keys, values [][]byte
}

func (w *writes) add(k keyed.Key, value []byte) {
	w.buckets, w.keys = append(w.buckets, string(k.Bucket)), append(w.keys, []byte(k.Key))
	w.values = append(w.values, value)
}

// begin begins a transaction with the account's lock, and reads what its writers declared.
func (s *Store) begin(ctx context.Context, c *pgxpool.Conn, calls []*keyed.Call[keyed.Write]) (*keyed.Tx, error) {
	var now time.Time
	begun, fenced := time.Now(), true
	read := map[keyed.Key][]byte{}
	for _, call := range calls {
		for _, k := range call.Of.Declared {
			read[k] = nil
		}
	}
	var declared writes
	for k := range read {
		declared.add(k, nil)
	}
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lockAccount, lockClass, s.account)
	b.Queue(checkFence, s.account, s.lease.Fence).Query(func(rows pgx.Rows) error {
		fenced = !rows.Next()
		return nil
	})
	b.Queue(selectNow).QueryRow(func(row pgx.Row) error { return row.Scan(&now) })
	if len(read) > 0 {
		b.Queue(selectKeys, s.account, declared.buckets, declared.keys).Query(func(rows pgx.Rows) error {
			return eachPair(rows, read)
		})
	}
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if fenced {
		return nil, store.ErrFenced
	}
	s.db.clock.saw(begun, now)
	return keyed.NewTx(s.db.clock.ahead(), source{ctx, c, s.account}, read), nil
}

// giveBack gives a connection back, without a transaction.
func giveBack(c *pgxpool.Conn) {
	if c == nil {
		return
	}
	if pg := c.Conn().PgConn(); !pg.IsClosed() && pg.TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
		defer cancel()
		_, _ = c.Exec(ctx, "rollback") //nolint:errcheck // a connection that fails is closed when it is released
	}
	c.Release()
}

// A source reads an account in a transaction.
type source struct {
	ctx context.Context //nolint:containedctx // of the transaction
	c   interface {
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	}
	account int32
}

// Read implements keyed.Source.
func (s source) Read(keys []keyed.Key) (map[keyed.Key][]byte, error) {
	var w writes
	for _, k := range keys {
		w.add(k, nil)
	}
	values := make(map[keyed.Key][]byte, len(keys))
	rows, err := s.c.Query(s.ctx, selectKeys, s.account, w.buckets, w.keys)
	if err == nil {
		err = eachPair(rows, values)
	}
	return values, err
}

// eachPair reads the rows of selectKeys.
func eachPair(rows pgx.Rows, into map[keyed.Key][]byte) error {
	var bucket string
	var key, value []byte
	_, err := pgx.ForEachRow(rows, []any{&bucket, &key, &value}, func() error {
		into[keyed.Key{Bucket: keyed.Bucket(bucket), Key: string(key)}] = value
		value = nil
		return nil
	})
	return err
}

// Page implements keyed.Source.
func (s source) Page(b keyed.Bucket, from, to string, most int) (page []keyed.Pair, err error) {
	sql, args := selectPage, []any{s.account, string(b), []byte(from), most}
	if to != "" {
		sql, args = selectPageTo, append(args, []byte(to))
	}
	rows, err := s.c.Query(s.ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	var key, value []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		page = append(page, keyed.Pair{Key: string(key), Value: value})
		value = nil
		return nil
	})
	return page, err
}
