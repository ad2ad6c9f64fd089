package connector

import (
	"crypto/rand"
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

func (a *adminServer) isToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(a.c.admin.Token)) == 1
}

func (a *adminServer) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if a.c.admin.Token != "" && !a.isToken(r.PostFormValue("token")) {
		w.WriteHeader(http.StatusUnauthorized)
		a.loginPage(w, "That is not the admin token.")
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

func (a *adminServer) loginPage(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>pubsync</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui;display:grid;place-items:center;min-height:90vh}form{display:grid;gap:.8em}</style>
<form method="post" action="/login"><h1>pubsync</h1><label for="t">Admin token</label>
<input id="t" type="password" name="token" autocomplete="current-password" required autofocus><button>Log in</button><p role="alert">%s</p></form></html>`,
		html.EscapeString(message))
}
