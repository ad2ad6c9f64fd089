package store

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// A Memory is a KV in memory: above nothing for tests, or above another KV, which it only reads,
// for plans. The work that there is it copies when it is made. Of a publication it remembers the
// record once something of it is written, and from then on does not ask the other about it: that
// may be written meanwhile.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	base   KV                 // nil: nothing
	top    map[Bucket]*sorted // what is remembered and written; above another KV a nil value is deleted
	own    map[string]bool    // publications of which base is not asked
}

// copied are the buckets that are copied as a whole: the marks with their order, what is owed, and
// how far the listings are.
var copied = []Bucket{bucketMark, bucketHinted, bucketDue, bucketOutbox, bucketCursor, bucketSeen}

// NewMemory makes an empty KV.
func NewMemory() *Memory {
	m := &Memory{top: map[Bucket]*sorted{}, own: map[string]bool{}}
	for _, b := range Buckets {
		m.top[b] = newSorted()
	}
	return m
}

// InMemory makes an empty store in memory.
func InMemory() Store { return Store{NewMemory()} }

// Above makes a KV in memory above another one.
func Above(ctx context.Context, base KV) (m *Memory, err error) {
	err = base.View(ctx, func(tx *Tx) error {
		m = NewMemory()
		m.base = base
		for _, b := range copied {
			for p, err := range tx.Scan(b, "", "") {
				if err != nil {
					return err
				}
				m.top[b].set(p.Key, append([]byte{}, p.Value...))
			}
		}
		return nil
	})
	return m, err
}

// Over is a store in memory that lies over another one, which it only reads: a plan is a run on it.
func Over(ctx context.Context, s Store) (Store, error) {
	m, err := Above(ctx, s.KV)
	return Store{m}, err
}

// Close ends the KV, but for one above another, which others may lie above.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = m.base == nil
	return nil
}

// View implements [KV].
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.run(ctx, func(tx, _ *Tx) error { return fn(tx) })
}

// Update implements [KV].
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var made *Tx
	var seen map[Key][]byte
	if err := m.run(ctx, func(tx, below *Tx) (err error) {
		made = tx
		if err = fn(tx); err == nil {
			err = tx.Err()
		}
		if err == nil {
			seen, err = m.recall(below, tx)
		}
		return err
	}); err != nil {
		return err
	}
	for k, value := range seen {
		m.top[k.Bucket].set(k.Key, value)
	}
	for k, value := range made.Writes() {
		if id := publicationOf(k); id != "" {
			m.own[id] = true
		}
		if value == nil && m.hides(k) {
			m.top[k.Bucket].remove(k.Key)
		} else {
			m.top[k.Bucket].set(k.Key, value)
		}
	}
	return nil
}

// run runs fn in a transaction on what is remembered, above one of the KV below.
func (m *Memory) run(ctx context.Context, fn func(tx, below *Tx) error) error {
	on := func(below *Tx) error {
		top := NewTx(below.ahead, shown{below, m.hides}, nil)
		top.writes = m.top
		return fn(NewTx(below.ahead, top, nil), below)
	}
	switch {
	case m.closed:
		return ErrClosed
	case m.base != nil:
		return m.base.View(ctx, on)
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return on(NewTx(0, nil, nil))
	}
}

// hides reports whether the KV below is not asked for a key.
func (m *Memory) hides(k Key) bool {
	return m.base == nil || slices.Contains(copied, k.Bucket) || m.own[publicationOf(k)]
}

// publicationOf is the publication whose record a key is part of, or made of; "" for another key.
func publicationOf(k Key) (id string) {
	switch k.Bucket {
	case bucketPublication, bucketLeft, bucketRecent, bucketEvent:
		id = k.Key
	case bucketIndex:
		_, place, _ := strings.Cut(k.Key, "\x00")
		_, id = splitPlace(place)
	case bucketHint:
		if len(k.Key) > 1+hintHash {
			id = k.Key[1+hintHash:]
		}
	default:
	}
	return id
}

// recall is what is held below of each publication of which a transaction is the first to write.
func (m *Memory) recall(below, tx *Tx) (map[Key][]byte, error) {
	if m.base == nil {
		return nil, nil
	}
	var asked []Key
	for k := range tx.Writes() {
		if id := publicationOf(k); id != "" && !m.own[id] {
			for _, b := range []Bucket{bucketPublication, bucketLeft, bucketRecent, bucketEvent} {
				asked = append(asked, Key{b, id})
			}
		}
	}
	found, err := below.Get(asked...)
	if err != nil {
		return nil, err
	}
	seen := map[Key][]byte{}
	for k, data := range found {
		seen[k] = slices.Clone(data)
		if k.Bucket != bucketPublication {
			continue
		}
		r, err := decode[Record](k, data)
		if err != nil {
			return nil, err
		}
		r.ID = k.Key
		for _, place := range placesOf(r) {
			seen[place] = []byte{}
		}
	}
	return seen, nil
}

// A shown transaction is a source for one above it, but for the keys that are hidden.
type shown struct {
	tx    *Tx
	hides func(Key) bool
}

// Read implements [Source].
func (s shown) Read(keys []Key) (map[Key][]byte, error) {
	return s.tx.Get(slices.DeleteFunc(slices.Clone(keys), s.hides)...)
}

// Page implements [Source].
func (s shown) Page(b Bucket, from, to string, most int) (page []Pair, err error) {
	if s.hides(Key{Bucket: b}) {
		return nil, nil
	}
	for p, err := range s.tx.Scan(b, from, to) {
		if err != nil {
			return nil, err
		}
		if s.hides(Key{b, p.Key}) {
			continue
		}
		if page = append(page, p); len(page) == most {
			break
		}
	}
	return page, nil
}
