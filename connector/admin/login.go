package admin

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

const (
	sessionCookie = "pubsync_session"
	sessionLength = 12 * time.Hour

	mostWrong    = 20   // tokens from a network in a minute
	mostNetworks = 4096 // that are told apart

	manyWrong, aWhile = "Too many wrong tokens came from your address. Try again in a minute.", "60"
)

// authorized reports whether a request carries the token, or the session of a browser that logged in
// with it. late says that too many wrong tokens came from its address.
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

// isToken compares a text with the token, in a time that tells nothing of either. late says that it did
// not, since too many wrong ones came from the same network within a minute. Behind a proxy all senders
// have one.
func (h *Handler) isToken(r *http.Request, text string) (ok, late bool) {
	from, _ := netip.ParseAddrPort(r.RemoteAddr) //nolint:errcheck // then all such senders count as one
	ip := from.Addr().Unmap().WithZone("")
	network, _ := ip.Prefix(min(64, ip.BitLen())) //nolint:errcheck // the length is one that it has
	given, set := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(h.Token()))

	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Sub(h.counted) >= time.Minute || len(h.wrong) >= mostNetworks {
		h.counted, h.wrong = now, map[netip.Prefix]int{}
	}
	switch {
	case h.wrong[network] >= mostWrong:
		return false, true
	case hmac.Equal(given[:], set[:]) && h.Token() != "":
		return true, false
	}
	h.wrong[network]++
	h.told.Do(func() { h.Logger.Warn("wrong admin token", "from", r.RemoteAddr) })
	return false, false
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
	switch ok, late := h.isToken(r, r.PostFormValue("token")); {
	case late:
		w.Header().Set("Retry-After", aWhile)
		loginPage(w, http.StatusTooManyRequests, manyWrong)
	case !ok:
		loginPage(w, http.StatusUnauthorized, "That is not the admin token.")
	default:
		h.Logger.Info("logged in to the dashboard", "from", r.RemoteAddr)
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure where the browser says that it speaks TLS
			Name: sessionCookie, Value: h.session(time.Now().Add(sessionLength).Unix()), Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLength.Seconds()),
			Secure: strings.HasPrefix(r.Header.Get("Origin"), "https://"), // a proxy may speak TLS
		})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
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
<button>Log in</button><p role="alert">%s</p></form></html>`, message)
}
