// Package memo remembers what an adapter read of its shop.
package memo

import (
	"context"
	"sync/atomic"
	"time"
)

// A Memo holds one reading. Concurrent callers wait for one request.
type Memo[T any] struct {
	read func(context.Context) (T, error)
	age  time.Duration
	turn chan *reading[T] // the last reading or nil; taken out while it is replaced
	told atomic.Int64     // how many times Forget was called
}

type reading[T any] struct {
	value T
	at    time.Time // when it began
	told  int64     // then
}

// New makes a Memo that believes a reading for an age.
func New[T any](age time.Duration, read func(context.Context) (T, error)) *Memo[T] {
	m := &Memo[T]{read: read, age: age, turn: make(chan *reading[T], 1)}
	m.turn <- nil
	return m
}

// Get returns the last reading, or a new one if that is old or fresh is set.
func (m *Memo[T]) Get(ctx context.Context, fresh bool) (value T, err error) {
	var last *reading[T]
	select {
	case last = <-m.turn:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { m.turn <- last }()
	if now := time.Now(); last == nil || fresh || now.Sub(last.at) >= m.age || last.told != m.told.Load() {
		told := m.told.Load()
		if value, err = m.read(ctx); err != nil {
			return value, err
		}
		last = &reading[T]{value, now, told}
	}
	return last.value, nil
}

// Forget voids the last reading, and one that is under way: the shop has changed.
func (m *Memo[T]) Forget() { m.told.Add(1) }
