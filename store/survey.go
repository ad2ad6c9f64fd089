package store

import (
	"fmt"
	"hash/maphash"
	"os"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

// A survey is what is found in a file while it is checked.
type survey struct {
	txid    int            // of the last transaction
	counts  map[string]int // publications by state
	schema  string
	taken   uint64 // the last record of the journal that the tree has taken over
	buckets map[string]bool
	bad     error // the first value that cannot be read: a newer schema may write them otherwise, and that is then what to say

	// The due set is nothing but the marks in another order: were a key of it lost, its publication would be forgotten in silence. The sums of
	// the hashes of what is there and of what the marks ask for tell whether both hold the same.
	seed      maphash.Seed
	due, owed uint64
}

// surveyFile walks the whole of an open file. The file is locked by db meanwhile.
func surveyFile(db *bolt.DB, file *os.File) (*survey, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	s := &survey{counts: map[string]int{}, buckets: map[string]bool{}, seed: maphash.MakeSeed()}
	if err := db.View(func(tx *bolt.Tx) error { s.txid = tx.ID(); return nil }); err != nil {
		return nil, err
	}
	w := walker{file: file, pageSize: db.Info().PageSize, visit: s.visit}
	if err := w.walk(uint64(s.txid), info.Size()); err != nil { //nolint:gosec // counts up from 0
		return nil, err
	}
	return s, s.judge()
}

// judge tells whether this is a whole store of a schema that this version reads.
func (s *survey) judge() error {
	switch {
	case s.buckets[string(bucketMeta)] && s.schema != schema:
		return fmt.Errorf("schema is %q, this version reads %q: use the version of pubsync that wrote it, or a newer one", s.schema, schema)
	case !s.buckets[string(bucketMeta)]:
		return fmt.Errorf("%w: not a store of pubsync", ErrCorrupt)
	case s.bad != nil:
		return s.bad
	case s.due != s.owed:
		return fmt.Errorf("%w: marks and due set differ", ErrCorrupt)
	}
	for _, name := range allBuckets {
		if !s.buckets[string(name)] {
			return fmt.Errorf("%w: bucket %s is missing", ErrCorrupt, name)
		}
	}
	return nil
}

// visit takes in one key of the bucket at path, or with a nil key the bucket itself.
func (s *survey) visit(path []string, key, value []byte) error {
	switch {
	case len(path) != 2, path[0] != string(rootBucket):
		return nil
	case key == nil:
		s.buckets[path[1]] = true
		return nil
	}
	if err := s.take(path[1], key, value); s.bad == nil {
		s.bad = err
	}
	return nil
}

func (s *survey) take(name string, key, value []byte) error {
	switch name {
	case string(bucketMeta):
		if string(key) == metaSchema {
			s.schema = string(value)
			return nil
		}
		fact, err := unseal("fact", key, value)
		if err == nil && string(key) == metaJournal {
			s.taken, err = strconv.ParseUint(string(fact), 10, 64)
		}
		return err
	case string(bucketPublication):
		r, err := decodeRecord(string(key), value)
		s.counts[r.State]++
		return err
	case string(bucketMark):
		m, err := decodeMark(string(key), value)
		s.owed += maphash.Bytes(s.seed, dueKey(m))
		return err
	case string(bucketDue):
		s.due += maphash.Bytes(s.seed, key)
	case string(bucketOutbox):
		_, err := decodeReport(string(key), value)
		return err
	case string(bucketCursor):
		_, err := decodeCursor(string(key), value)
		return err
	}
	return nil
}
