package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
)

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

// Held reports, without waiting, whether a process holds the file for writing. A file that cannot be opened is not
// held.
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
