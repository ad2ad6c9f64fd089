package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// authorized reports whether a request carries the token, or the session of a browser that logged
// in with it. wait is how long a token from this address is not compared, since too many wrong ones
// came from it.
func (h *Handler) authorized(r *http.Request) (ok bool, wait time.Duration) {
	if scheme, token, given := strings.Cut(r.Header.Get("Authorization"), " "); given &&
		strings.EqualFold(scheme, "Bearer") {
		if ok, wait = h.guess(r, token, false); ok || wait > 0 {
			return ok, wait
		}
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return false, 0
	}
	return h.sessions.has(cookie.Value, h.Token(), time.Now()), 0
}

// guess compares a token, unless too many wrong ones came from the same address: then wait is how
// long none is compared.
func (h *Handler) guess(r *http.Request, token string, form bool) (ok bool, wait time.Duration) {
	by, now := guessings(r, form), time.Now()
	if wait = h.guesses.wait(by, now); wait > 0 {
		return false, wait
	}
	if ok = h.isToken(token); ok {
		h.guesses.right(by)
		return true, 0
	}
	if untold, due := h.guesses.wrong(by, token, now); due {
		h.Logger.Warn("wrong admin token", "from", quote.Line(by[0].name, 200, strings.TrimSpace), "untold", untold)
	}
	return false, 0
}

// isToken reports whether the text is the token. If no token is set it is false for every text: a
// listener that needs a token is then shut.
func (h *Handler) isToken(token string) bool {
	set := h.Token()
	return set != "" && same(token, set)
}

// same compares two texts in a time that tells nothing of them.
func same(given, secret string) bool {
	one, other := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(one[:], other[:]) == 1
}

// tooMany sets Retry-After to the seconds that are left of a wait, and returns them.
func tooMany(w http.ResponseWriter, wait time.Duration) (seconds int) {
	seconds = int(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return seconds
}
