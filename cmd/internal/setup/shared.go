package setup

import (
	"sync"

	"golang.org/x/sync/semaphore"
)

// Shared is what the accounts of a process share: slots for calls of their shops. The zero value has
// none yet.
type Shared struct {
	mu    sync.Mutex
	slots *semaphore.Weighted
}

// callSlots is a slot for each call that the shops of all accounts may get at a time, nil where the
// process has one account.
func (s *Shared) callSlots(c *Setup) *semaphore.Weighted {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil {
		s.slots = semaphore.NewWeighted(int64(c.AccountsConcurrency))
	}
	return s.slots
}

// Share has the accounts of a process draw on what is shared.
func (c *Setup) Share(s *Shared) { c.shared = s }
