package sandbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// knownScopes is every scope that an app may ask for.
var knownScopes = []string{
	"account_read", "account_write", "products_read", "products_write", "orders_read", "orders_write",
	"fulfillment_read", "fulfillment_write",
	"customers_read", "customers_write",
}

// An app is the one public app of a marketplace, and who has installed it.
type app struct {
	mu        sync.Mutex
	codes     map[string]approval
	tokens    map[string]grant // by token
	exchanges []Exchange
}

// An approval is what a code can be exchanged for.
type approval struct {
	grant
	spent bool
}

// A grant is a token's account, and what it may read and write. The token that the marketplace was
// made with may do everything: its scopes are nil.
type grant struct {
	account string
	scopes  []string
}

// fieldScopes is the resource whose scopes a root field needs, by the specification's table. The
// table names none for publications and webhooks.
var fieldScopes = map[string]string{
	"account": "account", "channels": "account", "product": "products", "productVariants": "products",
	"categories": "products",
}

// may reports whether a root field may be read. Write implies read.
func (g grant) may(field string) bool {
	resource, needed := fieldScopes[field]
	return g.scopes == nil || !needed || slices.Contains(g.scopes, resource+"_read") ||
		slices.Contains(g.scopes, resource+"_write")
}

// An Exchange is an attempt to exchange a code for a token.
type Exchange struct {
	At     time.Time
	Code   string
	Status int // of the answer; 0: there was none
}

func newApp() *app { return &app{codes: map[string]approval{}, tokens: map[string]grant{}} }

// grantOf is what a token that came by installation grants; no account where it is refused.
func (a *app) grantOf(token string) grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tokens[token]
}

// A Consent is a person's answer on the consent page.
type Consent struct {
	Account string   // who is logged in; the marketplace's own account when empty
	Decline bool     // the app is not installed
	Without []string // scopes that are not granted
}

// InstallURL is the address that the back office sends a logged-in person to who installs the app:
// the app's own, signed.
func (m *Marketplace) InstallURL(application, account string) string {
	if account == "" {
		account = m.opts.Account
	}
	return m.Signed(application, "account_id", account)
}

// Signed is an address of the app with parameters, the time, and the signature over them.
func (m *Marketplace) Signed(address string, pairs ...string) string {
	return m.SignedAt(time.Now(), address, pairs...)
}

// SignedAt is Signed with another time. Parameters that the address has already follow ours, as the
// specification says of a redirect address.
func (m *Marketplace) SignedAt(at time.Time, address string, pairs ...string) string {
	address, more, _ := strings.Cut(address, "?")
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		parts = append(parts, pairs[i]+"="+url.QueryEscape(pairs[i+1]))
	}
	parts = append(parts, "timestamp="+strconv.FormatInt(at.Unix(), 10))
	if more != "" {
		parts = append(parts, more)
	}
	query := strings.Join(parts, "&")
	mac := hmac.New(sha256.New, []byte(m.opts.Secret))
	mac.Write([]byte(query))
	return address + "?" + query + "&signature=" + hex.EncodeToString(mac.Sum(nil))
}

// An appRequest is what an app asks a person to approve.
type appRequest struct {
	redirect, state string
	scopes          []string
}

// parseRequest reads the query of an authorize address.
func (m *Marketplace) parseRequest(q url.Values) (appRequest, error) {
	r := appRequest{redirect: q.Get("redirect_uri"), state: q.Get("state"), scopes: strings.Split(q.Get("scope"), ",")}
	u, err := url.Parse(r.redirect)
	switch {
	case q.Get("response_type") != "code":
		return r, errors.New("response_type must be code")
	case q.Get("client_id") != m.opts.ClientID:
		return r, errors.New("no app has this client_id")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "",
		len(m.opts.RedirectURLs) > 0 && !slices.Contains(m.opts.RedirectURLs, r.redirect):
		return r, errors.New("redirect_uri is not one that the app registered")
	}
	for _, scope := range r.scopes {
		if !slices.Contains(knownScopes, scope) {
			return r, fmt.Errorf("there is no scope %q", scope)
		}
	}
	return r, nil
}

// Answer answers the consent page at an authorize address as a person would. It returns the address
// that the browser is then sent to.
func (m *Marketplace) Answer(authorize string, c Consent) (redirect string, err error) {
	u, err := url.Parse(authorize)
	if err != nil {
		return "", err
	}
	r, err := m.parseRequest(u.Query())
	if err != nil {
		return "", err
	}
	return m.answer(r, c), nil
}

func (m *Marketplace) answer(r appRequest, c Consent) (redirect string) {
	if c.Account == "" {
		c.Account = m.opts.Account
	}
	if c.Decline {
		return m.Signed(r.redirect, "account_id", c.Account, "error", "access_denied", "state", r.state)
	}
	code := "code-" + rand.Text()
	m.app.mu.Lock()
	defer m.app.mu.Unlock()
	scopes := slices.DeleteFunc(slices.Clone(r.scopes), func(s string) bool { return slices.Contains(c.Without, s) })
	m.app.codes[code] = approval{grant: grant{account: c.Account, scopes: scopes}}
	return m.Signed(r.redirect, "account_id", c.Account, "code", code, "state", r.state)
}

// redeem exchanges a code for a token, once. Where both scopes of a resource are granted, scopes
// has the write scope alone.
func (a *app) redeem(code string) (token, scopes string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	given, ok := a.codes[code]
	if !ok || given.spent {
		return "", "", errors.New("the code is unknown or was used before")
	}
	given.spent = true
	a.codes[code] = given
	token = "installed-" + rand.Text()
	a.tokens[token] = given.grant
	told := slices.DeleteFunc(slices.Clone(given.scopes), func(s string) bool {
		resource, reads := strings.CutSuffix(s, "_read")
		return reads && slices.Contains(given.scopes, resource+"_write")
	})
	return token, strings.Join(told, ","), nil
}

func (a *app) record(e Exchange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exchanges = append(a.exchanges, e)
}

// Exchanges is the attempts to exchange a code, in their order.
func (m *Marketplace) Exchanges() []Exchange {
	m.app.mu.Lock()
	defer m.app.mu.Unlock()
	return slices.Clone(m.app.exchanges)
}

// InstalledTokens is the tokens of the accounts that have the app installed, in the order of their
// names.
func (m *Marketplace) InstalledTokens() []string {
	m.app.mu.Lock()
	defer m.app.mu.Unlock()
	return slices.Sorted(maps.Keys(m.app.tokens))
}

// RemoveApp removes the app from every account: its tokens are refused for good. It returns how
// many there were.
func (m *Marketplace) RemoveApp() (tokens int) {
	m.app.mu.Lock()
	defer m.app.mu.Unlock()
	tokens = len(m.app.tokens)
	clear(m.app.tokens)
	return tokens
}
