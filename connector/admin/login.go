package admin

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"
)

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	ok, wait := h.guess(r, r.PostFormValue("token"), true)
	switch {
	case wait > 0:
		loginPage(w, http.StatusTooManyRequests,
			fmt.Sprintf("Too many wrong tokens came from your address. Try again in %d s.", tooMany(w, wait)))
		return
	case !ok:
		loginPage(w, http.StatusUnauthorized, "That is not the admin token.")
		return
	}
	session := h.sessions.begin(h.Token(), time.Now())
	h.Logger.Info("logged in to the dashboard", "from", addressOf(r.RemoteAddr))
	http.SetCookie(
		w,
		&http.Cookie{ //nolint:gosec // Secure only where the page came over TLS: the listener itself speaks plain HTTP
			Name: sessionCookie, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: overTLS(r),
			MaxAge: int(sessionLength.Seconds()),
		},
	)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// overTLS reports whether the browser or a proxy says that the page came over TLS. A sender that
// lies harms only its own cookie.
func overTLS(r *http.Request) bool {
	if r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://") {
		return true
	}
	for _, proto := range r.Header.Values("X-Forwarded-Proto") {
		if strings.EqualFold(strings.TrimSpace(strings.Split(proto, ",")[0]), "https") {
			return true
		}
	}
	for _, hop := range r.Header.Values("Forwarded") {
		for pair := range strings.FieldsFuncSeq(hop, func(c rune) bool { return c == ';' || c == ',' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if strings.EqualFold(name, "proto") && strings.EqualFold(strings.Trim(value, `"`), "https") {
				return true
			}
		}
	}
	return false
}

func loginPage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// under no-referrer the form would come with the origin null, and be refused as foreign
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	fmt.Fprintf(
		w,
		`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>pubsync</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;display:grid;place-items:center;min-height:90vh}
form{display:grid;gap:.8em}</style>
<form method="post" action="/login"><h1>pubsync</h1><label for="t">Admin token</label>
<input id="t" type="password" name="token" autocomplete="current-password" required autofocus>
<button>Log in</button><p role="alert">%s</p></form></html>`,
		html.EscapeString(message),
	)
}
