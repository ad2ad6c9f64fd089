package install

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

const (
	exchangeTimeout = 10 * time.Second
	exchangeAnswer  = 64 << 10 // bytes
	longestToken    = 4 << 10
	accountTimeout  = 8 * time.Second // of Account
)

// install sends a code once: a marketplace may take back the token of a code that comes again.
func (h *Handler) install(ctx context.Context, code, id string) *refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return refuse(http.StatusServiceUnavailable, "stopping", "pubsync is about to begin anew: load this page again.")
	}
	if h.spent[code] {
		return refuse(http.StatusForbidden, "code", "This code of the marketplace was used before.")
	}
	h.spent[code] = true
	last, _, err := Of(ctx, h.Store)
	have, unread := store.Account(ctx, h.Store)
	switch err := errors.Join(err, unread, store.Writable(ctx, h.Store)); { // before the marketplace takes the code
	case err != nil:
		return h.unstored(err)
	case id != "" && last.Account != "" && id != last.Account, h.AccountID != "" && id != h.AccountID:
		return otherAccount()
	}
	token, scope, err := h.exchange(ctx, code)
	if err != nil {
		return refuse(http.StatusBadGateway, "exchange", "The marketplace gave no token: "+err.Error()+".")
	}
	h.Hide(token)
	if names := missing(h.Scopes, scope); len(names) > 0 {
		return refuse(http.StatusForbidden, "scope", "Rights were not granted: "+strings.Join(names, ", ")+".")
	}
	asking, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	account, asked := h.Account(asking, token)
	switch {
	case asked != nil && (have != "" || marketplace.KindOf(asked) == marketplace.Unauthorized):
		return refuse(http.StatusBadGateway, "token",
			"The marketplace refuses the token that it gave, or did not say whose it is.")
	case account == "" && have != "" && (id == "" || id != last.Account):
		return refuse(http.StatusConflict, "account", "The token does not tell whose it is, and this pubsync works for one "+
			"account already. PUBSYNC_OAUTH_SCOPES must ask for account_read.")
	}
	err = store.ClaimAccount(ctx, h.Store, account)
	if errors.Is(err, store.ErrAccount) {
		return otherAccount()
	}
	if err == nil {
		err = Keep(ctx, h.Store, id, token, h.Secret)
	}
	if err != nil {
		return h.unstored(err)
	}
	h.Log.Info("installed as a public app", "account_id", wire.Line(id, 200, strings.TrimSpace))
	if h.InUse {
		h.Installed(token)
	} else {
		h.Log.Warn("the installation's token is kept, and not used: PUBSYNC_MARKETPLACE_TOKEN is set, and wins")
	}
	return nil
}

func otherAccount() *refusal {
	return refuse(http.StatusConflict, "account", "This pubsync works for another account of the marketplace. Install "+
		"the app for that one, or give this one a pubsync with a store of its own.")
}

func (h *Handler) unstored(err error) *refusal {
	h.StoreFailed(err)
	return refuse(http.StatusServiceUnavailable, "store",
		"The token could not be stored here. Whoever runs this pubsync can see the reason in its log.")
}

// exchange quotes nothing of the answer in its error: it may hold the code or the app's secret.
func (h *Handler) exchange(ctx context.Context, code string) (token, scope string, err error) {
	var answer struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
		Scope string `json:"scope"`
	}
	a, err := h.client.JSON(ctx, http.MethodPost, h.AuthURL+"/oauth/access_token", map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": h.ClientID, "client_secret": h.Secret,
	}, wire.Limits{Bytes: exchangeAnswer}, &answer)
	lost, _ := errors.AsType[*wire.Error](err)
	odd := func(c rune) bool { return c <= ' ' || c > '~' } // not allowed in a header
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", "", fmt.Errorf("it did not answer within %s", exchangeTimeout)
	case lost != nil && !lost.Unreadable:
		return "", "", errors.New("it cannot be reached, or broke off its answer")
	case a.Status != http.StatusOK && a.Status != http.StatusCreated:
		return "", "", fmt.Errorf("it answered HTTP %d", a.Status)
	case err != nil, answer.Token == "", len(answer.Token) > longestToken, strings.ContainsFunc(answer.Token, odd),
		answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return "", "", errors.New("its answer is not the JSON of a usable bearer token")
	}
	return answer.Token, answer.Scope, nil
}

// missing returns the wanted scopes that were not granted. The specification parts them by commas, RFC 6749 by
// spaces. A write scope implies reading.
func missing(wanted []string, scope string) (names []string) {
	granted := strings.FieldsFunc(scope, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for _, w := range wanted {
		resource, reads := strings.CutSuffix(w, "_read")
		if !slices.Contains(granted, w) && !(reads && slices.Contains(granted, resource+"_write")) {
			names = append(names, w)
		}
	}
	return names
}

const installed store.Fact[Installation] = "installation"

// An Installation has its token sealed with the app's secret, so that copies of the store do not reveal it.
type Installation struct {
	Account string `json:"account,omitempty"` // the marketplace's id
	Sealed  []byte `json:"sealed"`
}

var ErrSealed = errors.New("the token of the installation cannot be read with this PUBSYNC_OAUTH_CLIENT_SECRET: " +
	"install the app again, or set the secret of before")

func Of(ctx context.Context, s store.Store) (i Installation, ok bool, err error) {
	i, ok, err = installed.Get(ctx, s)
	return i, ok && len(i.Sealed) > 0, err
}

func (i Installation) Token(secret string) (string, error) {
	token, err := boxOf(secret).Open(nil, nil, i.Sealed, []byte(installed))
	if err != nil {
		return "", ErrSealed
	}
	return string(token), nil
}

func Keep(ctx context.Context, s store.Store, account, token, secret string) error {
	sealed := boxOf(secret).Seal(nil, nil, []byte(token), []byte(installed)) //nolint:gosec // the box makes the nonce
	return installed.Set(ctx, s, Installation{Account: account, Sealed: sealed})
}

func boxOf(secret string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "pubsync token of an installation", 32)
	if err == nil {
		block, _ := aes.NewCipher(key) //nolint:errcheck // the key has a right length
		if box, err := cipher.NewGCMWithRandomNonce(block); err == nil {
			return box
		}
	}
	panic("no cipher for a token")
}
