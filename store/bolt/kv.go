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
	*store.Group // nil: it is only read

	path    string
	file    *os.File
	db      *bbolt.DB             // nil: a view of a file that does not exist
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
	return translate(fn())
}

// translate gives bbolt's errors the store's names.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return store.ErrClosed
	case errors.Is(err, bolterrors.ErrTimeout):
		return store.ErrLocked
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch),
		errors.Is(err, bolterrors.ErrChecksum), strings.HasPrefix(err.Error(), "file size too small"):
		return fmt.Errorf("%w: no valid head: %w", store.ErrCorrupt, err)
	default:
		return err
	}
}

// begin begins a transaction, which its end ends.
func (s *kv) begin(writes bool) (t tree, err error) {
	t.kv = s
	err = s.guard(func() (err error) {
		t.tx, err = s.db.Begin(writes)
		return err
	})
	return t, err
}

func (s *kv) read(ctx context.Context, fn func(tree) error) error {
	if s.db == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	t, err := s.begin(false)
	if err != nil {
		return err
	}
	defer t.end()
	return fn(t)
}

// View implements [store.KV]. A store that has no file yet reads as empty.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	if s.db == nil {
		return store.NewMemory().View(ctx, fn)
	}
	return s.read(ctx, func(t tree) error { return store.NewTx(t, nil).Run(fn) })
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
	ours, err := s.file.Stat()
	if err != nil {
		return store.ErrClosed
	}
	// What is written to a file that was removed or replaced would be lost.
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, ours) {
		return store.ErrReplaced
	}
	t, err := s.begin(true)
	if err != nil {
		return err
	}
	defer t.end()
	tx := store.NewTx(t, nil)
	for _, c := range calls {
		c.Run(tx)
	}
	if err := tx.Err(); err != nil {
		return err
	}
	return s.guard(func() (err error) {
		for k, value := range tx.Writes() {
			b := t.bucket(k.Bucket)
			if value == nil {
				err = errors.Join(err, b.Delete([]byte(k.Key)))
			} else {
				err = errors.Join(err, b.Put([]byte(k.Key), value))
			}
		}
		if err != nil {
			return err
		}
		return t.tx.Commit()
	})
}

// Close waits for the writes under way and closes the file. A damaged one is let go when the process
// ends: bbolt may hold a lock for ever that its Close asks for.
func (s *kv) Close() error {
	if s.db == nil || s.damaged.Load() != nil {
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
	if s.db == nil {
		return store.ErrReadOnly
	}
	return s.read(ctx, func(t tree) error {
		return s.guard(func() error {
			_, err := t.tx.WriteTo(w)
			return err
		})
	})
}

// Check implements [store.File]: it verifies the checksum of each value, and the structure by
// bbolt's own check.
func (s *kv) Check(ctx context.Context) error {
	return s.read(ctx, func(t tree) error {
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

// rootBucket holds the buckets of the store.
var rootBucket = []byte("v1")

// A tree is what a transaction of bbolt's reads.
type tree struct {
	kv *kv
	tx *bbolt.Tx
}

func (t tree) end() { _ = t.kv.guard(t.tx.Rollback) } //nolint:errcheck // ended already, or damage that was told

func (t tree) bucket(b store.Bucket) *bbolt.Bucket { return t.tx.Bucket(rootBucket).Bucket([]byte(b)) }

// Read implements [store.Source]. Values are copied here, so that a page which the file does not reach
// any more is an error of Read and no fault in the code that uses the value.
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
		for key, value := c.Seek([]byte(from)); key != nil && len(page) < most; key, value = c.Next() {
			if to != "" && string(key) >= to {
				break
			}
			page = append(page, store.Pair{Key: string(key), Value: bytes.Clone(value)})
		}
		return nil
	})
	return page, err
}
