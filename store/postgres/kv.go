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
	lease   *store.Lease // nil: of whoever writes what a process without the lease was told
	answers answers
	closed  atomic.Bool
	close   func() error // nil: the database is the caller's
}

// commit makes one transaction for some writers. It is repeated where it has surely left no trace.
func (s *kv) commit(calls []*store.Write) error {
	if s.account == 0 {
		return fmt.Errorf("store has no account %q", s.name)
	}
	sent := false
	again := func(err error) bool { return repeatable(err) || !sent && disconnected(err) }
	defer s.answers.forget()
	err := repeat(context.Background(), again, func(ctx context.Context) (err error) {
		sent, err = s.transact(ctx, calls)
		return err
	})
	switch {
	case errors.Is(err, store.ErrFenced):
		s.lease.End()
	case err != nil && sent:
		s.answers.doubt()
	}
	return err
}

// transact runs the functions of some writers. sent is whether the commit was.
func (s *kv) transact(ctx context.Context, calls []*store.Write) (sent bool, err error) {
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
		_ = call.Run(tx) //nolint:errcheck // its caller gets it
	}
	if err := tx.Err(); err != nil {
		return false, err
	}
	var put, gone pairs
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
	return true, c.SendBatch(ctx, b).Close()
}

// pairs are the columns of keys and values.
type pairs struct {
	buckets      []string
	keys, values [][]byte
}

func (p *pairs) add(k store.Key, value []byte) {
	p.buckets, p.keys = append(p.buckets, string(k.Bucket)), append(p.keys, []byte(k.Key))
	p.values = append(p.values, value)
}

// begin begins a transaction with the account's lock, and reads what its writers declared.
func (s *kv) begin(ctx context.Context, c *pgxpool.Conn, calls []*store.Write) (*store.Tx, error) {
	fenced := false
	read := map[store.Key][]byte{}
	for _, call := range calls {
		for _, k := range call.Declared {
			read[k] = nil
		}
	}
	var declared pairs
	for k := range read {
		declared.add(k, nil)
	}
	b := &pgx.Batch{}
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
			return eachPair(rows, read)
		})
	}
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return nil, err
	}
	if fenced {
		return nil, store.ErrFenced
	}
	return store.NewTx(s.db.clock.ahead(), source{ctx, c, s.account}, read), nil
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

// View implements store.KV. A store that is not there reads as empty. Where this process has the
// lease and learns of each change, what it has read before is not asked again.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.closed.Load():
		return store.ErrClosed
	case s.account == 0:
		return store.NewMemory().View(ctx, fn)
	}
	if s.Held() && s.db.listeners.Load() > 0 {
		if err := s.view(ctx, fn, true); err == nil {
			return nil
		}
		s.answers.forget() // what is kept may be of two moments, where another process writes
	}
	return store.PassOn(s.view(ctx, fn, false))
}

// view runs fn, by what is kept or not. A transaction begins with the first statement.
func (s *kv) view(ctx context.Context, fn func(*store.Tx) error, kept bool) error {
	return repeat(ctx, harmless, func(ctx context.Context) error {
		v := &snapshot{pool: s.db.pool}
		defer v.end()
		var from store.Source = source{ctx, v, s.account}
		if kept {
			from = s.answers.reading(from)
		}
		tx := store.NewTx(s.db.clock.ahead(), from, nil)
		err := store.Guarded(func() error { return fn(tx) })
		return cmp.Or(tx.Err(), err)
	})
}

// A snapshot is a transaction that reads the database as it is at its first statement.
type snapshot struct {
	pool *pgxpool.Pool
	tx   pgx.Tx
}

func (v *snapshot) Query(ctx context.Context, sql string, args ...any) (rows pgx.Rows, err error) {
	if v.tx == nil {
		o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		if v.tx, err = v.pool.BeginTx(ctx, o); err != nil {
			return nil, err
		}
	}
	return v.tx.Query(ctx, sql, args...)
}

func (v *snapshot) end() {
	if v.tx != nil {
		ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
		defer cancel()
		_ = v.tx.Rollback(ctx) //nolint:errcheck // a connection that fails is closed when it is released
	}
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
	var asked pairs
	for _, k := range keys {
		asked.add(k, nil)
	}
	values := make(map[store.Key][]byte, len(keys))
	rows, err := s.c.Query(s.ctx, selectKeys, s.account, asked.buckets, asked.keys)
	if err == nil {
		err = eachPair(rows, values)
	}
	return values, err
}

// eachPair reads the rows of selectKeys.
func eachPair(rows pgx.Rows, into map[store.Key][]byte) error {
	var bucket string
	var key, value []byte
	_, err := pgx.ForEachRow(rows, []any{&bucket, &key, &value}, func() error {
		into[store.Key{Bucket: store.Bucket(bucket), Key: string(key)}] = value
		value = nil
		return nil
	})
	return err
}

// Page implements store.Source.
func (s source) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
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
		page = append(page, store.Pair{Key: string(key), Value: value})
		value = nil
		return nil
	})
	return page, err
}

// Path is the store's address without any secret.
func (s *kv) Path() string { return nameOf(s.db.config, s.name) }

// Lost is closed when the account's lease is lost: the worker can write nothing any more. It is nil
// without a lease.
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
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	if s.Group != nil {
		<-s.Group.Close()
	}
	s.db.mu.Lock()
	if s.db.open[s.name] == s {
		delete(s.db.open, s.name)
	}
	s.db.mu.Unlock()
	if s.close != nil {
		return s.close()
	}
	return nil
}
