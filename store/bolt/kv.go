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
	"sync/atomic"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
)

// A kv is one open file.
type kv struct {
	*store.Group // nil: it is only read

	path    string
	file    *os.File    // bbolt's own
	info    os.FileInfo // of the file, when it was opened
	db      *bbolt.DB   // nil: a view of a file that does not exist
	damaged atomic.Pointer[damage]
	closed  atomic.Bool
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
	if d := s.damaged.Load(); d != nil {
		return d
	}
	// What is written to a file that was removed or replaced would be lost.
	now, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.info) {
		return store.ErrReplaced
	}
	return s.guard(func() error {
		return s.db.Update(func(bt *bbolt.Tx) error {
			t := &tree{Tx: bt}
			tx := store.NewTx(0, t, nil)
			for _, c := range calls {
				_ = c.Run(tx) //nolint:errcheck // its caller gets it
			}
			if err := tx.Err(); err != nil {
				return err
			}
			return t.write(tx)
		})
	})
}

// View implements [store.KV]. A store that has no file yet reads as empty.
func (s *kv) View(ctx context.Context, fn func(*store.Tx) error) error {
	if s.db == nil {
		return store.NewMemory().View(ctx, fn)
	}
	return s.read(ctx, func(t *tree) error {
		tx := store.NewTx(0, t, nil)
		err := store.Guarded(func() error { return fn(tx) })
		return cmp.Or(tx.Err(), err)
	})
}

func (s *kv) read(ctx context.Context, fn func(*tree) error) error {
	switch d := s.damaged.Load(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.db == nil:
		return nil
	case d != nil:
		return d
	}
	return store.PassOn(s.guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error { return fn(&tree{Tx: tx}) })
	}))
}

// guard runs fn, remembers the damage that it meets, and gives bbolt's errors the store's names.
func (s *kv) guard(fn func() error) error {
	err := sound(fn)
	if d := (*damage)(nil); errors.As(err, &d) {
		s.damaged.CompareAndSwap(nil, d)
	}
	return translate(err)
}

// Close waits for the writes under way and closes the file. A second call does nothing.
func (s *kv) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	switch {
	case s.db == nil:
		return nil
	case s.damaged.Load() != nil: // bbolt may hold a lock for ever that a commit under way and its Close ask for
		return letGo(s.file)
	case s.Group != nil:
		<-s.Group.Close()
	}
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
	return s.read(ctx, func(tx *tree) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

// Check implements [store.File]: it verifies the checksum of each value, and the structure by
// bbolt's own check.
func (s *kv) Check(ctx context.Context) error {
	return s.read(ctx, func(tx *tree) error {
		for _, name := range store.Sealed {
			c := tx.bucket(name).Cursor()
			for key, data := c.First(); key != nil; key, data = c.Next() {
				if k := (store.Key{Bucket: name, Key: string(key)}); k != schemaKey {
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

// A tree is a transaction that looks up the root bucket once: for a reader bbolt would do it each
// time.
type tree struct {
	*bbolt.Tx
	root *bbolt.Bucket
}

func (t *tree) bucket(name store.Bucket) *bbolt.Bucket {
	if t.root == nil {
		t.root = t.Bucket(rootBucket)
	}
	if t.root != nil {
		if b := t.root.Bucket([]byte(name)); b != nil {
			return b
		}
	}
	panic(fmt.Sprintf("bucket %s is missing", name)) // it was there when the file was opened
}

// Read implements [store.Source]. Values are copied here, so that a page which the file does not reach any
// more is an error of Read and no fault in the code that uses the value.
func (t *tree) Read(keys []store.Key) (map[store.Key][]byte, error) {
	values := make(map[store.Key][]byte, len(keys))
	return values, sound(func() error {
		for _, k := range keys {
			if value := t.bucket(k.Bucket).Get([]byte(k.Key)); value != nil {
				values[k] = bytes.Clone(value)
			}
		}
		return nil
	})
}

// Page implements [store.Source].
func (t *tree) Page(b store.Bucket, from, to string, most int) (page []store.Pair, err error) {
	err = sound(func() error {
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

// write makes the writes of a transaction.
func (t *tree) write(tx *store.Tx) (err error) {
	for k, value := range tx.Writes() {
		if b := t.bucket(k.Bucket); value == nil {
			err = errors.Join(err, b.Delete([]byte(k.Key)))
		} else {
			err = errors.Join(err, b.Put([]byte(k.Key), value))
		}
	}
	return err
}
