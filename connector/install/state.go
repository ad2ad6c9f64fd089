package install

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	stateLasts    = 15 * time.Minute // for which a person may read the consent page
	unsignedLasts = 5 * time.Minute  // the same, where the person came without a signed address

	// cookiePrefix begins the name of a cookie that a state is sealed in. Each state has its own,
	// so that two tabs do not end each other's installation.
	cookiePrefix = "pubsync-install-"
)

// states makes the states of installations, and takes each once. An installation that has begun
// takes no place here: its state lies in a cookie of the browser that began it, sealed with a key
// of this process. Whoever begins many ends nobody else's.
type states struct {
	box cipher.AEAD

	mu    sync.Mutex
	spent map[[sha256.Size]byte]time.Time // states and codes that were used, each until it is too old anyway
}

func newStates() *states {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err == nil {
		var box cipher.AEAD
		if box, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return &states{box: box, spent: map[[sha256.Size]byte]time.Time{}}
		}
	}
	panic(err) // a key of another length
}

// begin makes a state, and what binds it to a browser: the value of its cookie.
func (s *states) begin(now time.Time, lasts time.Duration) (state, cookie string) {
	state = rand.Text()
	until := strconv.FormatInt(now.Add(lasts).Unix(), 10)
	//nolint:gosec // the box makes the nonce
	return state, base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, nil, []byte(until), []byte(state)))
}

// cookieName is the name of a state's cookie: a part of the state, without what does not stand in a
// name.
func cookieName(state string) string {
	return cookiePrefix + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '2' && r <= '7' {
			return r
		}
		return -1
	}, state[:min(len(state), 8)])
}

// take uses up a state. It reports false for one that is not the browser's, was used, or is too
// old.
func (s *states) take(state string, r *http.Request, now time.Time) bool {
	cookie, err := r.Cookie(cookieName(state))
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return false
	}
	plain, err := s.box.Open(nil, nil, sealed, []byte(state))
	if err != nil {
		return false
	}
	seconds, err := strconv.ParseInt(string(plain), 10, 64)
	until := time.Unix(seconds, 0)
	return err == nil && !now.After(until) && s.spend("state "+state, now, until)
}

// spendCode reports whether a code was not sent before, and notes that it is now. A redirect that
// carries the code again is stale before it is forgotten.
func (s *states) spendCode(code string, now time.Time) bool {
	return s.spend("code "+code, now, now.Add(3*window))
}

func (s *states) spend(what string, now, until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, until := range s.spent {
		if now.After(until) {
			delete(s.spent, key)
		}
	}
	key := sha256.Sum256([]byte(what))
	if _, was := s.spent[key]; was {
		return false
	}
	s.spent[key] = until
	return true
}
