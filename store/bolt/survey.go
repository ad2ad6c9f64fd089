package bolt

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"os"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
	"go.etcd.io/bbolt"
)

// A survey is what is found in a file while it is checked.
type survey struct {
	txid    int   // of the last transaction
	counts  tally // of the records that were read
	written tally // of all records, as the store has written it down
	schema  string
	buckets map[string]bool
	// the first value that cannot be read; where the schema is another, judge says that instead
	bad error

	// The due set is the marks in another order. A publication whose key is lost would never be
	// looked at. due is the sum of the hashes of its keys, owed that of the keys which the marks
	// ask for: both must be equal.
	seed      maphash.Seed
	due, owed uint64

	// The same for the keys of the index, and those of the records.
	index, keys uint64
}

// newSurvey is a survey that has not begun.
func newSurvey() *survey {
	return &survey{
		counts:  tally{},
		written: tally{},
		buckets: map[string]bool{},
		seed:    maphash.MakeSeed(),
	}
}

// surveyFile walks an open file, all of it or its structure alone. db has the file locked.
func surveyFile(db *bbolt.DB, file *os.File, whole bool) (*survey, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	s := newSurvey()
	if err := db.View(func(tx *bbolt.Tx) error { s.txid = tx.ID(); return nil }); err != nil {
		return nil, err
	}
	w := walker{file: file, pageSize: db.Info().PageSize, visit: s.visit, shallow: !whole}
	if err := w.walk(uint64(s.txid), info.Size()); err != nil { //nolint:gosec // counts up from 0
		return nil, err
	}
	if err := s.judge(whole); err != nil {
		return nil, err
	}
	s.counts = s.written
	return s, nil
}

// Check verifies every page and every value, while others go on reading and writing: the structure,
// each checksum, and that the due set agrees with the marks and the index with the records. It
// takes about as long as reading the file. Pages that are replaced meanwhile cannot be used again
// until it ends.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(tx *tree) error {
		info, err := s.file.Stat()
		if err != nil {
			return err
		}
		found := newSurvey()
		w := walker{file: s.file, pageSize: s.db.Info().PageSize, visit: found.visit}
		end := uint64(tx.Size()) / uint64(w.pageSize) //nolint:gosec // neither is negative
		if err := w.from(uint64(tx.Cursor().Bucket().Root()), end, info.Size()); err != nil {
			return err
		}
		return found.judge(true)
	})
}

// judge fails unless this is a complete store of a schema that this version reads.
func (s *survey) judge(whole bool) error {
	switch {
	case s.buckets[string(bucketMeta)] && s.schema != schema:
		return fmt.Errorf(
			"schema is %q, this version reads %q: use the version of pubsync that wrote it, or a newer one",
			s.schema,
			schema,
		)
	case !s.buckets[string(bucketMeta)]:
		return fmt.Errorf("%w: not a store of pubsync", store.ErrCorrupt)
	case s.bad != nil:
		return s.bad
	case whole && s.due != s.owed:
		return fmt.Errorf("%w: marks and due set differ", store.ErrCorrupt)
	case whole && s.index != s.keys:
		return fmt.Errorf("%w: records and index differ", store.ErrCorrupt)
	case whole && !maps.Equal(s.counts, s.written):
		return fmt.Errorf("%w: the tally of publications is wrong", store.ErrCorrupt)
	}
	for _, name := range allBuckets {
		if !s.buckets[string(name)] {
			return fmt.Errorf("%w: bucket %s is missing", store.ErrCorrupt, name)
		}
	}
	return nil
}

// visit adds one key of the bucket at path to the survey, or with a nil key the bucket itself.
func (s *survey) visit(path []string, key, value []byte) error {
	switch {
	case len(path) != 2, path[0] != string(rootBucket):
		return nil
	case key == nil:
		s.buckets[path[1]] = true
		return nil
	}
	if err := s.add(path[1], key, value); s.bad == nil {
		s.bad = err
	}
	return nil
}

func (s *survey) add(name string, key, data []byte) error {
	switch name {
	case string(bucketMeta):
		if string(key) == metaSchema {
			s.schema = string(data)
			return nil
		}
		fact, err := value.Unseal("fact", string(key), data)
		if err == nil && string(key) == metaCounts {
			s.written, err = parseCounts(string(fact))
		}
		return err
	case string(bucketPublication):
		r, err := decodeRecord(string(key), data)
		if err != nil {
			return err
		}
		s.counts.count(r, 1)
		for _, k := range keysOf(r) {
			s.keys += maphash.Bytes(s.seed, indexKey(k, r.ID))
		}
	case string(bucketIndex):
		s.index += maphash.Bytes(s.seed, key)
	case string(bucketLeft):
		_, err := decodeRecord(string(key), data)
		return err
	case string(bucketMark):
		m, err := decodeMark(string(key), data)
		for _, key := range dueKeys(m) {
			s.owed += maphash.Bytes(s.seed, key)
		}
		return err
	case string(bucketDue):
		s.due += maphash.Bytes(s.seed, key)
	case string(bucketOutbox):
		_, err := decodeReport(string(key), data)
		return err
	case string(bucketCursor):
		_, err := decodeCursor(string(key), data)
		return err
	}
	return nil
}
