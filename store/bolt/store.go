package bolt

import (
	"context"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
	"go.etcd.io/bbolt"
)

const (
	schema     = "1"
	metaSchema = "schema"
)

var (
	rootBucket = []byte("v1")

	bucketMeta        = []byte("meta")
	bucketPublication = []byte("publication")
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
		bucketMeta, bucketPublication, bucketMark, bucketDue, bucketOutbox, bucketHint, bucketSKU, bucketCursor, bucketSeen, bucketRemoved, bucketLeft,
	}
)

// A Store is one open file. See store.Store for its methods.
type Store struct {
	path     string
	file     *os.File    // bbolt's own
	info     os.FileInfo // of the file, when it was opened
	db       *bbolt.DB   // nil: a read-only view of a file that does not exist
	readOnly bool
	txid     int // when it was opened
	damaged  atomic.Pointer[damage]
	hurt     chan struct{} // closed once damaged

	writes    chan request
	committed chan struct{}
	closing   sync.RWMutex
	closed    bool
	tally     map[store.State]int // of the transaction under way

	countMu sync.Mutex
	counts  map[store.State]int

	observe atomic.Pointer[func(writers int, took time.Duration)] // nil: nobody is told
}

// Close waits for the writes under way and closes the file. Closing twice is closing once.
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

// Observe has f told of every commit: how many writers shared it and how long it took.
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

// List is the records that a query asks for, in the order of their ids, and the id to go on after,
// "" at the end. It may return fewer than there are.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	err = s.read(ctx, func(tx *tree) error {
		records, after = make([]store.Record, 0, min(most, listSize)), ""
		seen := bucket(tx, bucketSeen)
		c := bucket(tx, bucketPublication).Cursor()
		key, value := c.Seek([]byte(q.After))
		if string(key) == q.After {
			key, value = c.Next()
		}
		for read := 0; key != nil; key, value = c.Next() {
			if len(records) == most || read == readMost {
				break
			}
			read++
			after = string(key)
			if q.Unseen && seen.Get(key) != nil {
				continue
			}
			if len(q.States) > 0 {
				if state, err := decodeState(after, value); err != nil {
					return err
				} else if !slices.Contains(q.States, state) {
					continue
				}
			}
			r, err := decodeRecord(after, value)
			if err != nil {
				return err
			}
			records = append(records, r)
		}
		if key == nil {
			after = ""
		}
		return nil
	})
	return records, after, err
}

// readMost bounds how many records one transaction reads: the pages that a reader sees cannot be
// used again meanwhile.
const readMost = 4096

// listSize is how many records are returned where the query does not say.
const listSize = 256

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

// putRecord writes a record with its hints and keeps the tally by state.
func (s *Store) putRecord(tx *tree, old, r store.Record, known bool) error {
	if known {
		s.tally[old.State]--
	} else if err := bucket(tx, bucketLeft).Delete([]byte(r.ID)); err != nil {
		return err
	}
	s.tally[r.State]++
	if err := moveHint(tx, hintProduct, old.Product, r.Product, r.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, r.Listing, r.ID); err != nil {
		return err
	}
	return putValue(bucket(tx, bucketPublication), r.ID, r)
}

// forgetRecord removes every trace of a publication but what is left, and a mark, which has arrived
// meanwhile.
func (s *Store) forgetRecord(tx *tree, old, left store.Record, known bool) error {
	if err := bucket(tx, bucketOutbox).Delete([]byte(old.ID)); err != nil || !known {
		return err
	}
	s.tally[old.State]--
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

// A tree is a transaction that looks the bucket of all buckets up once: bbolt does it anew each
// time it is asked for by a reader.
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
	_ store.Checked  = (*Store)(nil)
)
