package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
)

const (
	// schema is the number of the form in which the store is kept.
	schema = "7"
	// lockWait is how long Open waits for another process to let go: long enough for one that is
	// just closing.
	lockWait = time.Second
	// mapSize is address space, not memory: while the map need not grow, a long reader (a backup)
	// never stalls a writer.
	mapSize = 1 << 30
	// growStep is how much the file grows at a time; bbolt's own 16 MiB would double a small store.
	growStep = 1 << 20
)

var schemaKey = store.Key{Bucket: store.BucketMeta, Key: store.MetaSchema}

// Open opens the file for one process alone, creating it when it is not there, readable by its
// owner only. Another process that holds it is ErrLocked after a second; a file that is no store,
// or that is cut off, is ErrCorrupt. Other damage is found where it is read, and by Check. Nothing
// is written, so that a store on a full disk opens.
func Open(path string) (store.Store, error) {
	if err := createIfMissing(path); err != nil {
		return store.Store{}, fmt.Errorf("create store %s: %w", path, err)
	}
	s, err := openFile(path, &bbolt.Options{InitialMmapSize: mapSize})
	if err != nil {
		return store.Store{}, fmt.Errorf("open store %s: %w", path, err)
	}
	s.db.AllocSize = growStep
	s.Group = store.NewGroup(s.commit)
	return store.Store{KV: s}, nil
}

// OpenView opens the file for reading, beside other readers. A file that does not exist reads as an
// empty store and is not made.
func OpenView(path string) (store.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return store.Store{KV: &kv{path: path}}, nil
	}
	s, err := openFile(path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return store.Store{}, fmt.Errorf("open store %s: %w", path, err)
	}
	return store.Store{KV: s}, nil
}

// openFile opens an existing file.
func openFile(path string, o *bbolt.Options) (*kv, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 { // bbolt would make a new store of it
		return nil, fmt.Errorf("%w: file is empty", store.ErrCorrupt)
	}
	s := &kv{path: path}
	o.Timeout, o.FreelistType = lockWait, bbolt.FreelistMapType
	o.OpenFile = func(name string, flag int, mode fs.FileMode) (f *os.File, err error) {
		f, err = os.OpenFile(name, flag, mode)
		if s.file = f; err == nil {
			s.info, err = f.Stat()
		}
		return f, err
	}
	err = sound(func() (err error) {
		if s.db, err = bbolt.Open(path, 0o600, o); err != nil {
			return err
		}
		return s.db.View(func(tx *bbolt.Tx) error { return known(&tree{Tx: tx}, s.info.Size()) })
	})
	switch {
	case err == nil:
		return s, nil
	case s.db != nil && !errors.As(err, new(*damage)):
		err = errors.Join(translate(err), s.db.Close())
	case s.file != nil:
		_ = letGo(s.file) //nolint:errcheck // bbolt has closed it already, unless it panicked
	}
	return nil, translate(err)
}

// known fails unless a file of so many bytes is a complete store of a schema that this version
// reads.
func known(tx *tree, size int64) error {
	if tx.Size() > size {
		return fmt.Errorf("%w: file is cut off: %d of %d bytes", store.ErrCorrupt, size, tx.Size())
	}
	if tx.root = tx.Bucket(rootBucket); tx.root == nil || tx.root.Bucket([]byte(store.BucketMeta)) == nil {
		return fmt.Errorf("%w: not a store of pubsync", store.ErrCorrupt)
	}
	if err := store.CheckSchema(string(tx.bucket(schemaKey.Bucket).Get([]byte(schemaKey.Key))), schema); err != nil {
		return err
	}
	for _, name := range store.Buckets {
		tx.bucket(name)
	}
	return nil
}

// createIfMissing makes a new store where there is no file. It is made under another name first, so
// that a crash on the way leaves no file that is half a store.
func createIfMissing(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // whatever is wrong with it is found when it is opened
	}
	if target, err := os.Readlink(path); err == nil { // a link to a file that is not there yet
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return createIfMissing(target)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.new") // mode 0600
	if err != nil {
		return err
	}
	name := f.Name()
	defer os.Remove(name) //nolint:errcheck // gone already where it was renamed
	if err := errors.Join(f.Close(), fillNew(name)); err != nil {
		return err
	}
	return place(name, path)
}

// place gives a new store its name, unless another process was faster.
func place(name, path string) error {
	err := os.Link(name, path) // unlike a renaming it never takes the place of what is there
	if _, missing := os.Stat(path); err != nil && errors.Is(missing, fs.ErrNotExist) {
		err = os.Rename(name, path) // a file system that knows no links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // make the name durable, where the system can
		_ = dir.Sync()  //nolint:errcheck // not every system can; the file itself is synced
		_ = dir.Close() //nolint:errcheck // opened for reading
	}
	return nil
}

// fillNew makes an empty store of an empty file.
func fillNew(name string) error {
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		root, err := tx.CreateBucket(rootBucket)
		for _, name := range store.Buckets {
			if err == nil {
				_, err = root.CreateBucket([]byte(name))
			}
		}
		if err != nil {
			return err
		}
		return root.Bucket([]byte(schemaKey.Bucket)).Put([]byte(schemaKey.Key), []byte(schema))
	})
	return errors.Join(err, db.Close())
}
