package vendure

import (
	"context"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A session is one login, by bearer token or cookies.
type session struct {
	header http.Header // of each request under it
	secret string
}

func (a *Adapter) secrets() []string { return []string{a.set.Password, a.session.Load().secret} }

// loggedIn sends under the session, and replaces it once if the shop does not know it.
func (a *Adapter) loggedIn(ctx context.Context, send func(http.Header) (*wire.Answer, error)) error {
	var stale *session
	for {
		login, err := a.login(ctx, stale)
		if err != nil {
			return err
		}
		got, err := send(login.header)
		unknown := hasCode(err, codeForbidden) || hasCode(err, codeUnauthorized) ||
			err != nil && got.Status == http.StatusUnauthorized
		if !unknown || stale != nil {
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

// login returns the session. The caller passes a refused one as stale; only the first such call logs in anew.
func (a *Adapter) login(ctx context.Context, stale *session) (*session, error) {
	if err := a.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer a.turn.Release(1)
	now := a.session.Load()
	if now.header != nil && now != stale {
		return now, nil
	}
	var answer struct{ Login result }
	got, err := a.send(ctx, nil, loginDocument, input{"username": a.set.Username, "password": a.set.Password}, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Login.refused() != nil:
		return nil, shopadapter.Block("the shop refuses the login: check USERNAME and PASSWORD").Everywhere()
	}
	fresh := &session{}
	if token := got.Header.Get("vendure-auth-token"); token != "" {
		fresh.secret, fresh.header = token, http.Header{"Authorization": {"Bearer " + token}}
	} else if fresh.secret = cookies(got.Header); fresh.secret != "" {
		fresh.header = http.Header{"Cookie": {fresh.secret}}
	} else {
		return nil, shopadapter.Block("the shop gives no session to a login: set authOptions.tokenMethod to " +
			"['bearer', 'cookie'] in vendure-config.ts").Everywhere()
	}
	a.session.Store(fresh)
	return fresh, nil
}

func cookies(h http.Header) string {
	var pairs []string
	for _, c := range (&http.Response{Header: h}).Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
