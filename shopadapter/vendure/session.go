package vendure

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
)

// A credential carries one login: the bearer token where the shop gives one, else the session's
// cookies.
type credential struct {
	token  string
	cookie string
}

func (c credential) empty() bool { return c == credential{} }

func (c credential) apply(h http.Header) {
	switch {
	case c.token != "":
		h.Set("Authorization", "Bearer "+c.token)
	case c.cookie != "":
		h.Set("Cookie", c.cookie)
	}
}

// A session is the one login that all calls share. The goroutine that holds turn may replace it. So
// a session that expires under many calls leads to one login.
type session struct {
	turn chan struct{}

	mu       sync.Mutex
	current  credential
	previous credential // an answer that is late may still show it
}

func newSession() *session { return &session{turn: make(chan struct{}, 1)} }

// credential is the login in use. One that the shop refused is passed as stale, and is replaced
// unless another call did so already.
func (a *Adapter) credential(ctx context.Context, stale credential) (credential, error) {
	select {
	case a.session.turn <- struct{}{}:
	case <-ctx.Done():
		return credential{}, ctx.Err()
	}
	defer func() { <-a.session.turn }()
	if now, _ := a.session.known(); !now.empty() && now != stale {
		return now, nil
	}
	fresh, err := a.login(ctx)
	if err != nil {
		return credential{}, err
	}
	a.session.replace(fresh)
	return fresh, nil
}

func (s *session) known() (current, previous credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.previous
}

func (s *session) replace(fresh credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.previous = fresh, s.current
}

const loginDocument = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) {
    __typename
    ... on CurrentUser { id }
    ... on ErrorResult { errorCode message }
  }
}`

func (a *Adapter) login(ctx context.Context) (credential, error) {
	ctx, seen := exchange.Record(ctx, limitsOf(loginDocument))
	data, _, err := a.graph.WithRequestModifier(a.address).
		ExecRawWithExtensions(ctx, loginDocument, map[string]any{"username": a.username, "password": a.password})
	if err := a.classify(ctx, seen, err); err != nil {
		return credential{}, err
	}
	var answer struct{ Login result }
	if err := json.Unmarshal(data, &answer); err != nil {
		return credential{}, shopadapter.Retry("the shop's answer to the login cannot be read")
	}
	if err := answer.Login.refused(); err != nil {
		return credential{}, shopadapter.Block("the shop refuses the login: check USERNAME and PASSWORD").Everywhere()
	}
	fresh := credential{token: seen.Header.Get("vendure-auth-token")}
	if fresh.token == "" {
		fresh.cookie = cookies(seen.Header)
	}
	if fresh.empty() {
		return credential{}, shopadapter.Block(
			"the shop gives no session to a login: set authOptions.tokenMethod to ['bearer', 'cookie'] in " +
				"vendure-config.ts",
		).Everywhere()
	}
	return fresh, nil
}

// address names the channel in a request, and asks for JSON.
func (a *Adapter) address(r *http.Request) {
	r.Header.Set("Accept", "application/json")
	if a.channel != "" {
		r.Header.Set("vendure-token", a.channel)
	}
}

func cookies(h http.Header) string {
	var pairs []string
	for _, c := range (&http.Response{Header: h}).Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
