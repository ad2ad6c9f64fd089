package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// lockWait is how long Open waits for another process to let go: long enough for one that is just closing.
	lockWait = time.Second
	// mapSize is address space, not memory: while the map need not grow, a long reader (a backup) never stalls a writer.
	mapSize = 1 << 30
	// growStep is how much the file grows at a time; bbolt's own 16 MiB would double a small store.
	growStep = 1 << 20
	// maxID bounds a publication's id: bbolt's longest key less what is put before it.
	maxID  = 16 << 10
	schema = "1"
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

// A Store is one open file. Its methods may be called from any goroutine.
type Store struct {
	path     string
	db       *bolt.DB // nil: a read-only view of a file that does not exist
	readOnly bool

	writes    chan request
	committed chan struct{}
	closing   sync.RWMutex
	closed    bool
	tally     map[string]int // of the transaction under way

	countMu sync.Mutex
	counts  map[string]int

	observe func(writers int, took time.Duration)
}

// Open opens the file for one process alone, creating it when it is not there, readable by its owner only. Another process that holds it is
// ErrLocked after a second; a file that is no store, or a damaged one, is ErrCorrupt.
func Open(path string) (*Store, error) {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrCorrupt, path)
	}
	db, err := open(path, &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType, InitialMmapSize: mapSize})
	if err != nil {
		return nil, err
	}
	db.AllocSize = growStep
	s := &Store{
		path: path, db: db, counts: map[string]int{}, writes: make(chan request, maxCommit), committed: make(chan struct{}),
		observe: func(int, time.Duration) {},
	}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	go s.commit()
	return s, nil
}

// OpenView opens the file for reading. A file that does not exist reads as an empty store and is not made.
func OpenView(path string) (*Store, error) {
	s := &Store{path: path, readOnly: true, counts: map[string]int{}}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	db, err := open(path, &bolt.Options{Timeout: lockWait, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	s.db = db
	if err := s.count(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func open(path string, o *bolt.Options) (db *bolt.DB, err error) {
	defer recoverCorrupt(&err)
	db, err = bolt.Open(path, 0o600, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, translate(err))
	}
	return db, nil
}

// prepare makes the buckets of a new store, checks the schema of an old one, and counts.
func (s *Store) prepare() error {
	err := s.update(func(tx *bolt.Tx) error {
		root, err := tx.CreateBucketIfNotExists(rootBucket)
		if err != nil {
			return err
		}
		for _, name := range allBuckets {
			if _, err := root.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := root.Bucket(bucketMeta)
		switch have := meta.Get([]byte("schema")); {
		case have == nil:
			return meta.Put([]byte("schema"), []byte(schema))
		case string(have) != schema:
			return fmt.Errorf("store %s has schema %q, this version knows %s: use a newer pubsync", s.path, have, schema)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.count()
}

func (s *Store) count() error {
	return s.read(func(tx *bolt.Tx) error {
		b := bucket(tx, bucketPublication)
		if b == nil {
			return fmt.Errorf("%w: %s holds no publications bucket", ErrCorrupt, s.path)
		}
		return b.ForEach(func(key, value []byte) error {
			r, err := decodeRecord(string(key), value)
			if err == nil {
				s.counts[r.State]++
			}
			return err
		})
	})
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
	if s.committed != nil {
		<-s.committed
	}
	if s.db == nil {
		return nil
	}
	return s.db.Close()
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

// Writable makes one small durable write: whether webhooks can be stored now.
func (s *Store) Writable() error {
	return s.write(func(tx *bolt.Tx) error { return bucket(tx, bucketMeta).Put([]byte("probe"), []byte{1}) })
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
			batch := make([]Record, 0, page)
			err := s.read(func(tx *bolt.Tx) error {
				batch = batch[:0]
				c := bucket(tx, bucketPublication).Cursor()
				key, value := c.Seek([]byte(after))
				if string(key) == after {
					key, value = c.Next()
				}
				for ; key != nil && len(batch) < page; key, value = c.Next() {
					r, err := decodeRecord(string(key), value)
					if err != nil {
						return err
					}
					batch = append(batch, r)
				}
				return nil
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

func getRecord(tx *bolt.Tx, id string) (Record, bool, error) {
	data := bucket(tx, bucketPublication).Get([]byte(id))
	if data == nil {
		return Record{ID: id}, false, nil
	}
	r, err := decodeRecord(id, data)
	return r, err == nil, err
}

// putRecord writes a record with its hints and keeps the tally by state.
func (s *Store) putRecord(tx *bolt.Tx, r Record) error {
	old, had, err := getRecord(tx, r.ID)
	if err != nil {
		return err
	}
	if had {
		s.tally[old.State]--
	}
	s.tally[r.State]++
	if err := moveHint(tx, hintProduct, old.Product, r.Product, r.ID); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, r.Listing, r.ID); err != nil {
		return err
	}
	return putJSON(bucket(tx, bucketPublication), []byte(r.ID), r)
}

// forgetRecord removes every trace of a publication but a mark that arrived meanwhile.
func (s *Store) forgetRecord(tx *bolt.Tx, id string) error {
	old, had, err := getRecord(tx, id)
	if err != nil || !had {
		return err
	}
	s.tally[old.State]--
	if err := moveHint(tx, hintProduct, old.Product, "", id); err != nil {
		return err
	}
	if err := moveHint(tx, hintListing, old.Listing, "", id); err != nil {
		return err
	}
	for _, v := range old.Variants {
		if err := releaseSKU(tx, v.SKU, id, v.ID); err != nil {
			return err
		}
	}
	if err := bucket(tx, bucketOutbox).Delete([]byte(id)); err != nil {
		return err
	}
	return bucket(tx, bucketPublication).Delete([]byte(id))
}

func bucket(tx *bolt.Tx, name []byte) *bolt.Bucket {
	root := tx.Bucket(rootBucket)
	if root == nil {
		return nil
	}
	return root.Bucket(name)
}

func putJSON(b *bolt.Bucket, key []byte, value any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	return b.Put(key, bytes.TrimRight(buf.Bytes(), "\n"))
}
