package bolt

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
	"go.etcd.io/bbolt"
)

const (
	schema     = "2"
	metaSchema = "schema"
)

var (
	rootBucket = []byte("v1")

	bucketMeta        = []byte("meta")
	bucketPublication = []byte("publication")
	bucketIndex       = []byte("index")
	bucketMark        = []byte("mark")
	bucketDue         = []byte("due")
	bucketOutbox      = []byte("outbox")
	bucketHint        = []byte("hint")
	bucketSKU         = []byte("sku")
	bucketCursor      = []byte("cursor")
	bucketSeen        = []byte("seen")
	bucketRemoved     = []byte("removed")
	bucketLeft        = []byte("left") // what is left of forgotten publications

	allBuckets = [][]byte{
		bucketMeta, bucketPublication, bucketIndex, bucketMark, bucketDue, bucketOutbox, bucketHint, bucketSKU,
		bucketCursor, bucketSeen, bucketRemoved, bucketLeft,
	}
)

// A Store is one open file. See store.Store for its methods.
type Store struct {
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
	tally     tally // what the transaction under way changes

	countMu sync.Mutex
	counts  tally

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

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (e store.Entry, err error) {
	e.Record.ID = id
	err = s.read(ctx, func(tx *tree) error {
		var err error
		if e.Record, e.Known, err = getRecord(tx, id); err != nil {
			return err
		}
		if e.Owed, err = getReport(tx, id); err != nil {
			return err
		}
		m, ok, err := getMark(tx, id)
		if e.Mark = nil; ok {
			e.Mark = &m
		}
		return err
	})
	return e, err
}

func getRecord(tx *tree, id string) (store.Record, bool, error) {
	known := true
	data := bucket(tx, bucketPublication).Get([]byte(id))
	if data == nil {
		known, data = false, bucket(tx, bucketLeft).Get([]byte(id))
	}
	if data == nil {
		return store.Record{ID: id}, false, nil
	}
	r, err := decodeRecord(id, data)
	return r, known && err == nil, err
}

// putRecord writes a record with its keys and hints, and keeps the tally.
func (s *Store) putRecord(tx *tree, old, r store.Record, known bool) error {
	if known {
		s.tally.count(old, -1)
	} else if err := bucket(tx, bucketLeft).Delete([]byte(r.ID)); err != nil {
		return err
	}
	s.tally.count(r, 1)
	if err := moveKeys(tx, old, r, known); err != nil {
		return err
	}
	if err := moveHint(tx, hintProduct, old.Product, r.Product, r.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, r.Listing, r.ID); err != nil {
		return err
	}
	return putValue(bucket(tx, bucketPublication), r.ID, r)
}

// forgetRecord removes every trace of a publication but what is left of its record, and a mark that
// arrived meanwhile.
func (s *Store) forgetRecord(tx *tree, old, left store.Record, known bool) error {
	if err := bucket(tx, bucketOutbox).Delete([]byte(old.ID)); err != nil || !known {
		return err
	}
	s.tally.count(old, -1)
	if err := dropKeys(tx, old); err != nil {
		return err
	}
	if err := moveHint(tx, hintProduct, old.Product, "", old.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, "", old.ID); err != nil {
		return err
	}
	if len(left.Claims) == 0 {
		if _, err := settleClaims(tx, old, store.Record{ID: old.ID, WrittenAt: 1}); err != nil {
			return err
		}
	}
	if left.ReportedAt != 0 || len(left.Claims) > 0 {
		if err := putValue(bucket(tx, bucketLeft), left.ID, left); err != nil {
			return err
		}
	}
	return bucket(tx, bucketPublication).Delete([]byte(old.ID))
}

// A tree is a transaction that looks up the root bucket once: for a reader bbolt would do it each
// time.
type tree struct {
	*bbolt.Tx
	root *bbolt.Bucket
}

func bucket(tx *tree, name []byte) *bbolt.Bucket {
	if tx.root == nil {
		if tx.root = tx.Bucket(rootBucket); tx.root == nil {
			panic(lostBucket(rootBucket))
		}
	}
	b := tx.root.Bucket(name)
	if b == nil {
		panic(lostBucket(name))
	}
	return b
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.File     = (*Store)(nil)
	_ store.Observed = (*Store)(nil)
)
