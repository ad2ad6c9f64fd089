package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

const (
	exchangeTimeout = 10 * time.Second
	exchangeAnswer  = 64 << 10 // bytes
	longestToken    = 4 << 10
	accountTimeout  = 8 * time.Second // of the request that asks whose token it is
)

// A grant is what the marketplace gave for a code.
type grant struct {
	token  string
	scopes []string
}

// newClient is the client of the exchange. It follows no redirect, which would carry the app's
// secret elsewhere, and sends nothing a second time.
func newClient(next http.RoundTripper, agent string) *wire.Client {
	return wire.New(wire.Options{
		Peer: "the marketplace", Transport: next, UserAgent: agent, Timeout: exchangeTimeout,
	})
}

// errTimeout says that the marketplace did not answer the exchange in time.
var errTimeout = fmt.Errorf("the marketplace did not answer within %s", exchangeTimeout)

// exchange gives the code to the marketplace, once. Its error quotes nothing of the answer, which
// may hold the code or the app's secret.
func (h *Handler) exchange(ctx context.Context, code, secret string) (got grant, err error) {
	var answer struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
		Scope string `json:"scope"`
		Error string `json:"error"`
	}
	a, err := h.client.JSON(ctx, http.MethodPost, h.AuthURL+"/oauth/access_token", map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": h.ClientID, "client_secret": secret,
	}, wire.Limits{Bytes: exchangeAnswer}, &answer)
	if a.Status == http.StatusBadRequest {
		_ = json.Unmarshal(a.Body, &answer) //nolint:errcheck // then it does not say why
	}
	lost, _ := errors.AsType[*wire.Error](err)
	odd := func(c rune) bool { return c <= ' ' || c > '~' } // not allowed in a header
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return got, errTimeout
	case lost != nil && !lost.Unreadable:
		return got, errors.New("the marketplace cannot be reached, or broke off its answer")
	case a.Status == http.StatusUnauthorized, answer.Error == "invalid_client": // RFC 6749
		return got, fmt.Errorf("the marketplace refuses the app's client id or secret (HTTP %d)", a.Status)
	case a.Status != http.StatusOK && a.Status != http.StatusCreated:
		return got, fmt.Errorf("the marketplace answered HTTP %d", a.Status)
	case lost != nil:
		return got, errors.New("the marketplace's answer is not the JSON of a token")
	case answer.Token == "" || len(answer.Token) > longestToken || strings.ContainsFunc(answer.Token, odd):
		return got, errors.New("the marketplace's answer holds no usable token")
	case answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return got, errors.New("the marketplace's answer holds a token of another type than bearer")
	}
	return grant{token: answer.Token, scopes: scopesOf(answer.Scope)}, nil
}

func otherAccount() *refusal {
	return &refusal{
		http.StatusConflict, "account", "This pubsync works for another account of the marketplace.",
		"Nothing was stored. Install the app for the account that this pubsync works for, or give the other account " +
			"a pubsync with a store of its own.",
	}
}

// bind ties the store to the account of a token, and refuses the token of another account. Where
// the store has an account already, it also refuses a token whose account is unknown.
func (h *Handler) bind(ctx context.Context, token, id string) *refusal {
	have, err := store.Account(ctx, h.Store)
	last, _, unread := Of(ctx, h.Store)
	if err := errors.Join(err, unread); err != nil {
		return h.unstored(err)
	}
	asking, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	account, asked := h.Account(asking, token)
	switch {
	case asked != nil && marketplace.KindOf(asked) == marketplace.Unauthorized:
		return refuse(http.StatusBadGateway, "token", "The marketplace refuses the token that it gave.")
	case asked != nil && have != "":
		return refuse(http.StatusBadGateway, "exchange", "The marketplace did not say whose token it gave.")
	case account == "" && have != "" && (id == "" || id != last.Account):
		return &refusal{
			http.StatusConflict, "account",
			"The token does not tell whose it is, and this pubsync works for one account already.",
			"Nothing was stored. PUBSYNC_OAUTH_SCOPES must ask for account_read.",
		}
	}
	var other *store.AccountError
	switch err := store.ClaimAccount(ctx, h.Store, account); {
	case errors.As(err, &other):
		return otherAccount()
	case err != nil:
		return h.unstored(err)
	}
	return nil
}
