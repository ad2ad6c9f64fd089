package connector

import (
	"sync"
	"sync/atomic"
	"time"
)

// A tally counts what was done since the start.
type tally struct {
	created, updated, unchanged, withdrawn, reported atomic.Int64
}

type counts struct{ created, updated, unchanged, withdrawn, reported int64 }

func (t *tally) now() counts {
	return counts{t.created.Load(), t.updated.Load(), t.unchanged.Load(), t.withdrawn.Load(), t.reported.Load()}
}

// counters counts failures in a row by publication.
type counters struct {
	mu sync.Mutex
	n  map[string]int
}

func newCounters() *counters { return &counters{n: map[string]int{}} }

func (c *counters) count(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[id]++
	return c.n[id]
}

func (c *counters) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.n)
}

func (c *counters) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.n, id)
}

// failing is the publications that met a transient error and are tried again, each with the time of its first.
type failing struct {
	mu sync.Mutex
	in map[string]time.Time
}

func newFailing() *failing { return &failing{in: map[string]time.Time{}} }

func (s *failing) add(id string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.in[id]; !ok {
		s.in[id] = now
	}
}

func (s *failing) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.in[id]
	return ok
}

// latest is the latest of the first errors, so the one for which there is patience longest; ok is false when nothing fails.
func (s *failing) latest() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.in {
		if !ok || t.After(at) {
			at, ok = t, true
		}
	}
	return at, ok
}

func (s *failing) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, id)
}

func (s *failing) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.in)
}

// progress is when something last went well.
type progress struct{ at atomic.Int64 }

func (p *progress) note(now time.Time) { p.at.Store(now.UnixNano()) }

func (p *progress) last() time.Time { return time.Unix(0, p.at.Load()) }

// mishap is the last error and when.
type mishap struct {
	mu  sync.Mutex
	err string
	at  time.Time
}

func (m *mishap) set(err error) {
	if err == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.at = err.Error(), time.Now()
}

func (m *mishap) get() (string, time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err, m.at
}

// once says a thing that lasts once: note reports whether it is news, clear whether it had been said.
type once struct {
	mu    sync.Mutex
	said  bool
	err   error
	since time.Time
}

func (o *once) note(err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	news := !o.said
	if news {
		o.since = time.Now()
	}
	o.said, o.err = true, err
	return news
}

func (o *once) clear() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.said
	o.said, o.err = false, nil
	return was
}

func (o *once) trouble() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// look is the trouble there is, and since when.
func (o *once) look() (since time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.since, o.err
}
