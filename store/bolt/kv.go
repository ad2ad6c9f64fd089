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
	info    os.FileInfo // of the file, when it was opened
	db      *bbolt.DB   // nil: a view of a file that does not exist
	damaged atomic.Pointer[damage]
}

// A damage is the error for a panic of bbolt's on a damaged page, or for a fault of a page that
// cannot be read. From then on every method returns it: bbolt may have left a lock behind, and
// writing would spread the damage.
type damage struct{ cause any }

func (d *damage) Error() string { return fmt.Sprintf("%v: %v", store.ErrCorrupt, d.cause) }
func (d *damage) Unwrap() error { return store.ErrCorrupt }

// sound runs what reads or writes pages. A panic is a *damage, and so is the fault of a page of the
// map that the file does not reach, which would end the process.
func sound(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &damage{cause: p}
		}
	}()
	return fn()
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

// guard runs fn, and remembers the damage that it meets.
func (s *kv) guard(fn func() error) error {
	if d := s.damaged.Load(); d != nil {
		return d
	}
	err := sound(fn)
	if d := (*damage)(nil); errors.As(err, &d) {
		s.damaged.CompareAndSwap(nil, d)
	}
	return translate(err)
}

// Update implements [store.KV]. Once damage is known it waits for no commit: bbolt may hold one up.
func (s *kv) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	if d := s.damaged.Load(); d != nil && ctx.Err() == nil {
		return d
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
	return s.guard(func() error {
		return s.db.Update(func(bt *bbolt.Tx) error {
			t := tree{bt.Bucket(rootBucket)}
			tx := store.NewTx(0, t, nil)
			for _, c := range calls {
				c.Run(tx)
			}
			if err := tx.Err(); err != nil {
				return err
			}
			for k, value := range tx.Writes() {
				b := t.root.Bucket([]byte(k.Bucket))
				if value == nil {
					err = errors.Join(err, b.Delete([]byte(k.Key)))
				} else {
					err = errors.Join(err, b.Put([]byte(k.Key), value))
				}
			}
			return err
		})
	})
}

// View implements [store.KV]. A store that has no file yet reads as empty.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	if s.db == nil {
		return store.NewMemory().View(ctx, fn)
	}
	return store.PassOn(s.read(ctx, func(bt *bbolt.Tx) error {
		tx := store.NewTx(0, tree{bt.Bucket(rootBucket)}, nil)
		err := store.Guarded(func() error { return fn(tx) })
		return cmp.Or(tx.Err(), err)
	}))
}

func (s *kv) read(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if s.db == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return s.guard(func() error { return s.db.View(fn) })
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

// Path implements [store.File].
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
	return s.read(ctx, func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

// Check implements [store.File]: it verifies the checksum of each value, and the structure by
// bbolt's own check.
func (s *kv) Check(ctx context.Context) error {
	return s.read(ctx, func(tx *bbolt.Tx) error {
		for _, name := range store.Sealed {
			c := tx.Bucket(rootBucket).Bucket([]byte(name)).Cursor()
			for key, data := c.First(); key != nil; key, data = c.Next() {
				if k := (store.Key{Bucket: name, Key: string(key)}); k != store.SchemaKey {
					if _, err := store.Unseal(k, data); err != nil {
						return err
					}
				}
			}
		}
		var first error
		for err := range tx.Check() { // to its end, since a goroutine sends
			if first == nil {
				first = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
			}
		}
		return first
	})
}

// rootBucket holds the buckets of the store.
var rootBucket = []byte("v1")

// A tree is the root bucket in a transaction.
type tree struct{ root *bbolt.Bucket }

// Read implements [store.Source]. Values are copied here, so that a page which the file does not reach
// any more is an error of Read and no fault in the code that uses the value.
func (t tree) Read(keys []store.Key) (map[store.Key][]byte, error) {
	values := make(map[store.Key][]byte, len(keys))
	return values, sound(func() error {
		for _, k := range keys {
			if value := t.root.Bucket([]byte(k.Bucket)).Get([]byte(k.Key)); value != nil {
				values[k] = bytes.Clone(value)
			}
		}
		return nil
	})
}

// Page implements [store.Source].
func (t tree) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
	err = sound(func() error {
		c := t.root.Bucket([]byte(b)).Cursor()
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
