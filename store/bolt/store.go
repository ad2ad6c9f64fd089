package bolt

import (
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

const schema = "2"

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

	writes    chan request
	committed chan struct{}
	closing   sync.RWMutex
	closed    bool

	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
}

// Close waits for the writes under way and closes the file. A second call does nothing.
func (s *Store) Close() error {
	s.closing.Lock()
	if s.closed {
		s.closing.Unlock()
		return nil
	}
	s.closed = true
	if s.writes != nil {
		close(s.writes)
	}
	s.closing.Unlock()
	ended := s.committed == nil || s.awaitCommit()
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

// awaitCommit waits until the last commit has ended, and reports whether it has.
func (s *Store) awaitCommit() bool {
	select {
	case <-s.committed:
		return true
	case <-s.hurt:
	}
	select {
	case <-s.committed:
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

func (t *tree) Get(b keyed.Bucket, key string) []byte { return t.bucket(b).Get([]byte(key)) }

func (t *tree) Put(b keyed.Bucket, key string, value []byte) error {
	return t.bucket(b).Put([]byte(key), value)
}

func (t *tree) Delete(b keyed.Bucket, key string) error { return t.bucket(b).Delete([]byte(key)) }

func (t *tree) Scan(b keyed.Bucket, from string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		c := t.bucket(b).Cursor()
		for key, value := c.Seek([]byte(from)); key != nil; key, value = c.Next() {
			if !yield(string(key), value) {
				return
			}
		}
	}
}

func (t *tree) Clear(b keyed.Bucket) error {
	if err := t.Bucket(rootBucket).DeleteBucket([]byte(b)); err != nil {
		return err
	}
	_, err := t.Bucket(rootBucket).CreateBucket([]byte(b))
	return err
}

func (t *tree) Next(b keyed.Bucket) (uint64, error) { return t.bucket(b).NextSequence() }

func (t *tree) Reach(b keyed.Bucket, n uint64) error {
	return t.bucket(b).SetSequence(max(t.bucket(b).Sequence(), n))
}

var (
	_ keyed.KV       = (*Store)(nil)
	_ store.Store    = (*Store)(nil)
	_ store.File     = (*Store)(nil)
	_ store.Observed = (*Store)(nil)
)
