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
	stateLasts    = 15 * time.Minute // how long a person may read the consent page
	unsignedLasts = 5 * time.Minute  // the same, where the person came without a signed address

	// cookiePrefix begins the name of a cookie with a sealed state. Each state has a cookie of its
	// own, so that two tabs do not end each other's installation.
	cookiePrefix = "pubsync-install-"
)

// states makes the states of installations, and accepts each once. The state of an installation is
// in a cookie of the browser that began it, sealed with a key of this process. It uses no memory
// here, so beginning many installations ends no other.
type states struct {
	box cipher.AEAD

	mu    sync.Mutex
	spent map[[sha256.Size]byte]time.Time // used states and codes -> until when they would be valid
}

// newStates makes states that are sealed with a key made of a secret, so that another process with
// that secret opens them; "": with a key of this process.
func newStates(secret string) *states {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	if secret != "" {
		sum := sha256.Sum256([]byte("states of installations\n" + secret))
		key = sum[:]
	}
	block, err := aes.NewCipher(key)
	if err == nil {
		var box cipher.AEAD
		if box, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return &states{box: box, spent: map[[sha256.Size]byte]time.Time{}}
		}
	}
	panic(err) // a key of another length
}

// begin makes a state, and the value of the cookie that binds it to a browser.
func (s *states) begin(now time.Time, lasts time.Duration) (state, cookie string) {
	state = rand.Text()
	until := strconv.FormatInt(now.Add(lasts).Unix(), 10)
	//nolint:gosec // the box makes the nonce
	return state, base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, nil, []byte(until), []byte(state)))
}

// cookieName is the name of a state's cookie: a part of the state, without characters that are not
// allowed in a name.
func cookieName(state string) string {
	return cookiePrefix + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '2' && r <= '7' {
			return r
		}
		return -1
	}, state[:min(len(state), 8)])
}

// spendState uses up a state. It returns false for a state that is not the browser's, was used, or
// is too old.
func (s *states) spendState(state string, r *http.Request, now time.Time) bool {
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

// spendCode uses up a code. It returns false for a code that was used. A code is remembered until a
// redirect that carries it again is stale.
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
