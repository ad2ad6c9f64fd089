package store

import (
	"context"
	"slices"
	"sync"
)

// A Memory is a KV in memory.
type Memory struct {
	mu   sync.RWMutex
	held *Tx
}

// NewMemory makes an empty KV.
func NewMemory() *Memory { return &Memory{held: NewTx(nil, nil)} }

// InMemory makes an empty store in memory.
func InMemory() Store { return Store{NewMemory()} }

// Over copies a store to memory, but for the history. A plan is a run on the copy.
func Over(ctx context.Context, below Store) (Store, error) {
	var m *Memory
	err := below.View(ctx, func(tx *Tx) error {
		m = NewMemory()
		for _, b := range slices.DeleteFunc(slices.Clone(Buckets), func(b Bucket) bool { return b == bucketEvent }) {
			for p := range tx.Scan(b, "", "") {
				m.held.Put(Key{b, p.Key}, p.Value)
			}
		}
		return nil
	})
	return Store{m}, err
}

// Path implements [KV].
func (m *Memory) Path() string { return "" }

// Close implements [KV]. The values stay, for another plan.
func (m *Memory) Close() error { return nil }

// View implements [KV].
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return NewTx(m.held, nil).Run(fn)
}

// Update implements [KV].
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.held.Try(fn)
}
