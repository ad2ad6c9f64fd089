package store

import (
	"context"
	"sync"
	"time"
)

// A Memory is a KV in memory: an empty one for tests, or a copy of another KV for plans.
type Memory struct {
	mu     sync.RWMutex
	closed bool
	held   map[Bucket]*sorted
	copied bool
	ahead  time.Duration // as of a Tx
}

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

// Over is a store in memory that has what another one holds at this moment, but for the history: a
// plan is a run on it.
func Over(ctx context.Context, below Store) (Store, error) {
	var m *Memory
	err := below.View(ctx, func(tx *Tx) error {
		m = NewMemory()
		m.copied, m.ahead = true, tx.ahead
		for _, b := range Buckets {
			if b == bucketEvent {
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

// Close ends the KV, but for a copy, which another plan may be made of.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = !m.copied
	return nil
}

// View implements [KV].
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, err := m.run(ctx, fn)
	return err
}

// Update implements [KV].
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	tx, err := m.run(ctx, fn)
	if err != nil {
		return err
	}
	for k, value := range tx.Writes() {
		if value == nil {
			m.held[k.Bucket].remove(k.Key)
		} else {
			m.held[k.Bucket].set(k.Key, value)
		}
	}
	return nil
}

func (m *Memory) run(ctx context.Context, fn func(*Tx) error) (*Tx, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case m.closed:
		return nil, ErrClosed
	}
	tx := NewTx(m.ahead, m, nil)
	return tx, fn(tx)
}

// Read implements [Source].
func (m *Memory) Read(keys []Key) (map[Key][]byte, error) {
	values := make(map[Key][]byte, len(keys))
	for _, k := range keys {
		if value, known := m.held[k.Bucket].values[k.Key]; known {
			values[k] = value
		}
	}
	return values, nil
}

// Page implements [Source].
func (m *Memory) Page(b Bucket, from, to string, most int) (page []Pair, err error) {
	for len(page) < most {
		p, ok := m.held[b].from(from)
		if !ok || to != "" && p.Key >= to {
			break
		}
		page, from = append(page, p), p.Key+"\x00"
	}
	return page, nil
}
