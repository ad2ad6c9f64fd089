package bolt

import (
	"os"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// schema is the number of the form in which the store is kept.
const schema = "5"

var rootBucket = []byte("v1")

// A Store is one open file: a KV, and the store above it. See store.Store for its methods.
type Store struct {
	*keyed.Store

	path     string
	file     *os.File    // bbolt's own
	info     os.FileInfo // of the file, when it was opened
	db       *bbolt.DB   // nil: a read-only view of a file that does not exist
	readOnly bool
	damaged  atomic.Pointer[damage]
	hurt     chan struct{} // closed once damaged

	group  *keyed.Group[keyed.Write] // nil: it is only read
	closed atomic.Bool

	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
}

// Close waits for the writes under way and closes the file. A second call does nothing.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	ended := s.group == nil || s.ended(s.group.Close())
	switch {
	case s.db == nil:
		return nil
	case !ended: // it has the file in use
		return unlock(s.file)
	case s.damaged.Load() != nil: // bbolt may hold a lock for ever that its Close asks for
		return letGo(s.file)
	default:
		return s.db.Close()
	}
}

// ended waits until the last commit has ended, and reports whether it has.
func (s *Store) ended(committed <-chan struct{}) bool {
	select {
	case <-committed:
		return true
	case <-s.hurt:
	}
	select {
	case <-committed:
		return true
	case <-time.After(hurtWait):
		return false
	}
}

// Path is the file's absolute path with symbolic links resolved: what tells two stores apart.
func (s *Store) Path() string { return store.CanonicalPath(s.path) }

// Observe calls f after each commit, with the number of writers that shared it and how long it
// took.
func (s *Store) Observe(f func(writers int, took time.Duration)) { s.observe.Store(&f) }

// Size is the file's size in bytes.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// A tree is a transaction that looks up the root bucket once: for a reader bbolt would do it each
// time.
type tree struct {
	*bbolt.Tx
	root *bbolt.Bucket
}

func (t *tree) bucket(name keyed.Bucket) *bbolt.Bucket {
	if t.root == nil {
		if t.root = t.Bucket(rootBucket); t.root == nil {
			panic(lostBucket(rootBucket))
		}
	}
	b := t.root.Bucket([]byte(name))
	if b == nil {
		panic(lostBucket(name))
	}
	return b
}

// Read implements keyed.Source.
func (t *tree) Read(keys []keyed.Key) (map[keyed.Key][]byte, error) {
	values := make(map[keyed.Key][]byte, len(keys))
	for _, k := range keys {
		if value := t.bucket(k.Bucket).Get([]byte(k.Key)); value != nil {
			values[k] = value
		}
	}
	return values, nil
}

// Page implements keyed.Source.
func (t *tree) Page(b keyed.Bucket, from, to string, most int) (page []keyed.Pair, err error) {
	c := t.bucket(b).Cursor()
	for key, value := c.Seek([]byte(from)); key != nil && len(page) < most; key, value = c.Next() {
		if to != "" && string(key) >= to {
			break
		}
		page = append(page, keyed.Pair{Key: string(key), Value: value})
	}
	return page, nil
}

// write makes the writes of a transaction.
func (t *tree) write(tx *keyed.Tx) error {
	for k, value := range tx.Writes() {
		var err error
		if b := t.bucket(k.Bucket); value == nil {
			err = b.Delete([]byte(k.Key))
		} else {
			err = b.Put([]byte(k.Key), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	_ keyed.KV       = (*Store)(nil)
	_ store.Store    = (*Store)(nil)
	_ store.File     = (*Store)(nil)
	_ store.Observed = (*Store)(nil)
)
