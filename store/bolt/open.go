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
	// lockWait is how long Open waits for another process to let go: long enough for one that is
	// just closing.
	lockWait = time.Second
	// mapSize is address space, not memory: while the map need not grow, a long reader (a backup)
	// never stalls a writer.
	mapSize = 1 << 30
	// growStep is how much the file grows at a time; bbolt's own 16 MiB would double a small store.
	growStep = 1 << 20
)

// rootBucket holds the buckets of the store.
var rootBucket = []byte("v1")

// Open opens the file for one process alone, creating it when it is not there, readable by its
// owner only. Another process that holds it is ErrLocked after a second; a file that is no store,
// or that is cut off, is ErrCorrupt. Other damage is found where it is read, and by Check. Nothing
// is written, so that a store on a full disk opens.
func Open(path string) (store.Store, error) {
	if missing(path) {
		if err := create(path); err != nil {
			return store.Store{}, fmt.Errorf("create store %s: %w", path, err)
		}
	}
	return open(path, bbolt.Options{Timeout: lockWait, InitialMmapSize: mapSize})
}

// OpenView opens the file for reading, beside other readers. A file that does not exist reads as an
// empty store and is not made.
func OpenView(path string) (store.Store, error) {
	if missing(path) {
		return store.InMemory(), nil
	}
	return open(path, bbolt.Options{Timeout: lockWait, ReadOnly: true})
}

// Held reports whether a process holds the store at path for writing at this moment. It waits for
// nothing. A file that cannot be opened is not held.
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

// open opens an existing file, and refuses one that is no complete store of this version's form.
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

// whole fails unless the file is a store with all its pages. Its size counts under the lock: it may
// grow as long as another process holds it.
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

// create makes a new store. It is made under another name first, so that a crash on the way leaves no
// file that is half a store, and linked to its own: unlike a renaming that never takes the place of what is
// there.
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
		err = os.Rename(f.Name(), path) // a file system that knows no links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // make the name durable, where the system can
		_ = errors.Join(dir.Sync(), dir.Close()) //nolint:errcheck // the file itself is synced
	}
	return nil
}

// fill makes an empty store.
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
