package engine

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// looks is what looks tell of what they do and meet. It is kept in memory alone: after a restart nobody
// waits.
type looks struct {
	teller   teller
	did      counter
	retrying retries
	late     lateness
	misread  failures
	missing  atomic.Int64 // looks in a row at new entries that do not exist
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

func (c Counts) total() int64 { return c.Created + c.Updated + c.Withdrawn + c.Unchanged }

// A counter counts what was done since the start. A change that took two looks, one at the figures and one
// at the remainder, counts once.
type counter struct {
	mu     sync.Mutex
	counts Counts
	rest   map[string]bool // publications whose change is counted, and whose remainder is owed
}

func (c *counter) now() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// count counts what one look did, as its events tell.
func (c *counter) count(st publication.Step, after store.Entry) {
	id := after.Record.ID
	told := func(what string) bool {
		return slices.ContainsFunc(after.News, func(e store.Event) bool { return strings.HasPrefix(e.What, what) })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case told("withdrawn"):
		c.counts.Withdrawn++
	case told(store.WhatCreated):
		c.counts.Created++
	case told(store.WhatUpdated), told(store.WhatOffSale):
		if !c.owes(id, st.OwesRest()) {
			c.counts.Updated++
		}
	case st.Unchanged(), st.Do == publication.Publish && after.Record.Problem.Kind == "":
		if st.OwesRest() || !c.owes(id, false) {
			c.counts.Unchanged++
		}
	}
}

// owes records whether the remainder of a counted change is owed, and reports whether it was.
func (c *counter) owes(id string, now bool) (was bool) {
	was = c.rest[id]
	if delete(c.rest, id); now {
		if c.rest == nil {
			c.rest = map[string]bool{}
		}
		c.rest[id] = true
	}
	return was
}

// lateOnce is the longest wait for a late picture in a single run that has nothing else to do: about two
// tries.
const lateOnce = 6 * time.Second

// lateness is until when a single run waits for late pictures.
type lateness struct {
	mu    sync.Mutex
	until time.Time
}

// settled records when the late pictures of a publication that has settled are asked for again; 0: it has
// none.
func (l *lateness) settled(late store.Instant, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := late.Time(); late != 0 && at.Sub(now) <= lateOnce && at.After(l.until) {
		l.until = at
	}
}

// waits reports whether a late picture is asked for again soon.
func (l *lateness) waits(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Before(l.until)
}

// failures counts failures to read in a row, by publication.
type failures struct {
	mu    sync.Mutex
	n     map[string]int
	owned map[string]bool // those that are the publication's own
}

func (c *failures) count(id string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n, c.owned = map[string]int{}, map[string]bool{}
	}
	c.n[id]++
	return c.n[id]
}

// own records that the failures of a publication are its own.
func (c *failures) own(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
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

// retries are the publications that met a transient error and are tried again, each with the time of its
// first.
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

func (s *retries) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.in, id)
}

func (s *retries) all() map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.in)
}

// len is how many publications are tried again.
func (s *retries) len() int { return len(s.all()) }
