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
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

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

// within rolls back what fn has not committed. fn guards what it does to pages: a caller's panic is no damage.
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

// A tree copies values within the guard, so that a damaged page does not fault in the code that uses the value.
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

const (
	// lockWait is long enough for another process that is just closing.
	lockWait = time.Second
	// mapSize is address space, not memory. While the map need not grow, a long backup does not stall writers.
	mapSize = 1 << 30
	// growStep replaces bbolt's 16 MiB, which would double a small store.
	growStep = 1 << 20
)

var rootBucket = []byte("v1")

// Open opens the file for one process alone, and makes a missing one that only its owner can read. It returns
// ErrLocked if another process holds the file for a second, and ErrCorrupt if it is cut off or no store; other
// damage shows when it is read. An existing file is not written, so that it opens on a full disk.
func Open(path string) (store.Store, error) {
	if missing(path) {
		if err := create(path); err != nil {
			return store.Store{}, fmt.Errorf("create store %s: %w", path, err)
		}
	}
	return open(path, bbolt.Options{Timeout: lockWait, InitialMmapSize: mapSize})
}

// OpenView opens the file for reading, beside other readers. A missing file reads as an empty store.
func OpenView(path string) (store.Store, error) {
	if missing(path) {
		return store.InMemory(), nil
	}
	return open(path, bbolt.Options{Timeout: lockWait, ReadOnly: true})
}

// Held reports, without waiting, whether a process holds the file for writing, false if it cannot be opened.
func Held(path string) bool {
	if missing(path) {
		return false
	}
	s, err := open(path, bbolt.Options{Timeout: 1, ReadOnly: true})
	if err == nil {
		_ = s.Close() //nolint:errcheck // nothing was written
	}
	return errors.Is(err, store.ErrLocked)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func open(path string, o bbolt.Options) (store.Store, error) {
	o.FreelistType = bbolt.FreelistMapType
	s := &kv{Group: store.ReadOnly(), path: path}
	err := s.guard(func() (err error) {
		if s.info, err = os.Stat(path); err != nil {
			return err
		}
		if s.info.Size() == 0 { // bbolt would make a new store of it
			return fmt.Errorf("%w: file is empty", store.ErrCorrupt)
		}
		if s.db, err = bbolt.Open(path, 0o600, &o); err != nil {
			return err
		}
		return s.db.View(s.whole)
	})
	if err != nil {
		if s.db != nil {
			err = errors.Join(err, s.db.Close())
		}
		return store.Store{}, fmt.Errorf("open store %s: %w", path, err)
	}
	if s.db.AllocSize = growStep; !o.ReadOnly {
		s.Group = store.NewGroup(s.commit)
	}
	return store.Store{KV: s}, nil
}

// whole fails unless the file has all its pages. It runs under the lock, since another process may grow the file.
func (s *kv) whole(tx *bbolt.Tx) error {
	if tx.Size() > s.Size() {
		return fmt.Errorf("%w: file is cut off before its %d bytes", store.ErrCorrupt, tx.Size())
	}
	root := tx.Bucket(rootBucket)
	if root == nil || root.Bucket([]byte(store.BucketMeta)) == nil {
		return fmt.Errorf("%w: not a store of pubsync", store.ErrCorrupt)
	}
	return store.CheckSchema(string(root.Bucket([]byte(store.BucketMeta)).Get([]byte(store.SchemaKey.Key))))
}

// create makes the store under another name, so that a crash leaves no half store. It then links the file, since a
// link, unlike a rename, replaces no other file.
func create(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.new") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone already where it was renamed
	if err := f.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(f.Name(), 0o600, &bbolt.Options{Timeout: lockWait})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(fill), db.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err != nil && missing(path) {
		err = os.Rename(f.Name(), path) // a file system without links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // make the name durable
		_ = errors.Join(dir.Sync(), dir.Close()) //nolint:errcheck // the file itself is synced
	}
	return nil
}

func fill(tx *bbolt.Tx) error {
	root, err := tx.CreateBucket(rootBucket)
	for _, name := range store.Buckets {
		if err == nil {
			_, err = root.CreateBucket([]byte(name))
		}
	}
	if err != nil {
		return err
	}
	return root.Bucket([]byte(store.BucketMeta)).Put([]byte(store.SchemaKey.Key), []byte(strconv.Itoa(store.Schema)))
}
