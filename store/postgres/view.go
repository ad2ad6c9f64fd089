package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// View implements keyed.KV. It begins with its first statement: a view of what is kept makes none. A
// store that is not there reads as empty.
func (s *Store) View(ctx context.Context, fn func(*keyed.Tx) error) error {
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case s.closed.Load():
		return store.ErrClosed
	case s.absent:
		return keyed.NewMemory().View(ctx, fn)
	}
	if s.told() {
		if err := s.view(ctx, fn, s.answers.reading()); err == nil {
			return nil
		}
		s.answers.forget() // what is kept may be of two moments, where another process writes
	}
	return keyed.PassOn(s.view(ctx, fn, nil))
}

func (s *Store) view(ctx context.Context, fn func(*keyed.Tx) error, kept *reading) error {
	return repeat(ctx, harmless, func(ctx context.Context) error {
		v := &viewer{pool: s.db.pool}
		defer func() { giveBack(v.c) }()
		var from keyed.Source = source{ctx, v, s.account}
		if kept != nil {
			kept.Source, from = from, kept
		}
		tx := keyed.NewTx(s.db.clock.ahead(), from, nil)
		err := keyed.Guarded(func() error { return fn(tx) })
		switch {
		case tx.Err() != nil:
			return tx.Err()
		case kept != nil && err == nil:
			kept.keep()
		}
		return err
	})
}

// A viewer makes the statements of one view.
type viewer struct {
	pool *pgxpool.Pool
	c    *pgxpool.Conn
}

const beginView = "begin isolation level repeatable read read only"

func (v *viewer) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if v.c != nil {
		return v.c.Query(ctx, sql, args...)
	}
	var err error
	if v.c, err = v.pool.Acquire(ctx); err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	b.Queue(beginView)
	b.Queue(sql, args...)
	r := v.c.SendBatch(ctx, b)
	if _, err := r.Exec(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	rows, err := r.Query()
	return batchRows{rows, r}, err
}

// batchRows are the last rows of a batch, and end it.
type batchRows struct {
	pgx.Rows
	of pgx.BatchResults
}

func (r batchRows) Close() {
	r.Rows.Close()
	_ = r.of.Close() //nolint:errcheck // the rows have the error
}

// answers keep what was read of an account whose lease this process has, for as long as it is told of
// each change: by its own commits, and of what others write by notifications. So an account that has
// nothing to do asks the database for nothing.
type answers struct {
	mu      sync.Mutex
	changes uint64
	unsure  time.Time
	size    int
	values  map[keyed.Key][]byte
	pages   map[span][]keyed.Pair
}

// A span is what a page was asked for.
type span struct {
	bucket   keyed.Bucket
	from, to string
	most     int
}

const (
	mostKept = 64 << 10 // bytes of what is kept of an account
	// unsureFor is how long nothing is kept after a commit whose end is not known: the server may make
	// it later, within the timeouts of a connection.
	unsureFor = 2 * patience
)

// forget gives up the answers, and those of views that are under way.
func (a *answers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	a.values, a.pages, a.size = nil, nil, 0
}

// doubt has nothing kept for a time.
func (a *answers) doubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unsure = time.Now().Add(unsureFor)
}

// told reports whether this process learns of each change of the account.
func (s *Store) told() bool {
	return s.lease != nil && s.lease.Held() && s.db.listeners.Load() > 0
}

// A reading is a view that reads what is kept in the place of its source.
type reading struct {
	keyed.Source
	of      *answers
	changes uint64
	values  map[keyed.Key][]byte
	pages   map[span][]keyed.Pair
}

func (a *answers) reading() *reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &reading{
		of: a, changes: a.changes, values: map[keyed.Key][]byte{}, pages: map[span][]keyed.Pair{},
	}
}

// Read implements keyed.Source.
func (r *reading) Read(keys []keyed.Key) (map[keyed.Key][]byte, error) {
	values := make(map[keyed.Key][]byte, len(keys))
	r.of.mu.Lock()
	known := true
	for _, k := range keys {
		value, ok := r.of.values[k]
		known = known && ok
		if value != nil {
			values[k] = value
		}
	}
	r.of.mu.Unlock()
	if known {
		return values, nil
	}
	values, err := r.Source.Read(keys)
	if err == nil {
		for _, k := range keys {
			r.values[k] = values[k]
		}
	}
	return values, err
}

// Page implements keyed.Source.
func (r *reading) Page(b keyed.Bucket, from, to string, most int) ([]keyed.Pair, error) {
	at := span{b, from, to, most}
	r.of.mu.Lock()
	page, known := r.of.pages[at]
	r.of.mu.Unlock()
	if known {
		return page, nil
	}
	page, err := r.Source.Page(b, from, to, most)
	if err == nil {
		r.pages[at] = page
	}
	return page, err
}

// keep keeps what was read, unless something has changed since the view began, or it is much.
func (r *reading) keep() {
	size := 0
	for k, value := range r.values {
		size += len(k.Key) + len(value)
	}
	for _, page := range r.pages {
		for _, p := range page {
			size += len(p.Key) + len(p.Value)
		}
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.of.changes != r.changes || r.of.size+size > mostKept || time.Now().Before(r.of.unsure) {
		return
	}
	if r.of.values == nil {
		r.of.values, r.of.pages = map[keyed.Key][]byte{}, map[span][]keyed.Pair{}
	}
	r.of.size += size
	for k, value := range r.values {
		r.of.values[k] = value
	}
	for at, page := range r.pages {
		r.of.pages[at] = page
	}
}
