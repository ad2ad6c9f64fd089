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
	noted   tally // of all records, as the store has written it down
	schema  string
	buckets map[string]bool
	// the first value that cannot be read: a newer schema may write them otherwise, and that is
	// then what to say
	bad error

	// The due set is nothing but the marks in another order: were a key of it lost, its publication
	// would be forgotten in silence. The sums of the hashes of what is there and of what the marks
	// ask for tell whether both hold the same.
	seed      maphash.Seed
	due, owed uint64

	// The same for the index and the keys of the records.
	index, keys uint64
}

// newSurvey is a survey that has not begun.
func newSurvey() *survey {
	return &survey{
		counts:  tally{},
		noted:   tally{},
		buckets: map[string]bool{},
		seed:    maphash.MakeSeed(),
	}
}

// surveyFile walks an open file, all of it or by its structure alone. The file is locked by db
// meanwhile.
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
	s.counts = s.noted
	return s, nil
}

// Check proves every page and every value, while others go on reading and writing: what the
// structure is made of, that each checksum is right, and that marks and due set agree. It takes
// about as long as reading the file, whose pages that are replaced meanwhile cannot be used again
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

// judge tells whether this is a whole store of a schema that this version reads.
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
	case whole && !maps.Equal(s.counts, s.noted):
		return fmt.Errorf("%w: there are other publications than are noted", store.ErrCorrupt)
	}
	for _, name := range allBuckets {
		if !s.buckets[string(name)] {
			return fmt.Errorf("%w: bucket %s is missing", store.ErrCorrupt, name)
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

func (s *survey) take(name string, key, data []byte) error {
	switch name {
	case string(bucketMeta):
		if string(key) == metaSchema {
			s.schema = string(data)
			return nil
		}
		fact, err := value.Unseal("fact", string(key), data)
		if err == nil && string(key) == metaCounts {
			s.noted, err = parseCounts(string(fact))
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
