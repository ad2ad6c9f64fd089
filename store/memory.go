package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Memory is a KV in memory: an empty one for tests, or a copy of another KV for plans. A copy has
// all but the history as it is when it is made, and reads the history of the other one.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	held   map[Bucket]*sorted // of the history what was written alone; there a nil value is deleted
	below  KV                 // nil: it is no copy
	ahead  time.Duration      // as of a Tx
}

// history are the buckets that a copy leaves where they are.
var history = []Bucket{bucketRecent, bucketEvent}

// NewMemory makes an empty KV.
func NewMemory() *Memory {
	m := &Memory{held: map[Bucket]*sorted{}}
	for _, b := range Buckets {
		m.held[b] = newSorted()
	}
	return m
}

// InMemory makes an empty store in memory.
func InMemory() Store { return Store{NewMemory()} }

// Over is a store in memory that lies over another one, which it only reads: a plan is a run on it.
func Over(ctx context.Context, below Store) (Store, error) {
	var m *Memory
	err := below.View(ctx, func(tx *Tx) error {
		m = NewMemory()
		m.below, m.ahead = below, tx.ahead
		for _, b := range Buckets {
			if slices.Contains(history, b) {
				continue
			}
			for p, err := range tx.Scan(b, "", "") {
				if err != nil {
					return err
				}
				m.held[b].set(p.Key, p.Value)
			}
		}
		return nil
	})
	return Store{m}, err
}

// Close ends the KV, but for a copy, which others may lie above.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = m.below == nil
	return nil
}

// View implements [KV].
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.run(ctx, fn)
}

// Update implements [KV].
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var made *Tx
	if err := m.run(ctx, func(tx *Tx) error {
		made = tx
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Err()
	}); err != nil {
		return err
	}
	for k, value := range made.Writes() {
		if value == nil && !m.passes(k.Bucket) {
			m.held[k.Bucket].remove(k.Key)
		} else {
			m.held[k.Bucket].set(k.Key, value)
		}
	}
	return nil
}

func (m *Memory) run(ctx context.Context, fn func(*Tx) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case m.closed:
		return ErrClosed
	case m.below != nil:
		return m.below.View(ctx, func(below *Tx) error { return fn(NewTx(m.ahead, layers{m, below}, nil)) })
	default:
		return fn(NewTx(0, layers{m, nil}, nil))
	}
}

// passes reports whether what is not held of a bucket is asked of the KV below.
func (m *Memory) passes(b Bucket) bool { return m.below != nil && slices.Contains(history, b) }

// layers is a source of what is held, above one of the KV below.
type layers struct {
	*Memory

	below *Tx
}

// Read implements [Source].
func (l layers) Read(keys []Key) (map[Key][]byte, error) {
	values := make(map[Key][]byte, len(keys))
	var asked []Key
	for _, k := range keys {
		if value, known := l.held[k.Bucket].values[k.Key]; known {
			values[k] = value
		} else if l.passes(k.Bucket) {
			asked = append(asked, k)
		}
	}
	if len(asked) > 0 {
		found, err := l.below.Get(asked...)
		maps.Copy(values, found)
		return values, err
	}
	return values, nil
}

// Page implements [Source]. The history is never read in its order.
func (l layers) Page(b Bucket, from, to string, most int) (page []Pair, err error) {
	for len(page) < most {
		p, ok := l.held[b].from(from)
		if !ok || to != "" && p.Key >= to {
			break
		}
		page, from = append(page, p), p.Key+"\x00"
	}
	return page, nil
}
