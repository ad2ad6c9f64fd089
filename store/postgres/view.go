package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pubsync/pubsync/store"
)

// View implements store.KV. It begins with its first statement: a view of what is kept makes none.
// A store that is not there reads as empty.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case s.closed.Load():
		return store.ErrClosed
	case s.absent:
		return store.NewMemory().View(ctx, fn)
	}
	if s.lease != nil && s.lease.Held() && s.db.listeners.Load() > 0 { // this process learns of each change
		if err := s.view(ctx, fn, true); err == nil {
			return nil
		}
		s.answers.forget() // what is kept may be of two moments, where another process writes
	}
	return store.PassOn(s.view(ctx, fn, false))
}

// view runs fn, by what is kept or not.
func (s *kv) view(ctx context.Context, fn func(*store.Tx) error, kept bool) error {
	return repeat(ctx, harmless, func(ctx context.Context) error {
		v := &viewer{pool: s.db.pool}
		defer func() { giveBack(v.c) }()
		r := s.answers.reading(source{ctx, v, s.account})
		tx := store.NewTx(s.db.clock.ahead(), r.above, nil)
		if kept {
			tx = store.NewTx(s.db.clock.ahead(), r, nil)
		}
		err := store.Guarded(func() error { return fn(tx) })
		switch {
		case tx.Err() != nil:
			return tx.Err()
		case kept && err == nil:
			r.keep()
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
