package desk

import (
	"sync"
	"time"
)

const (
	memoFresh = 10 * time.Second
	// memoShare is how many times as long as its making took a memo is used: whoever asks all the time takes
	// a twentieth of one processor at most.
	memoShare = 20
)

// A Memo keeps what was made for one key, for the next who ask for the same. The zero Memo is empty.
type Memo[K comparable, V any] struct {
	mu    sync.Mutex
	key   K
	value V
	until time.Time // zero: it holds nothing
}

// Of is the value of a key, made anew where it is older than fresh. Who asks while it is made waits for
// it. An error is not kept.
func (m *Memo[K, V]) Of(key K, fresh time.Duration, make func() (V, error)) (V, error) {
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
	m.until = time.Now().Add(max(fresh, memoShare*time.Since(begun)))
	return value, nil
}

func (m *Memo[K, V]) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = time.Time{}
}
