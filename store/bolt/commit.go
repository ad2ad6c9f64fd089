package bolt

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// Update implements keyed.KV: it runs fn in a transaction that it shares with other writers. The end of ctx changes
// nothing once fn is queued.
func (s *Store) Update(ctx context.Context, declared []keyed.Key, fn func(*keyed.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.readOnly {
		return store.ErrReadOnly
	}
	if d := s.damaged.Load(); d != nil {
		return d
	}
	done, err := s.group.Enter(keyed.Write{Declared: declared, Fn: fn})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return keyed.PassOn(err)
	case <-s.hurt:
	}
	select {
	case err := <-done:
		return keyed.PassOn(err)
	case <-time.After(hurtWait): // what fn found out is not being written any more
		return s.damaged.Load()
	}
}

// hurtWait bounds the wait for a commit under way once damage is known: the reader that met the
// damage may hold a lock of bbolt's for ever.
const hurtWait = time.Second

// commit makes one transaction of bbolt's for some writers. One that fails leaves nothing behind.
func (s *Store) commit(calls []*keyed.Call[keyed.Write]) error {
	if d := s.damaged.Load(); d != nil {
		return d
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	start := time.Now()
	err := s.watch(guarded(func() error {
		return s.db.Update(func(bt *bbolt.Tx) error {
			t := &tree{Tx: bt}
			tx := keyed.NewTx(0, t, nil)
			for _, c := range calls {
				err := guarded(func() error { return tx.Try(c.Of.Fn) })
				if errors.As(err, new(*damage)) {
					return err
				}
				c.Fail(err)
			}
			return t.write(tx)
		})
	}))
	if told := s.observe.Load(); err == nil && told != nil {
		(*told)(len(calls), time.Since(start))
	}
	return translate(err)
}

// View implements keyed.KV. A store that has no file yet reads as empty.
func (s *Store) View(ctx context.Context, fn func(*keyed.Tx) error) error {
	if s.db == nil {
		return keyed.NewMemory().View(ctx, fn)
	}
	return s.read(ctx, func(t *tree) error { return fn(keyed.NewTx(0, t, nil)) })
}

func (s *Store) read(ctx context.Context, fn func(*tree) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.db == nil {
		return nil
	}
	if d := s.damaged.Load(); d != nil {
		return d
	}
	return keyed.PassOn(translate(s.watch(guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error { return fn(&tree{Tx: tx}) })
	}))))
}

// watch remembers damage.
func (s *Store) watch(err error) error {
	var d *damage
	if errors.As(err, &d) {
		if s.damaged.CompareAndSwap(nil, d) {
			close(s.hurt)
		}
	}
	return err
}
