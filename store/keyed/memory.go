package keyed

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// A Memory is a KV that ends with its process: for tests, and for what an overlay writes.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	*contents
}

type contents struct {
	buckets   map[Bucket]*sorted
	sequences map[Bucket]uint64
}

// A sorted map keeps its keys in order. Removing the first is cheap, since the due set is worked off from there.
type sorted struct {
	keys   []string
	values map[string][]byte
}

// NewMemory makes an empty KV.
func NewMemory() *Memory {
	c := &contents{buckets: map[Bucket]*sorted{}, sequences: map[Bucket]uint64{}}
	for _, b := range Buckets {
		c.buckets[b] = &sorted{values: map[string][]byte{}}
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
func (m *Memory) View(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return store.ErrClosed
	}
	return fn(&memoryTx{contents: m.contents})
}

// Update implements KV. After an error or a panic of fn it takes back what was written.
func (m *Memory) Update(ctx context.Context, fn func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return store.ErrClosed
	}
	tx := &memoryTx{contents: m.contents}
	defer tx.takeBack()
	err := fn(tx)
	if err == nil {
		tx.undo = nil
	}
	return err
}

type memoryTx struct {
	*contents
	undo []func()
}

func (tx *memoryTx) takeBack() {
	for _, back := range slices.Backward(tx.undo) {
		back()
	}
}

func (tx *memoryTx) Get(b Bucket, key string) []byte { return tx.buckets[b].values[key] }

func (tx *memoryTx) Put(b Bucket, key string, value []byte) error {
	tx.set(b, key, append([]byte{}, value...))
	return nil
}

func (tx *memoryTx) Delete(b Bucket, key string) error {
	tx.set(b, key, nil)
	return nil
}

// set writes a value; nil deletes it.
func (tx *memoryTx) set(b Bucket, key string, value []byte) {
	in := tx.buckets[b]
	before := in.values[key]
	tx.undo = append(tx.undo, func() { in.set(key, before) })
	in.set(key, value)
}

func (s *sorted) set(key string, value []byte) {
	_, had := s.values[key]
	i := 0
	if had != (value != nil) {
		i, _ = slices.BinarySearch(s.keys, key)
	}
	switch {
	case value != nil && !had:
		s.keys = slices.Insert(s.keys, i, key)
	case value == nil && had && i == 0:
		s.keys = s.keys[1:]
	case value == nil && had:
		s.keys = slices.Delete(s.keys, i, i+1)
	}
	if s.values[key] = value; value == nil {
		delete(s.values, key)
	}
}

func (tx *memoryTx) Scan(b Bucket, from string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		in := tx.buckets[b]
		i, _ := slices.BinarySearch(in.keys, from)
		for _, key := range in.keys[i:] {
			if !yield(key, in.values[key]) {
				return
			}
		}
	}
}

func (tx *memoryTx) Clear(b Bucket) error {
	for _, key := range slices.Clone(tx.buckets[b].keys) {
		tx.set(b, key, nil)
	}
	return nil
}

func (tx *memoryTx) Next(b Bucket) (uint64, error) {
	tx.sequences[b]++
	return tx.sequences[b], nil
}

func (tx *memoryTx) Reach(b Bucket, n uint64) error {
	tx.sequences[b] = max(tx.sequences[b], n)
	return nil
}
