package desk

import (
	"sync"
	"time"
)

const (
	// memoFresh is how old a memo is at least before it is made anew, and memoShare how many times as
	// long as its making took: so whoever asks all the time takes a twentieth of one processor at most.
	memoFresh = 10 * time.Second
	memoShare = 20
)

// A memo keeps what was made of many records for the next who ask for the same. The zero memo is
// empty.
type memo[K comparable, V any] struct {
	mu    sync.Mutex
	key   K
	value V
	until time.Time // zero: it holds nothing
}

// of is the value of a key. Who asks while it is made waits for it.
func (m *memo[K, V]) of(key K, make func() (V, error)) (V, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := time.Now()
	if m.key == key && begun.Before(m.until) {
		return m.value, nil
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	m.key, m.value = key, value
	m.until = time.Now().Add(max(memoFresh, memoShare*time.Since(begun)))
	return value, nil
}

// forget has the next who asks see what is now.
func (m *memo[K, V]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = time.Time{}
}
