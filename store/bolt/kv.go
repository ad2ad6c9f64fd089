// Package bolt keeps a store in a bbolt file.
//
// bbolt trusts its pages: the panic or the fault that a damaged one causes is caught, and every
// method returns it as store.ErrCorrupt until another process opens the file anew. The checksum of a
// value is verified when it is read.
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

// A kv is one open file.
type kv struct {
	*store.Group

	path    string
	info    fs.FileInfo // of the file that was opened
	db      *bbolt.DB
	damaged atomic.Pointer[error] // what every method returns from then on
}

// guard runs what reads or writes pages. A panic of bbolt's on a damaged page is ErrCorrupt, and so
// is the fault of a page of the map that the file does not reach, which would end the process. From
// then on guard runs nothing: bbolt may have left a lock behind, and writing would spread the damage.
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

// within runs fn in a transaction of bbolt's, which is rolled back where fn has not committed it. fn guards
// what it does to pages: a panic of a caller's own is no damage.
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

// View implements [store.KV].
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	return s.within(ctx, false, func(t tree) error { return store.NewTx(t, nil).Run(fn) })
}

// Update implements [store.KV]. Once damage is known it waits for no commit: bbolt may hold one up.
func (s *kv) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	if damage := s.damaged.Load(); damage != nil && ctx.Err() == nil {
		return *damage
	}
	return s.Group.Update(ctx, declared, fn)
}

// commit makes one transaction of bbolt's for some writers. One that fails leaves nothing behind.
func (s *kv) commit(calls []*store.Write) error {
	// What is written to a file that was removed or replaced would be lost.
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

// Close waits for the writes under way and closes the file. A damaged one is let go when the process
// ends: bbolt may hold a lock for ever that its Close asks for.
func (s *kv) Close() error {
	if s.damaged.Load() != nil {
		return nil //nolint:nilerr // every method has told the damage
	}
	s.Group.Close()
	return s.db.Close()
}

// Path implements [store.KV].
func (s *kv) Path() string { return store.CanonicalPath(s.path) }

// Size implements [store.File].
func (s *kv) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Backup implements [store.File]. w should be local: as long as it takes, the pages that are
// replaced meanwhile cannot be used again and the file grows.
func (s *kv) Backup(ctx context.Context, w io.Writer) error {
	return s.within(ctx, false, func(t tree) error {
		return s.guard(func() error {
			_, err := t.tx.WriteTo(w)
			return err
		})
	})
}

// Check implements [store.File]: it verifies the checksum of each value, and the structure by
// bbolt's own check.
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

// A tree is what a transaction of bbolt's reads. Values are copied within the guard, so that a page which the
// file does not reach any more is an error of the reading and no fault in the code that uses the value.
type tree struct {
	kv *kv
	tx *bbolt.Tx
}

func (t tree) bucket(b store.Bucket) *bbolt.Bucket { return t.tx.Bucket(rootBucket).Bucket([]byte(b)) }

// Read implements [store.Source].
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

// Page implements [store.Source].
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
