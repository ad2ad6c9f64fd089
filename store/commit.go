package store

import (
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The errors that a caller tells apart. Disk errors keep their cause: errors.Is(err, syscall.ENOSPC) holds for a full disk.
var (
	ErrLocked   = errors.New("store is in use by another process")
	ErrCorrupt  = errors.New("store is corrupt")
	ErrClosed   = errors.New("store is closed")
	ErrReadOnly = errors.New("store is open for reading only")
)

// maxCommit bounds how many writers share a commit, so that the first of a burst is not kept waiting by the last.
const maxCommit = 512

type request struct {
	fn   func(*bolt.Tx) error
	done chan error
}

// write runs fn in a transaction shared with whoever else is writing and returns once it is durable. fn may run more than once.
func (s *Store) write(fn func(*bolt.Tx) error) error {
	if s.db == nil || s.readOnly {
		return ErrReadOnly
	}
	r := request{fn: fn, done: make(chan error, 1)}
	s.closing.RLock()
	if s.closed {
		s.closing.RUnlock()
		return ErrClosed
	}
	s.writes <- r
	s.closing.RUnlock()
	return <-r.done
}

// commit gathers writers and commits them together until the store closes.
func (s *Store) commit() {
	defer close(s.committed)
	batch := make([]request, 0, maxCommit)
	for r := range s.writes {
		batch = append(batch[:0], r)
	gather:
		for len(batch) < maxCommit {
			select {
			case next, open := <-s.writes:
				if !open {
					break gather
				}
				batch = append(batch, next)
			default:
				break gather
			}
		}
		s.commitBatch(batch)
	}
}

// commitBatch commits all of the batch, or, when that fails, each by itself, so that one bad write costs nobody else theirs.
func (s *Store) commitBatch(batch []request) {
	start := time.Now()
	err := s.update(func(tx *bolt.Tx) error {
		for _, r := range batch {
			if err := r.fn(tx); err != nil {
				return err
			}
		}
		return nil
	})
	s.observe(len(batch), time.Since(start))
	for _, r := range batch {
		if err != nil && len(batch) > 1 {
			r.done <- s.update(r.fn)
			continue
		}
		r.done <- err
	}
}

// update is one bbolt transaction, with the counts by state brought up to date once it is durable.
func (s *Store) update(fn func(*bolt.Tx) error) (err error) {
	defer recoverCorrupt(&err)
	var tally map[string]int
	err = s.db.Update(func(tx *bolt.Tx) error {
		tally = map[string]int{}
		s.tally = tally // read by putRecord in this goroutine alone
		return fn(tx)
	})
	if err == nil {
		s.countMu.Lock()
		for state, n := range tally {
			s.counts[state] += n
		}
		s.countMu.Unlock()
	}
	return translate(err)
}

// read runs fn in a read transaction. A store that has no file yet reads as empty.
func (s *Store) read(fn func(*bolt.Tx) error) (err error) {
	if s.db == nil {
		return nil
	}
	defer recoverCorrupt(&err)
	return translate(s.db.View(fn))
}

// recoverCorrupt turns bbolt's panic on a damaged page into an error.
func recoverCorrupt(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrCorrupt, p)
	}
}

func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return ErrClosed
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	default:
		return err
	}
}
