package look

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// failures counts failures in a row by publication.
type failures struct {
	mu    sync.Mutex
	n     map[string]int
	owned map[string]bool // those that are the publication's own
}

func (c *failures) count(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[id]++
	return c.n[id]
}

// own records that the failures of a publication are its own.
func (c *failures) own(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owned == nil {
		c.owned = map[string]bool{}
	}
	c.owned[id] = true
}

// len is how many publications have failed, those whose failures are their own not counted.
func (c *failures) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.n) - len(c.owned)
}

func (c *failures) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.n, id)
	delete(c.owned, id)
}

// Retries are the publications that met a transient error and are tried again, each with the time
// of its first.
type Retries struct {
	mu sync.Mutex
	in map[string]time.Time
}

func (s *Retries) add(id string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in == nil {
		s.in = map[string]time.Time{}
	}
	if _, ok := s.in[id]; !ok {
		s.in[id] = now
	}
}

// Has reports whether a publication is tried again.
func (s *Retries) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.in[id]
	return ok
}

// IDs are the ids of the publications.
func (s *Retries) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.in))
}

// Last is the latest of the first errors: the patience with it ends last. ok is false where there
// is none.
func (s *Retries) Last() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.in {
		if !ok || t.After(at) {
			at, ok = t, true
		}
	}
	return at, ok
}

func (s *Retries) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, id)
}

// Len is how many publications are tried again.
func (s *Retries) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.in)
}
