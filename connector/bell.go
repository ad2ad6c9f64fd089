package connector

import "sync"

// A bell wakes whoever waits. Listen first, look second: a ring between the two is not missed.
type bell struct {
	mu    sync.Mutex
	ch    chan struct{}
	heard bool // somebody listens to ch
}

func newBell() *bell { return &bell{ch: make(chan struct{})} }

func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = true
	return b.ch
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.heard {
		return
	}
	b.heard = false
	close(b.ch)
	b.ch = make(chan struct{})
}
