package vendure

import (
	"context"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A credential carries one login: the bearer token where the shop gives one, else the session's
// cookies.
type credential struct {
	token  string
	cookie string
}

func (c credential) header() http.Header {
	switch {
	case c.token != "":
		return http.Header{"Authorization": {"Bearer " + c.token}}
	case c.cookie != "":
		return http.Header{"Cookie": {c.cookie}}
	}
	return nil
}

// sessions are the login that all calls share, and the one before it: an answer that is late may
// still show that.
type sessions struct{ current, previous credential }

// secrets are the password and what the last two logins brought.
func (a *Adapter) secrets() (list []string) {
	s := a.sessions.Load()
	for _, secret := range []string{
		a.set.Password, s.current.token, s.current.cookie, s.previous.token, s.previous.cookie,
	} {
		if len(secret) >= shortestSecret {
			list = append(list, secret)
		}
	}
	return list
}

// shortestSecret is the length from which on a secret is taken out of texts: a shorter one may be
// part of any word.
const shortestSecret = 8

// loggedIn sends a request under the session. One that the shop no longer knows is replaced once.
func (a *Adapter) loggedIn(ctx context.Context, send func(credential) (*wire.Answer, error)) error {
	var stale credential
	for {
		login, err := a.login(ctx, stale)
		if err != nil {
			return err
		}
		got, err := send(login)
		unknown := hasCode(err, codeForbidden) || hasCode(err, codeUnauthorized) ||
			err != nil && got.Status == http.StatusUnauthorized
		if !unknown || stale != (credential{}) {
			return err
		}
		stale = login
	}
}

const loginDocument = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) {
    __typename
    ... on CurrentUser { id }
    ... on ErrorResult { errorCode message }
  }
}`

// login is the session in use. One that the shop refused is passed as stale, and is replaced unless
// another call did so already: a session that expires under many calls leads to one login.
func (a *Adapter) login(ctx context.Context, stale credential) (credential, error) {
	leave, err := enter(ctx, a.turn)
	if err != nil {
		return credential{}, err
	}
	defer leave()
	now := a.sessions.Load().current
	if now != (credential{}) && now != stale {
		return now, nil
	}
	var answer struct{ Login result }
	got, err := a.send(ctx, credential{}, loginDocument, map[string]any{
		"username": a.set.Username, "password": a.set.Password,
	}, &answer)
	if err != nil {
		return credential{}, err
	}
	if answer.Login.refused() != nil {
		return credential{}, shopadapter.Block("the shop refuses the login: check USERNAME and PASSWORD").Everywhere()
	}
	fresh := credential{token: got.Header.Get("vendure-auth-token")}
	if fresh.token == "" {
		fresh.cookie = cookies(got.Header)
	}
	if fresh == (credential{}) {
		return credential{}, shopadapter.Block(
			"the shop gives no session to a login: set authOptions.tokenMethod to ['bearer', 'cookie'] in " +
				"vendure-config.ts",
		).Everywhere()
	}
	a.sessions.Store(&sessions{current: fresh, previous: now})
	return fresh, nil
}

// enter takes a turn, of which there is one at a time.
func enter(ctx context.Context, turn chan struct{}) (leave func(), err error) {
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func cookies(h http.Header) string {
	var pairs []string
	for _, c := range (&http.Response{Header: h}).Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
