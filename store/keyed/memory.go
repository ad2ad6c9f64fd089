package keyed

import (
	"context"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// A Memory is a KV that ends with its process: for tests, and below a view of a file that is not there.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	contents
}

type contents map[Bucket]*sorted

// NewMemory makes an empty KV.
func NewMemory() *Memory {
	c := contents{}
	for _, b := range Buckets {
		c[b] = newSorted()
	}
	return &Memory{contents: c}
}

// InMemory makes an empty store in memory.
func InMemory() *Store { return &Store{NewMemory()} }

// Reopened is the KV as the next process would find it. The KV itself is closed.
func (m *Memory) Reopened() *Memory {
	_ = m.Close() //nolint:errcheck // never fails
	return &Memory{contents: m.contents}
}

// Close ends the KV.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// View implements KV.
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.usable(ctx); err != nil {
		return err
	}
	return fn(NewTx(0, m.contents, nil))
}

// Update implements KV.
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return err
	}
	tx := NewTx(0, m.contents, nil)
	if err := fn(tx); err != nil {
		return err
	}
	m.apply(tx)
	return nil
}

// apply makes the writes of a transaction.
func (c contents) apply(tx *Tx) {
	for k, value := range tx.Writes() {
		if value == nil {
			c[k.Bucket].remove(k.Key)
		} else {
			c[k.Bucket].set(k.Key, value)
		}
	}
}

func (m *Memory) usable(ctx context.Context) error {
	if m.closed {
		return store.ErrClosed
	}
	return ctx.Err()
}

// Read implements Source.
func (c contents) Read(keys []Key) (map[Key][]byte, error) {
	values := make(map[Key][]byte, len(keys))
	for _, k := range keys {
		if value, ok := c[k.Bucket].values[k.Key]; ok {
			values[k] = value
		}
	}
	return values, nil
}

// Page implements Source.
func (c contents) Page(b Bucket, from, to string, most int) ([]Pair, error) {
	in := c[b]
	i, _ := slices.BinarySearch(in.keys, from)
	page := make([]Pair, 0, min(most, len(in.keys)-i))
	for _, key := range in.keys[i:] {
		if len(page) == most || to != "" && key >= to {
			break
		}
		page = append(page, Pair{key, in.values[key]})
	}
	return page, nil
}
