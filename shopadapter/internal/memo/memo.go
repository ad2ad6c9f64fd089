// Package memo remembers what an adapter read of its shop: where it sells, and in which languages.
package memo

import (
	"context"
	"sync/atomic"
	"time"
)

// A Memo holds one reading. All that ask at the same time wait for one request. It is made by New.
type Memo[T any] struct {
	read func(context.Context) (T, error)
	age  time.Duration
	turn chan *reading[T] // holds the last reading, nil for none; taken out while it is being replaced
	told atomic.Int64     // how many times Forget was called
}

type reading[T any] struct {
	value T
	at    time.Time // when it began
	told  int64     // then
}

// New is a memo that believes a reading for an age.
func New[T any](age time.Duration, read func(context.Context) (T, error)) *Memo[T] {
	m := &Memo[T]{read: read, age: age, turn: make(chan *reading[T], 1)}
	m.turn <- nil
	return m
}

// Get is the last reading, or a new one where that is old or the caller wants a fresh one. A
// reading that fails is not kept.
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

// Forget makes the next Get read anew: an answer has shown that the shop is another now. A reading
// that is under way is not believed either.
func (m *Memo[T]) Forget() { m.told.Add(1) }
