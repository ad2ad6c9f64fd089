package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// A Store holds everything in maps. See store.Store for its methods.
type Store struct {
	mu     sync.Mutex
	closed bool
	*contents
}

// contents is what a store holds. Records are kept encoded, as in every engine, so that a reader
// gets a copy of its own.
type contents struct {
	records map[string][]byte              // of known publications
	left    map[string][]byte              // what is left of forgotten ones
	ids     ordered[string]                // of records
	index   map[store.Key]*ordered[string] // the places of those that have a key
	marks   map[string]store.Mark
	due     [store.Classes]ordered[row]
	reports map[string]store.Report
	owed    ordered[string] // the ids of reports
	claims  map[string]store.Owner
	cursors map[string]store.Cursor
	facts   map[string]string
	seen    map[string]bool // by the enumeration under way
	removed map[removal]bool
	gen     uint64 // of the last mark
	seq     uint64 // of the last report
}

// A row of the due set says when a mark is due for a class.
type row struct {
	at store.Instant
	id string
}

func compareRows(a, b row) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.id, b.id)) }

// A removal is who was taken out of sale, and when. The same one counts once.
type removal struct {
	id string
	at store.Instant
}

// New makes an empty store.
func New() *Store {
	c := &contents{
		records: map[string][]byte{},
		left:    map[string][]byte{},
		ids:     ordered[string]{compare: strings.Compare},
		index:   map[store.Key]*ordered[string]{},
		marks:   map[string]store.Mark{},
		reports: map[string]store.Report{},
		owed:    ordered[string]{compare: strings.Compare},
		claims:  map[string]store.Owner{},
		cursors: map[string]store.Cursor{},
		facts:   map[string]string{},
		seen:    map[string]bool{},
		removed: map[removal]bool{},
	}
	for class := range c.due {
		c.due[class].compare = compareRows
	}
	return &Store{contents: c}
}

// Reopened is the store as the next process would find it. The store itself is closed.
func (s *Store) Reopened() *Store {
	_ = s.Close() //nolint:errcheck // never fails
	return &Store{contents: s.contents}
}

// Close ends the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// begin locks the store for one transaction; the caller unlocks it.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}

// write makes a change as a whole. After an error or a panic it takes back what was changed.
func (s *Store) write(ctx context.Context, change func(tx *transaction) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	tx := &transaction{contents: s.contents}
	defer tx.takeBack()
	err := change(tx)
	if err == nil {
		tx.undo = nil
	}
	return err
}

// A transaction knows how to take back what it has changed.
type transaction struct {
	*contents
	undo []func()
}

func (tx *transaction) takeBack() {
	for i := len(tx.undo) - 1; i >= 0; i-- {
		tx.undo[i]()
	}
}

// set changes one entry of a map; without ok it is removed.
func set[V any](tx *transaction, m map[string]V, key string, v V, ok bool) {
	old, had := m[key]
	put := func(v V, ok bool) {
		if ok {
			m[key] = v
		} else {
			delete(m, key)
		}
	}
	put(v, ok)
	tx.undo = append(tx.undo, func() { put(old, had) })
}

// replace is set for a map that is cleared.
func replace[V any](tx *transaction, m map[string]V) {
	old := maps.Clone(m)
	clear(m)
	tx.undo = append(tx.undo, func() { maps.Copy(m, old) })
}

// move keeps an ordered set in step with what is in it.
func move[T any](tx *transaction, o *ordered[T], item T, in bool) {
	put := func(in bool) {
		if in {
			o.add(item)
		} else {
			o.remove(item)
		}
	}
	put(in)
	tx.undo = append(tx.undo, func() { put(!in) })
}

// record is what is held of a publication. What is left of a forgotten one is not known.
func (c *contents) record(id string) (r store.Record, known bool, err error) {
	data, known := c.records[id]
	if !known {
		data = c.left[id]
	}
	r.ID = id
	if data == nil {
		return r, false, nil
	}
	err = value.Decode("record", id, data, &r)
	return r, known && err == nil, err
}

func validID(id string) error {
	if id == "" || len(id) > store.MaxID {
		return fmt.Errorf("write store: id of %d bytes", len(id))
	}
	return nil
}

var _ store.Store = (*Store)(nil)
