package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var knownScopes = []string{
	"account_read", "account_write", "products_read", "products_write", "orders_read", "orders_write",
	"fulfillment_read", "fulfillment_write", "customers_read", "customers_write",
}

// A grant is what a code or a token stands for. That of the token that the marketplace was made with
// has no scopes: it may do everything.
type grant struct {
	account string
	scopes  []string
}

// may reports whether a root field may be read. The specification names no scope for publications and
// webhooks.
func (g grant) may(field string) bool {
	resource := map[string]string{
		"account": "account", "channels": "account", "productVariants": "products", "categories": "products",
	}[field]
	return g.scopes == nil || resource == "" || slices.Contains(g.scopes, resource+"_read") ||
		slices.Contains(g.scopes, resource+"_write")
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
	return m.Signed(application, "account_id", cmp.Or(account, m.opts.Account))
}

// Signed is an address of the app with parameters, the time, and the signature over them.
func (m *Marketplace) Signed(address string, pairs ...string) string {
	return m.SignedAt(time.Now(), address, pairs...)
}

// SignedAt is Signed with another time. Parameters that the address has already follow ours, as the
// specification says of a redirect address.
func (m *Marketplace) SignedAt(at time.Time, address string, pairs ...string) string {
	address, more, _ := strings.Cut(address, "?")
	query := ""
	for i := 0; i < len(pairs); i += 2 {
		query += pairs[i] + "=" + url.QueryEscape(pairs[i+1]) + "&"
	}
	query += "timestamp=" + strconv.FormatInt(at.Unix(), 10)
	if more != "" {
		query += "&" + more
	}
	return address + "?" + query + "&signature=" + sign(m.opts.Secret, []byte(query))
}

func asked(query string) (q url.Values, scopes []string, err error) {
	q, err = url.ParseQuery(query)
	switch {
	case err != nil:
		return nil, nil, err
	case q.Get("response_type") != "code":
		return nil, nil, errors.New("response_type must be code")
	case q.Get("client_id") != DefaultClientID:
		return nil, nil, errors.New("no app has this client_id")
	case !absolute(q.Get("redirect_uri")):
		return nil, nil, errors.New("redirect_uri is not an http or https address")
	}
	scopes = strings.Split(q.Get("scope"), ",")
	for _, scope := range scopes {
		if !slices.Contains(knownScopes, scope) {
			return nil, nil, fmt.Errorf("there is no scope %q", scope)
		}
	}
	return q, scopes, nil
}

// Answer answers the consent page at an authorize address as a person would. It returns the address
// that the browser is then sent to.
func (m *Marketplace) Answer(authorize string, c Consent) (redirect string, err error) {
	_, query, _ := strings.Cut(authorize, "?")
	q, scopes, err := asked(query)
	if err != nil {
		return "", err
	}
	c.Account = cmp.Or(c.Account, m.opts.Account)
	result, code := "error", "access_denied"
	if !c.Decline {
		result, code = "code", "code-"+rand.Text()
		scopes = slices.DeleteFunc(scopes, func(s string) bool { return slices.Contains(c.Without, s) })
		m.mu.Lock()
		m.codes[code] = grant{c.Account, scopes}
		m.mu.Unlock()
	}
	return m.Signed(q.Get("redirect_uri"), "account_id", c.Account, result, code, "state", q.Get("state")), nil
}

// redeem exchanges a code for a token, once. Where both scopes of a resource are granted, scopes
// has the write scope alone.
func (m *Marketplace) redeem(code string) (token, scopes string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	given, ok := m.codes[code]
	if !ok {
		return "", "", false
	}
	delete(m.codes, code)
	token = "installed-" + rand.Text()
	m.tokens[token] = given
	told := slices.DeleteFunc(slices.Clone(given.scopes), func(s string) bool {
		resource, reads := strings.CutSuffix(s, "_read")
		return reads && slices.Contains(given.scopes, resource+"_write")
	})
	return token, strings.Join(told, ","), true
}

// InstalledTokens is the tokens of the accounts that have the app installed, sorted.
func (m *Marketplace) InstalledTokens() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.tokens))
}

// RemoveApp removes the app from every account: its tokens are refused for good. It returns how
// many there were.
func (m *Marketplace) RemoveApp() (tokens int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tokens = len(m.tokens)
	clear(m.tokens)
	return tokens
}

const consentPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Install an app</title></head>
<body><h1>%s asks for access</h1>
<form method="post" action="consent"><input type="hidden" name="request" value="%s">
<p><button name="answer" value="approve">Approve</button>
<button name="answer" value="decline">Decline</button></p>
</form></body></html>
`

// serveOAuth serves the consent page, its answer, the exchange, and the way back to the back office.
func (m *Marketplace) serveOAuth(w http.ResponseWriter, r *http.Request, path string) {
	var err error
	switch path + " " + r.Method {
	case "authorize GET":
		if _, _, err = asked(r.URL.RawQuery); err == nil {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, consentPage, DefaultClientID, html.EscapeString(r.URL.RawQuery))
		}
	case "consent POST":
		c := Consent{Account: r.PostFormValue("account"), Decline: r.PostFormValue("answer") != "approve"}
		var redirect string
		if redirect, err = m.Answer("?"+r.PostFormValue("request"), c); err == nil {
			http.Redirect(w, r, redirect, http.StatusFound) //nolint:gosec // the app named that address
		}
	case "access_token POST":
		m.serveExchange(w, r)
	case "finish GET":
		_, _ = w.Write([]byte("The app is installed.\n")) // a browser that is gone does not read it
	default:
		http.NotFound(w, r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (m *Marketplace) serveExchange(w http.ResponseWriter, r *http.Request) {
	var body struct {
		GrantType    string `json:"grant_type"`
		Code         string `json:"code"`
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	entry := Request{At: time.Now(), Kind: KindExchange, Operation: body.Code, Status: http.StatusBadRequest}
	fault := m.strike(r, &entry)
	answer := map[string]string{"error": "invalid_grant"}
	switch {
	case fault.Kind != "" && !fault.Executed:
		entry.Status, answer = fault.status(), nil
	case err != nil || !isJSON(r) || body.GrantType != "authorization_code":
		answer["error"] = "invalid_request"
	case body.ClientID != DefaultClientID || body.ClientSecret != m.opts.Secret:
		entry.Status, answer["error"] = http.StatusUnauthorized, "invalid_client"
	default:
		if token, scope, ok := m.redeem(body.Code); ok {
			entry.Status = http.StatusOK
			answer = map[string]string{"access_token": token, "token_type": "bearer", "scope": scope}
		} else {
			answer["error_description"] = "the code is unknown or was used before: " + body.Code
		}
	}
	if fault.Kind == Cut {
		entry.Status = 0
	}
	m.note(entry)
	if fault.Kind == Cut {
		panic(http.ErrAbortHandler)
	}
	writeJSON(w, entry.Status, answer)
}
