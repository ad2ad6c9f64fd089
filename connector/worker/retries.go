package worker

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// failures counts failures in a row by publication.
type failures struct {
	mu sync.Mutex
	n  map[string]int
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

func (c *failures) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.n)
}

func (c *failures) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.n, id)
}

// retries is the publications that met a transient error and are tried again, each with the time of
// its first.
type retries struct {
	mu sync.Mutex
	in map[string]time.Time
}

func (s *retries) add(id string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in == nil {
		s.in = map[string]time.Time{}
	}
	if _, ok := s.in[id]; !ok {
		s.in[id] = now
	}
}

func (s *retries) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.in[id]
	return ok
}

func (s *retries) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.in))
}

// latest is the latest of the first errors, so the one for which there is patience longest; ok is
// false when nothing fails.
func (s *retries) latest() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.in {
		if !ok || t.After(at) {
			at, ok = t, true
		}
	}
	return at, ok
}

func (s *retries) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, id)
}

func (s *retries) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.in)
}

// Misread is how many publications have content that could not be read at the last try.
func (w *Worker) Misread() int { return w.misread.len() }

// Retrying is how many publications met a transient error and are tried again.
func (w *Worker) Retrying() int { return w.retrying.len() }

// RetryingIDs is the ids of the publications that met a transient error and are tried again.
func (w *Worker) RetryingIDs() []string { return w.retrying.ids() }

// Retries reports whether a publication met a transient error and is tried again.
func (w *Worker) Retries(id string) bool { return w.retrying.has(id) }

// LastToRetry is the latest of their first errors, of the publication for which there is patience
// longest; ok is false where there is none.
func (w *Worker) LastToRetry() (at time.Time, ok bool) { return w.retrying.latest() }
