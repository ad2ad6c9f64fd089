package bolt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// maxCommit bounds how many writers share a commit, so that the first of a burst is not kept
// waiting by the last.
const maxCommit = 512

// A request is one writer that waits for the commit its work goes into.
type request struct {
	fn   func(keyed.Tx) error
	done chan error
}

// Update implements keyed.KV: it runs fn in a transaction that it shares with other writers. The end of ctx changes
// nothing once fn is queued.
func (s *Store) Update(ctx context.Context, fn func(keyed.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.readOnly {
		return store.ErrReadOnly
	}
	r := request{fn: fn, done: make(chan error, 1)}
	s.closing.RLock()
	if s.closed {
		s.closing.RUnlock()
		return store.ErrClosed
	}
	select {
	case s.writes <- r:
		s.closing.RUnlock()
	case <-s.hurt:
		s.closing.RUnlock()
		return s.damaged.Load()
	}
	select {
	case err := <-r.done:
		return passOn(err)
	case <-s.hurt:
	}
	select {
	case err := <-r.done:
		return passOn(err)
	case <-time.After(hurtWait): // what fn found out is not being written any more
		return s.damaged.Load()
	}
}

// hurtWait bounds the wait for a commit under way once damage is known: the reader that met the
// damage may hold a lock of bbolt's for ever.
const hurtWait = time.Second

// passOn repeats a panic of the caller's own function in the caller's goroutine.
func passOn(err error) error {
	if p, ok := err.(*callerPanic); ok { //nolint:errorlint // never wrapped
		panic(p.value)
	}
	return err
}

// commit gathers writers and commits them together until the store closes.
func (s *Store) commit() {
	defer close(s.committed)
	batch := make([]request, 0, maxCommit)
	for r := range s.writes {
		batch = s.gather(append(batch[:0], r))
		s.commitBatch(batch)
	}
}

// gather lets other writers join the batch: it yields to them until no more come. It uses no timer,
// so a lone writer yields once.
func (s *Store) gather(batch []request) []request {
	for joined := true; joined && len(batch) < maxCommit; {
		runtime.Gosched()
		joined = false
		for waiting := true; waiting && len(batch) < maxCommit; {
			select {
			case next, open := <-s.writes:
				if waiting = open; open {
					batch, joined = append(batch, next), true
				}
			default:
				waiting = false
			}
		}
	}
	return batch
}

// commitBatch commits the batch and answers each writer. A writer that fails is run again alone
// after the others, so that it fails none of them. When the commit itself fails, each half is
// tried: a full disk may have room for one.
func (s *Store) commitBatch(batch []request) {
	var alone []request
	for len(batch) > 0 {
		failed := -1
		start := time.Now()
		err := s.update(func(tx *tree) error {
			for i, r := range batch {
				if err := guarded(func() error { return r.fn(tx) }); err != nil {
					failed = i
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil:
			if told := s.observe.Load(); told != nil {
				(*told)(len(batch), time.Since(start))
			}
			fallthrough
		case len(batch) == 1:
			for _, r := range batch {
				r.done <- err
			}
			batch = nil
		case failed >= 0:
			alone = append(alone, batch[failed])
			batch = slices.Delete(batch, failed, failed+1)
		default:
			half := len(batch) / 2
			s.commitBatch(batch[:half])
			batch = batch[half:]
		}
	}
	for i := range alone {
		s.commitBatch(alone[i : i+1])
	}
}

// update is one bbolt transaction.
func (s *Store) update(fn func(*tree) error) error {
	if d := s.damaged.Load(); d != nil {
		return d
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	return translate(s.watch(guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error { return fn(&tree{Tx: tx}) })
	})))
}

// View implements keyed.KV. A store that has no file yet reads as empty.
func (s *Store) View(ctx context.Context, fn func(keyed.Tx) error) error {
	return s.read(ctx, func(t *tree) error { return fn(t) })
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
	return passOn(translate(s.watch(guarded(func() error {
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
