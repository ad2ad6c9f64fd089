package admin

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	sessionCookie = "pubsync_session"
	sessionLength = 12 * time.Hour

	// wrong tokens that an address may send at once, and how often one more
	wrongAtOnce = 20
	wrongEvery  = 3 * time.Second
	mostSenders = 4096 // addresses that are told apart

	manyWrong, aWhile = "Too many wrong tokens came from your address. Try again in 3 s.", "3"
)

// authorized reports whether a request carries the token, or the session of a browser that logged
// in with it. late says that too many wrong tokens came from its address.
func (h *Handler) authorized(r *http.Request) (ok, late bool) {
	scheme, token, given := strings.Cut(r.Header.Get("Authorization"), " ")
	if given && strings.EqualFold(scheme, "Bearer") {
		if ok, late = h.isToken(r, token); ok || late {
			return ok, late
		}
	}
	cookie, err := r.Cookie(sessionCookie)
	return err == nil && h.Token() != "" && h.inSession(cookie.Value), false
}

// isToken compares a text with the token, in a time that tells nothing of either. Where too many
// wrong ones came from the same address, late says that it did not.
func (h *Handler) isToken(r *http.Request, text string) (ok, late bool) {
	now := time.Now()
	place := h.wrong.of(r.RemoteAddr).ReserveN(now, 1)
	if place.DelayFrom(now) > 0 {
		place.CancelAt(now)
		return false, true
	}
	given, set := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(h.Token()))
	if subtle.ConstantTimeCompare(given[:], set[:]) == 1 && h.Token() != "" {
		place.CancelAt(now)
		return true, false
	}
	if untold, due := h.told.Allow(now); due {
		h.Logger.Warn("wrong admin token", "from", r.RemoteAddr, "untold", untold)
	}
	return false, false
}

// wrongTokens limits the wrong tokens of each address. Behind a proxy all senders have one.
type wrongTokens struct {
	mu      sync.Mutex
	senders map[netip.Prefix]*rate.Limiter
}

func (t *wrongTokens) of(remote string) *rate.Limiter {
	var network netip.Prefix
	if at, err := netip.ParseAddrPort(remote); err == nil {
		ip := at.Addr().Unmap().WithZone("")
		network, _ = ip.Prefix(min(64, ip.BitLen())) //nolint:errcheck // the length is one that it has
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.senders == nil || len(t.senders) >= mostSenders {
		t.senders = map[netip.Prefix]*rate.Limiter{}
	}
	if t.senders[network] == nil {
		t.senders[network] = rate.NewLimiter(rate.Every(wrongEvery), wrongAtOnce)
	}
	return t.senders[network]
}

// session is the cookie of a browser that logged in, until a time in Unix seconds. It is signed with
// the token and a key of this process: another token ends every session, and so does a restart.
func (h *Handler) session(until int64) string {
	mac := hmac.New(sha256.New, []byte(h.key+h.Token()))
	fmt.Fprint(mac, until)
	return fmt.Sprintf("%d.%x", until, mac.Sum(nil))
}

func (h *Handler) inSession(cookie string) bool {
	digits, _, _ := strings.Cut(cookie, ".")
	until, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && time.Now().Unix() < until && hmac.Equal([]byte(cookie), []byte(h.session(until)))
}

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if ok, late := h.isToken(r, r.PostFormValue("token")); late {
		w.Header().Set("Retry-After", aWhile)
		loginPage(w, http.StatusTooManyRequests, manyWrong)
		return
	} else if !ok {
		loginPage(w, http.StatusUnauthorized, "That is not the admin token.")
		return
	}
	h.Logger.Info("logged in to the dashboard", "from", r.RemoteAddr)
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure where the browser says that it speaks TLS
		Name: sessionCookie, Value: h.session(time.Now().Add(sessionLength).Unix()), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLength.Seconds()),
		Secure: strings.HasPrefix(r.Header.Get("Origin"), "https://"), // a proxy may speak TLS
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func loginPage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// under no-referrer the form would come with the origin null, and be refused as foreign
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>pubsync</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;display:grid;place-items:center;min-height:90vh}
form{display:grid;gap:.8em}</style>
<form method="post" action="/login"><h1>pubsync</h1><label for="t">Admin token</label>
<input id="t" type="password" name="token" autocomplete="current-password" required autofocus>
<button>Log in</button><p role="alert">%s</p></form></html>`, html.EscapeString(message))
}
