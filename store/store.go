package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// maxID bounds a publication's id, in bytes: bbolt's longest key less what is put before it.
	maxID      = 16 << 10
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

	allBuckets = [][]byte{
		bucketMeta, bucketPublication, bucketMark, bucketDue, bucketOutbox, bucketHint, bucketSKU, bucketCursor, bucketSeen, bucketRemoved,
	}
)

// A Store is one open file. Its methods may be called from any goroutine. The functions given to them run within the transaction: they must not
// call the store, and where a method writes they may run more than once.
type Store struct {
	path     string
	file     *os.File    // bbolt's own
	info     os.FileInfo // of the file, when it was opened
	db       *bolt.DB    // nil: a read-only view of a file that does not exist
	readOnly bool
	txid     int    // when it was opened
	taken    uint64 // the last record of the journal that the tree had taken over then
	damaged  atomic.Pointer[damage]
	hurt     chan struct{} // closed once damaged

	intake    *intake // nil: a view of a file that does not exist
	writes    chan request
	committed chan struct{}
	closing   sync.RWMutex
	closed    bool
	tally     map[string]int // of the transaction under way

	countMu sync.Mutex
	counts  map[string]int

	observe func(writers int, took time.Duration)
}

// Close waits for the writes under way and closes the file. Closing twice is closing once.
func (s *Store) Close() error {
	var err error
	if s.intake != nil {
		err = s.intake.close()
	}
	return errors.Join(err, s.close())
}

func (s *Store) close() error {
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
func (s *Store) Path() string { return CanonicalPath(s.path) }

// CanonicalPath is path made absolute with symbolic links resolved as far as it exists.
func CanonicalPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// Observe has f told of every commit: how many writers shared it and how long it took. To be called before the first write.
func (s *Store) Observe(f func(writers int, took time.Duration)) { s.observe = f }

// Counts is the number of publications in each state.
func (s *Store) Counts() map[string]int {
	s.countMu.Lock()
	defer s.countMu.Unlock()
	return maps.Clone(s.counts)
}

// Size is the file's size in bytes.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Get is the record of one publication.
func (s *Store) Get(id string) (r Record, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		r, ok, err = getRecord(tx, id)
		return err
	})
	return r, ok, err
}

// Records ranges over the records after the given id, in the order of their ids, a few hundred to a transaction, so that no reader is long.
func (s *Store) Records(after string) iter.Seq2[Record, error] {
	const page = 256
	return func(yield func(Record, error) bool) {
		for {
			var batch []Record
			err := s.read(func(tx *bolt.Tx) (err error) {
				batch, err = recordsAfter(tx, after, page)
				return err
			})
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range batch {
				if !yield(r, nil) {
					return
				}
			}
			if len(batch) < page {
				return
			}
			after = batch[len(batch)-1].ID
		}
	}
}

// recordsAfter is the first records after an id, at most so many.
func recordsAfter(tx *bolt.Tx, after string, most int) ([]Record, error) {
	batch := make([]Record, 0, most)
	c := bucket(tx, bucketPublication).Cursor()
	key, value := c.Seek([]byte(after))
	if string(key) == after {
		key, value = c.Next()
	}
	for ; key != nil && len(batch) < most; key, value = c.Next() {
		r, err := decodeRecord(string(key), value)
		if err != nil {
			return nil, err
		}
		batch = append(batch, r)
	}
	return batch, nil
}

func getRecord(tx *bolt.Tx, id string) (Record, bool, error) {
	data := bucket(tx, bucketPublication).Get([]byte(id))
	if data == nil {
		return Record{ID: id}, false, nil
	}
	r, err := decodeRecord(id, data)
	return r, err == nil, err
}

// putRecord writes a record with its hints and keeps the tally by state.
func (s *Store) putRecord(tx *bolt.Tx, old, r Record, known bool) error {
	if known {
		s.tally[old.State]--
	}
	s.tally[r.State]++
	if err := moveHint(tx, hintProduct, old.Product, r.Product, r.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, r.Listing, r.ID); err != nil {
		return err
	}
	return putSealed(bucket(tx, bucketPublication), r.ID, encodeRecord(r))
}

// forgetRecord removes every trace of a publication but a mark, which has arrived meanwhile.
func (s *Store) forgetRecord(tx *bolt.Tx, old Record, known bool) error {
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
	if _, err := settleClaims(tx, old, Record{ID: old.ID}); err != nil {
		return err
	}
	return bucket(tx, bucketPublication).Delete([]byte(old.ID))
}

func bucket(tx *bolt.Tx, name []byte) *bolt.Bucket {
	root := tx.Bucket(rootBucket)
	if root == nil {
		panic(lostBucket(rootBucket))
	}
	b := root.Bucket(name)
	if b == nil {
		panic(lostBucket(name))
	}
	// How full a page is left by a split, measured on the import of 20,000: what is written in order wants to be full, what shrinks or grows where it
	// stands wants some room.
	switch {
	case bytes.Equal(name, bucketDue):
		b.FillPercent = 0.85
	case bytes.Equal(name, bucketMark), bytes.Equal(name, bucketSKU):
		b.FillPercent = 0.75
	case bytes.Equal(name, bucketPublication):
		b.FillPercent = 0.65
	}
	return b
}

// putSealed writes a value with its checksum. An id that no publication can have is refused here, for whatever is written about one.
func putSealed(b *bolt.Bucket, key string, fields []byte) error {
	if !validID(key) {
		return fmt.Errorf("write store: id of %d bytes", len(key))
	}
	return b.Put([]byte(key), seal([]byte(key), fields))
}

func validID(id string) bool { return id != "" && len(id) <= maxID }
