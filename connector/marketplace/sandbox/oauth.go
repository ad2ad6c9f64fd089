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

// grantOf is the grant of a request's token, without an account where that is refused.
func (m *Marketplace) grantOf(r *http.Request) grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case m.token == "" || !bearer:
		return grant{}
	case token == m.token:
		return grant{account: m.opts.Account}
	default:
		return m.tokens[token]
	}
}

var knownScopes = strings.Split("account_read,account_write,products_read,products_write,orders_read,orders_write,"+
	"fulfillment_read,fulfillment_write,customers_read,customers_write", ",")

// A Consent is a person's answer on the consent page.
type Consent struct {
	Account string   // who is logged in; the marketplace's own account when empty
	Decline bool     // the app is not installed
	Without []string // scopes that are not granted
}

// InstallURL is the address that the back office sends a logged-in person to who installs the app:
// the app's own, signed.
func (m *Marketplace) InstallURL(application, account string) string {
	return m.Signed(time.Now(), application, "account_id", cmp.Or(account, m.opts.Account))
}

// Signed is an address of the app with parameters, a time, and the signature over them. Parameters
// that the address has already follow ours, as the specification says of a redirect address.
func (m *Marketplace) Signed(at time.Time, address string, pairs ...string) string {
	address, more, _ := strings.Cut(address, "?")
	query := ""
	for pair := range slices.Chunk(pairs, 2) {
		query += pair[0] + "=" + url.QueryEscape(pair[1]) + "&"
	}
	query += "timestamp=" + strconv.FormatInt(at.Unix(), 10)
	if more != "" {
		query += "&" + more
	}
	return address + "?" + query + "&signature=" + sign(m.opts.Secret, []byte(query))
}

// Answer answers the consent page at an authorize address as a person would. It returns the address
// that the browser is then sent to.
func (m *Marketplace) Answer(authorize string, c Consent) (redirect string, err error) {
	_, query, _ := strings.Cut(authorize, "?")
	q, err := url.ParseQuery(query)
	switch {
	case err != nil:
		return "", err
	case q.Get("response_type") != "code":
		return "", errors.New("response_type must be code")
	case q.Get("client_id") != DefaultClientID:
		return "", errors.New("no app has this client_id")
	case !absolute(q.Get("redirect_uri")):
		return "", errors.New("redirect_uri is not an http or https address")
	}
	for _, scope := range strings.Split(q.Get("scope"), ",") {
		if !slices.Contains(knownScopes, scope) {
			return "", fmt.Errorf("there is no scope %q", scope)
		}
	}
	c.Account = cmp.Or(c.Account, m.opts.Account)
	result, code := "error", "access_denied"
	if !c.Decline {
		result, code = "code", "code-"+rand.Text()
		scopes := slices.DeleteFunc(strings.Split(q.Get("scope"), ","), func(s string) bool {
			return slices.Contains(c.Without, s)
		})
		m.locked(func() { m.codes[code] = grant{c.Account, scopes} })
	}
	return m.Signed(time.Now(), q.Get("redirect_uri"), "account_id", c.Account, result, code, "state",
		q.Get("state")), nil
}

// InstalledTokens is the tokens of the accounts that have the app installed, sorted.
func (m *Marketplace) InstalledTokens() (tokens []string) {
	m.locked(func() { tokens = slices.Sorted(maps.Keys(m.tokens)) })
	return tokens
}

const consentPage = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Install an app</title>
<h1>%s asks for access</h1>
<form method="post" action="consent"><input type="hidden" name="request" value="%s">
<button name="answer" value="approve">Approve</button> <button name="answer" value="decline">Decline</button>
</form></html>
`

func (m *Marketplace) serveConsentPage(w http.ResponseWriter, r *http.Request) {
	if _, err := m.Answer(r.URL.String(), Consent{Decline: true}); err != nil { // as the answer would be
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, consentPage, DefaultClientID, html.EscapeString(r.URL.RawQuery))
}

func (m *Marketplace) serveConsent(w http.ResponseWriter, r *http.Request) {
	c := Consent{Account: r.PostFormValue("account"), Decline: r.PostFormValue("answer") != "approve"}
	redirect, err := m.Answer("?"+r.PostFormValue("request"), c)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, redirect, http.StatusFound) //nolint:gosec // the app named that address
}

// serveExchange exchanges a code for a token, once.
func (m *Marketplace) serveExchange(w http.ResponseWriter, r *http.Request) {
	var body struct {
		GrantType    string `json:"grant_type"`
		Code         string `json:"code"`
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	entry := Request{At: time.Now(), Kind: KindExchange, Operation: body.Code, Status: http.StatusBadRequest}
	fault, answer := m.strike(r, &entry), map[string]string{}
	switch {
	case fault.Kind != "" && !fault.Executed:
		entry.Status = fault.status()
	case err != nil || !isJSON(r) || body.GrantType != "authorization_code":
		answer["error"] = "invalid_request"
	case body.ClientID != DefaultClientID || body.ClientSecret != m.opts.Secret:
		entry.Status, answer["error"] = http.StatusUnauthorized, "invalid_client"
	default:
		if answer = m.redeem(body.Code); answer["access_token"] != "" {
			entry.Status = http.StatusOK
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

// redeem makes a code a token. Where both scopes of a resource are granted, the answer has the write
// scope alone.
func (m *Marketplace) redeem(code string) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	given, known := m.codes[code]
	if !known {
		return map[string]string{
			"error": "invalid_grant", "error_description": "the code is unknown or was used before: " + code,
		}
	}
	delete(m.codes, code)
	token := "installed-" + rand.Text()
	m.tokens[token] = given
	told := slices.DeleteFunc(slices.Clone(given.scopes), func(s string) bool {
		resource, reads := strings.CutSuffix(s, "_read")
		return reads && slices.Contains(given.scopes, resource+"_write")
	})
	return map[string]string{"access_token": token, "token_type": "bearer", "scope": strings.Join(told, ",")}
}
