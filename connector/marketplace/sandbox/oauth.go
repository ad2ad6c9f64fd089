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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// account is whose token a request has, "" where that is refused.
func (m *Marketplace) account(r *http.Request) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case m.token == "" || !bearer:
		return ""
	case token == m.token:
		return m.opts.Account
	default:
		return m.tokens[token]
	}
}

var scopes = regexp.MustCompile(`^((account|products|orders|fulfillment|customers)_(read|write)(,|$))+$`)

// A Consent is a person's answer on the consent page.
type Consent struct {
	Account string   // who is logged in; the marketplace's own account when empty
	Decline bool     // the app is not installed
	Without []string // scopes that are not granted
}

// InstallURL is the app's address, signed, to which the back office sends who installs the app.
func (m *Marketplace) InstallURL(application, account string) string {
	return m.Signed(time.Now(), application, "account_id", cmp.Or(account, m.opts.Account))
}

// Signed is an address of the app with parameters, a time, and the signature over them. Those that the
// address has already follow ours, as the specification says.
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

// Answer answers the consent page at an authorize address, and returns where the browser is sent then.
func (m *Marketplace) Answer(authorize string, c Consent) (redirect string, err error) {
	_, query, _ := strings.Cut(authorize, "?")
	q, err := url.ParseQuery(query)
	switch {
	case err != nil:
		return "", err
	case q.Get("response_type") != "code" || q.Get("client_id") != DefaultClientID || !absolute(q.Get("redirect_uri")):
		return "", errors.New("response_type is code, client_id an app's, redirect_uri an http or https address")
	case !scopes.MatchString(q.Get("scope")):
		return "", fmt.Errorf("there is an unknown scope in %q", q.Get("scope"))
	}
	account, result, code := cmp.Or(c.Account, m.opts.Account), "error", "access_denied"
	if !c.Decline {
		result, code = "code", "code-"+rand.Text()
		granted := slices.DeleteFunc(strings.Split(q.Get("scope"), ","), func(s string) bool {
			return slices.Contains(c.Without, s)
		})
		m.locked(func() { m.codes[code] = []string{account, strings.Join(granted, ",")} })
	}
	return m.Signed(time.Now(), q.Get("redirect_uri"), "account_id", account, result, code, "state", q.Get("state")), nil
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

// serveConsent shows the consent page, or takes the answer that is posted there.
func (m *Marketplace) serveConsent(w http.ResponseWriter, r *http.Request) {
	query, asks := r.URL.RawQuery, r.Method == http.MethodGet
	if !asks {
		query = r.PostFormValue("request")
	}
	c := Consent{Account: r.PostFormValue("account"), Decline: asks || r.PostFormValue("answer") != "approve"}
	switch redirect, err := m.Answer("?"+query, c); {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case asks:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, consentPage, DefaultClientID, html.EscapeString(query))
	default:
		http.Redirect(w, r, redirect, http.StatusFound) //nolint:gosec // the app named that address
	}
}

// serveExchange exchanges a code for a token.
func (m *Marketplace) serveExchange(w http.ResponseWriter, r *http.Request) {
	var body struct {
		GrantType    string `json:"grant_type"`
		Code         string `json:"code"`
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	entry := &Request{Kind: KindExchange, Operation: body.Code}
	m.respond(w, r, entry, func(Fault) (int, []byte) {
		status, answer := http.StatusBadRequest, map[string]string{"error": "invalid_request"}
		switch {
		case err != nil || !isJSON(r) || body.GrantType != "authorization_code":
		case body.ClientID != DefaultClientID || body.ClientSecret != m.opts.Secret:
			status, answer["error"] = http.StatusUnauthorized, "invalid_client"
		default:
			status, answer = m.redeem(body.Code)
		}
		return status, encode(answer)
	})
}

// redeem makes a code a token, once.
func (m *Marketplace) redeem(code string) (status int, answer map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	given, known := m.codes[code]
	if !known {
		return http.StatusBadRequest, map[string]string{
			"error": "invalid_grant", "error_description": "the code is unknown or was used before: " + code,
		}
	}
	delete(m.codes, code)
	token := "installed-" + rand.Text()
	m.tokens[token] = given[0]
	return http.StatusOK, map[string]string{
		"access_token": token, "token_type": "bearer", "scope": given[1],
	}
}
