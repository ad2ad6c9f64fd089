// Package bolt keeps a store in a bbolt file.
//
// bbolt panics or faults on a damaged page. Each method then returns store.ErrCorrupt, until another process opens
// the file.
package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/pubsync/pubsync/store"
)

// A kv is an open file, as a store.KV and store.File.
type kv struct {
	*store.Group

	path    string
	info    fs.FileInfo // as opened
	db      *bbolt.DB
	damaged atomic.Pointer[error] // what every method returns from then on
}

// guard turns a panic of bbolt, or the fault of a mapped page behind the end of the file, into ErrCorrupt. From then
// on it runs nothing: bbolt may have left a lock, and writing would spread the damage.
func (s *kv) guard(fn func() error) (err error) {
	if damage := s.damaged.Load(); damage != nil {
		return *damage
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", store.ErrCorrupt, p)
			s.damaged.Store(&err)
		}
	}()
	switch err = fn(); {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return store.ErrClosed
	case errors.Is(err, bolterrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch),
		errors.Is(err, bolterrors.ErrChecksum), strings.HasPrefix(err.Error(), "file size too small"):
		return fmt.Errorf("%w: no valid head: %w", store.ErrCorrupt, err)
	}
	return err
}

// within rolls back what fn has not committed. fn guards what it does to pages, since a panic of a caller is no
// damage.
func (s *kv) within(ctx context.Context, writes bool, fn func(tree) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t := tree{kv: s}
	if err := s.guard(func() (err error) {
		t.tx, err = s.db.Begin(writes)
		return err
	}); err != nil {
		return err
	}
	defer s.guard(t.tx.Rollback) //nolint:errcheck // ended already, or damage that was told
	return fn(t)
}

func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	return s.within(ctx, false, func(t tree) error { return store.NewTx(t, nil).Run(fn) })
}

// Update waits for no commit once damage is known: bbolt may hold one up.
func (s *kv) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	if damage := s.damaged.Load(); damage != nil && ctx.Err() == nil {
		return *damage
	}
	return s.Group.Update(ctx, declared, fn)
}

func (s *kv) commit(calls []*store.Write) error {
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.info) {
		return store.ErrReplaced
	}
	return s.within(context.Background(), true, func(t tree) error {
		tx := store.NewTx(t, nil)
		for _, c := range calls {
			c.Run(tx)
		}
		return s.guard(func() error {
			err := tx.Err()
			for k, value := range tx.Writes() {
				bucket, key := t.bucket(k.Bucket), []byte(k.Key)
				if value == nil {
					err = cmp.Or(err, bucket.Delete(key))
				} else {
					err = cmp.Or(err, bucket.Put(key, value))
				}
			}
			if err != nil {
				return err
			}
			return t.tx.Commit()
		})
	})
}

// Close leaves a damaged file open: bbolt may hold forever a lock that its Close needs.
func (s *kv) Close() error {
	if s.damaged.Load() != nil {
		return nil //nolint:nilerr // every method has told the damage
	}
	s.Group.Close()
	return s.db.Close()
}

func (s *kv) Path() string { return store.CanonicalPath(s.path) }

func (s *kv) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Backup should write to a local w: the pages that are replaced meanwhile cannot be reused, and the file grows.
func (s *kv) Backup(ctx context.Context, w io.Writer) error {
	return s.within(ctx, false, func(t tree) error {
		return s.guard(func() error {
			_, err := t.tx.WriteTo(w)
			return err
		})
	})
}

func (s *kv) Check(ctx context.Context) error {
	return s.within(ctx, false, func(t tree) error {
		return s.guard(func() (damage error) {
			for _, b := range store.Buckets {
				damage = cmp.Or(damage, t.bucket(b).ForEach(func(key, value []byte) error {
					return store.Verify(store.Key{Bucket: b, Key: string(key)}, value)
				}))
			}
			for err := range t.tx.Check() { // to its end, since a goroutine sends
				damage = cmp.Or(damage, fmt.Errorf("%w: %w", store.ErrCorrupt, err))
			}
			return damage
		})
	})
}

// A tree copies values within the guard, so that a page behind the end of the file does not fault in the code that
// uses the value.
type tree struct {
	kv *kv
	tx *bbolt.Tx
}

func (t tree) bucket(b store.Bucket) *bbolt.Bucket { return t.tx.Bucket(rootBucket).Bucket([]byte(b)) }

func (t tree) Read(keys []store.Key) (map[store.Key][]byte, error) {
	values := make(map[store.Key][]byte, len(keys))
	return values, t.kv.guard(func() error {
		for _, k := range keys {
			if value := t.bucket(k.Bucket).Get([]byte(k.Key)); value != nil {
				values[k] = bytes.Clone(value)
			}
		}
		return nil
	})
}

func (t tree) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
	err = t.kv.guard(func() error {
		c := t.bucket(b).Cursor()
		key, value := c.Seek([]byte(from))
		for ; key != nil && len(page) < most && (to == "" || string(key) < to); key, value = c.Next() {
			page = append(page, store.Pair{Key: string(key), Value: bytes.Clone(value)})
		}
		return nil
	})
	return page, err
}
