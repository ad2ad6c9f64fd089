// Package postgres keeps the stores of any number of accounts in one PostgreSQL database, for any number of processes.
//
// A process gathers the waiting writes of an account into one transaction. It sends begin, the account's advisory
// lock, the fence and the declared keys together, but as separate statements: a single one that waited for the
// lock would read the state before the wait. The server's timeouts end a transaction whose client hangs. The next
// process that waits for the lock ends one whose client was cut off.
//
// The worker of an account is the process with its lease: a row with an expiry by the database's clock and a
// fencing number. Each of its writes checks both under a key share lock; a take-over skips a locked row. Any
// process writes without the lease what a webhook, a command or the page says, and then notifies the worker.
package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

const (
	lockClass   = 0x70756273
	passingWait = 20 * time.Millisecond

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

	lockAccount = `select pg_advisory_xact_lock($1, hashtext($2))`
	checkFence  = `
		select from account where name = $1 and fence = $2 and expires > clock_timestamp() for key share`
	// endHolder ends an old holder of the lock: no timeout ends one whose client was cut off while it sent.
	endHolder = `
		select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
		where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
			and classid = $1::integer::oid and objid = hashtext($2)::oid and objsubid = 2 and granted
			and pid <> pg_backend_pid() and clock_timestamp() - xact_start > $3::interval`
)

// A kv is one account of a database, as a store.KV.
type kv struct {
	*store.Group
	*Database
	*store.Lease // nil: writes need no lease
	name         string
	close        func() error // nil: the database is the caller's
}

// StoreOf returns the store of an account for its worker. Writes fail once the lease is lost.
func (d *Database) StoreOf(l *store.Lease) store.Store {
	return writable(&kv{Database: d, Lease: l, name: l.Account})
}

// Store returns the store of an account for writes without the lease, such as a webhook's. It needs no Close.
func (d *Database) Store(account string) store.Store {
	return writable(&kv{Database: d, name: account})
}

func writable(s *kv) store.Store {
	s.Group = store.NewGroup(s.commit)
	return store.Store{KV: s}
}

// OpenView opens the store of an account for reading. A missing one reads as empty.
func OpenView(ctx context.Context, address, account string) (store.Store, error) {
	d, made, err := look(ctx, address)
	if err != nil {
		return store.Store{}, err
	}
	if !made {
		d.Close()
		return store.InMemory(), nil
	}
	return store.Store{KV: &kv{
		Group: store.ReadOnly(), Database: d, name: account, close: func() error { d.Close(); return nil },
	}}, nil
}

func (s *kv) Path() string { return Name(s.address, s.name) }

func (s *kv) Close() error {
	s.Group.Close()
	if s.close != nil {
		return s.close()
	}
	return nil
}

// View bounds its beginning and each statement. A whole snapshot may take long: a copy reads all of it.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	begins, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return again(begins, func() error {
		c, err := s.pool.BeginTx(begins, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return err
		}
		defer func() {
			ends, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			_ = c.Rollback(ends) //nolint:errcheck // it has only read
		}()
		return store.NewTx(source{ctx, c, s.name}, nil).Run(fn)
	})
}

func (s *kv) commit(calls []*store.Write) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.try(ctx, calls)
	for ctx.Err() == nil {
		if codeOf(err) == "55P03" { // the wait for the lock took too long
			if _, err := s.pool.Exec(ctx, endHolder, lockClass, s.name, idleTimeout+time.Second); err != nil {
				return translate(err)
			}
		} else if !errors.As(err, new(unbegun)) || !passing(err) {
			break
		} else {
			time.Sleep(passingWait)
		}
		err = s.try(ctx, calls)
	}
	if errors.Is(err, store.ErrFenced) {
		s.End()
	}
	return translate(err)
}

// An unbegun error is of a transaction that has written nothing.
type unbegun struct{ error }

func (e unbegun) Unwrap() error { return e.error }

// passing reports whether err is a lost connection, or a restart of the server.
func passing(err error) bool {
	switch codeOf(err) {
	case "57P01", "57P02", "57P03": // shutdown, crash, starting
		return true
	case "":
		ended := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, new(*net.OpError))
		return pgconn.SafeToRetry(err) || ended && !errors.As(err, new(*pgconn.ConnectError))
	}
	return false
}

func again(ctx context.Context, f func() error) error {
	err := f()
	for passing(err) && ctx.Err() == nil {
		time.Sleep(passingWait)
		err = f()
	}
	return translate(err)
}

// try notifies after the commit, and ignores an error of that: a commit that notifies waits for all others that do.
func (s *kv) try(ctx context.Context, calls []*store.Write) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release() // closes a connection with an open transaction
	read, declared := map[store.Key][]byte{}, columns{}
	for _, call := range calls {
		for _, k := range call.Declared {
			if _, there := read[k]; !there {
				read[k] = nil
				declared.add(k, nil)
			}
		}
	}
	held, b := true, &pgx.Batch{}
	b.Queue("begin")
	b.Queue(lockAccount, lockClass, s.name)
	if s.Lease != nil {
		b.Queue(checkFence, s.name, s.Fence).Query(func(rows pgx.Rows) error {
			held = rows.Next()
			return nil
		})
	}
	b.Queue(selectKeys, s.name, declared.buckets, declared.keys).Query(func(rows pgx.Rows) error {
		return eachPair(rows, func(k store.Key, value []byte) { read[k] = value })
	})
	if err := c.SendBatch(ctx, b).Close(); err != nil {
		return unbegun{err}
	}
	if !held {
		return store.ErrFenced
	}
	tx := store.NewTx(source{ctx, c, s.name}, read)
	for _, call := range calls {
		call.Run(tx)
	}
	if err := tx.Err(); err != nil {
		return err
	}
	var put, gone columns
	for k, value := range tx.Writes() {
		if value == nil {
			gone.add(k, nil)
		} else {
			put.add(k, value)
		}
	}
	b = &pgx.Batch{}
	if len(put.keys) > 0 {
		b.Queue(upsertPairs, s.name, put.buckets, put.keys, put.values)
	}
	if len(gone.keys) > 0 {
		b.Queue(deleteKeys, s.name, gone.buckets, gone.keys)
	}
	b.Queue("commit")
	n := b.Len()
	if s.Lease == nil {
		b.Queue(notify, s.name)
	}
	sent := c.SendBatch(ctx, b)
	defer sent.Close() //nolint:errcheck // of the notification alone
	for ; n > 0 && err == nil; n-- {
		_, err = sent.Exec()
	}
	return err
}

type columns struct {
	buckets      []string
	keys, values [][]byte
}

func (c *columns) add(k store.Key, value []byte) {
	c.buckets, c.keys = append(c.buckets, string(k.Bucket)), append(c.keys, []byte(k.Key))
	c.values = append(c.values, value)
}

type source struct {
	ctx context.Context //nolint:containedctx // of the transaction
	c   interface {
		Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	}
	account string
}

func (s source) Read(keys []store.Key) (map[store.Key][]byte, error) {
	var asked columns
	for _, k := range keys {
		asked.add(k, nil)
	}
	values := make(map[store.Key][]byte, len(keys))
	return values, s.query(func(k store.Key, value []byte) { values[k] = value }, selectKeys, asked.buckets, asked.keys)
}

func (s source) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
	var bound []byte
	if to != "" {
		bound = []byte(to)
	}
	err = s.query(func(k store.Key, value []byte) {
		page = append(page, store.Pair{Key: k.Key, Value: value})
	}, selectPage, string(b), []byte(from), bound, most)
	return page, err
}

func (s source) query(each func(k store.Key, value []byte), sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	rows, _ := s.c.Query(ctx, sql, append([]any{s.account}, args...)...) //nolint:errcheck // the rows have it
	return eachPair(rows, each)
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
