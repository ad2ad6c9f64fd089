package admin

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	sessionCookie = "pubsync_session"
	sessionLasts  = 12 * time.Hour
)

// session is what the cookie of a browser that logged in holds, until a time in Unix seconds. It is signed
// with the token: every replica knows it, and another token ends it.
func (h *Handler) session(until int64) string {
	mac := hmac.New(sha256.New, []byte(h.Token()))
	fmt.Fprint(mac, "session until ", until)
	return fmt.Sprintf("%d.%x", until, mac.Sum(nil))
}

func (h *Handler) inSession(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil || h.Token() == "" {
		return false
	}
	digits, _, _ := strings.Cut(cookie.Value, ".")
	until, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && time.Now().Unix() < until && hmac.Equal([]byte(cookie.Value), []byte(h.session(until)))
}

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	ok, late := h.isToken(r, r.PostFormValue("token"))
	switch {
	case late:
		w.Header().Set("Retry-After", aWhile)
		loginPage(w, http.StatusTooManyRequests, manyWrong)
	case !ok:
		loginPage(w, http.StatusUnauthorized, "That is not the admin token.")
	default:
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure where the browser says that it speaks TLS
			Name: sessionCookie, Value: h.session(time.Now().Add(sessionLasts).Unix()), Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLasts.Seconds()),
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
<button>Log in</button><p role="alert">%s</p></form></html>`, html.EscapeString(message))
}
