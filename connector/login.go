package connector

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"
)

const (
	sessionCookie = "pubsync_session"
	sessionLength = 12 * time.Hour
)

func (a *adminServer) authorized(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") && a.isToken(token) {
		return true
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.sessions[cookie.Value])
}

// isToken is false of every token where none is set: a listener that should have one and has not is shut.
func (a *adminServer) isToken(token string) bool {
	return a.c.admin.Token != "" && same(token, a.c.admin.Token)
}

// same compares in a time that tells nothing, of the length neither.
func same(given, secret string) bool {
	one, other := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(one[:], other[:]) == 1
}

func (a *adminServer) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if !a.isToken(r.PostFormValue("token")) {
		a.loginPage(w, http.StatusUnauthorized, "That is not the admin token.")
		return
	}
	session := rand.Text()
	a.mu.Lock()
	for s, until := range a.sessions {
		if time.Now().After(until) {
			delete(a.sessions, s)
		}
	}
	a.sessions[session] = time.Now().Add(sessionLength)
	a.mu.Unlock()
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure only where the request came over TLS: the listener itself speaks plain HTTP
		Name: sessionCookie, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		MaxAge: int(sessionLength.Seconds()),
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (a *adminServer) loginPage(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "same-origin") // under no-referrer the form would come with the origin null, and be refused as foreign
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>pubsync</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;display:grid;place-items:center;min-height:90vh}form{display:grid;gap:.8em}</style>
<form method="post" action="/login"><h1>pubsync</h1><label for="t">Admin token</label>
<input id="t" type="password" name="token" autocomplete="current-password" required autofocus><button>Log in</button><p role="alert">%s</p></form></html>`,
		html.EscapeString(message))
}
