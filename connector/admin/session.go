package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	sessionCookie = "pubsync_session"
	sessionLength = 12 * time.Hour
)

// sessions are the browsers that logged in. They are kept in memory: a restart ends them all.
type sessions struct {
	mu    sync.Mutex
	until map[sessionKey]time.Time
}

// A sessionKey holds a hash of the token beside the cookie: another token ends every session.
type sessionKey struct {
	cookie string
	token  [sha256.Size]byte
}

// begin makes a session and returns its cookie. Sessions that have ended are forgotten.
func (s *sessions) begin(token string, now time.Time) (cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until = map[sessionKey]time.Time{}
	}
	for key, until := range s.until {
		if now.After(until) {
			delete(s.until, key)
		}
	}
	cookie = rand.Text()
	s.until[sessionKey{cookie, sha256.Sum256([]byte(token))}] = now.Add(sessionLength)
	return cookie
}

// has reports whether a cookie belongs to a session that was begun with the token in use.
func (s *sessions) has(cookie, token string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until[sessionKey{cookie, sha256.Sum256([]byte(token))}])
}
