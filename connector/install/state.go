package install

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

const (
	stateLasts = 15 * time.Minute // for which a person may read the consent page
	mostStates = 1000             // installations under way; beyond that the oldest is forgotten
)

// A pending installation belongs to one browser.
type pending struct {
	state   string
	browser [sha256.Size]byte // of the cookie
	until   time.Time
}

// states remembers the installations under way, and the codes that were sent to the marketplace.
type states struct {
	mu      sync.Mutex
	pending []pending // the oldest first
	spent   []spent   // the oldest first
}

type spent struct {
	code  [sha256.Size]byte
	until time.Time
}

// begin makes a state for a browser. A browser that has begun an installation keeps its cookie, so that two tabs do not end each other's.
func (s *states) begin(cookie string, now time.Time) (state, browser string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	browser = cookie
	if key := sha256.Sum256([]byte(cookie)); !slices.ContainsFunc(s.pending, func(p pending) bool { return p.browser == key }) {
		browser = rand.Text()
	}
	state = rand.Text()
	s.pending = append(s.pending, pending{state, sha256.Sum256([]byte(browser)), now.Add(stateLasts)})
	s.pending = slices.Clone(s.pending[max(0, len(s.pending)-mostStates):])
	return state, browser
}

// take uses up a state. It reports false for one that is not the browser's, was used, or is too old.
func (s *states) take(state, cookie string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	browser := sha256.Sum256([]byte(cookie))
	i := slices.IndexFunc(s.pending, func(p pending) bool { return p.state == state && p.browser == browser })
	if i < 0 {
		return false
	}
	s.pending = slices.Delete(s.pending, i, i+1)
	return true
}

// spend reports whether a code was not sent before, and notes that it is now. A redirect that carries the code again is stale before it is forgotten here.
func (s *states) spend(code string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	key := sha256.Sum256([]byte(code))
	if slices.ContainsFunc(s.spent, func(p spent) bool { return p.code == key }) {
		return false
	}
	s.spent = append(s.spent, spent{key, now.Add(3 * window)})
	return true
}

func (s *states) forget(now time.Time) {
	s.pending = slices.DeleteFunc(s.pending, func(p pending) bool { return now.After(p.until) })
	s.spent = slices.DeleteFunc(s.spent, func(p spent) bool { return now.After(p.until) })
}
