package sandbox

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (m *Marketplace) account(r *http.Request) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case m.token == "" || !bearer:
		return ""
	case token == m.token:
		return m.opts.Account
	}
	return m.tokens[token]
}

var scopes = regexp.MustCompile(`^((account|products|orders|fulfillment|customers)_(read|write)(,|$))+$`)

// A Consent is what a person answers whom an app asks for access.
type Consent struct {
	Account string // logged in; the marketplace's own when empty
	Decline bool
	Without []string // scopes not granted
}

// InstallURL returns the app's signed address, to which the back office sends a person.
func (m *Marketplace) InstallURL(application, account string) string {
	return m.Signed(time.Now(), application, "account_id", cmp.Or(account, m.opts.Account))
}

// Signed returns an address with parameters, a time and their signature. Its own parameters follow ours, as
// specified.
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

// Answer answers at an authorize address, and returns the redirect. Over HTTP the marketplace's own account consents.
func (m *Marketplace) Answer(authorize string, c Consent) (redirect string, err error) {
	_, query, _ := strings.Cut(authorize, "?")
	q, _ := url.ParseQuery(query) //nolint:errcheck // what cannot be read is missed
	switch {
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
	state := q.Get("state")
	return m.Signed(time.Now(), q.Get("redirect_uri"), "account_id", account, result, code, "state", state), nil
}

// InstalledTokens returns the tokens that came by installation, sorted.
func (m *Marketplace) InstalledTokens() (tokens []string) {
	m.locked(func() { tokens = slices.Sorted(maps.Keys(m.tokens)) })
	return tokens
}

func (m *Marketplace) serveConsent(w http.ResponseWriter, r *http.Request) {
	redirect, err := m.Answer("?"+r.URL.RawQuery, Consent{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, redirect, http.StatusFound) //nolint:gosec // the app named that address
}

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
	return http.StatusOK, map[string]string{"access_token": token, "token_type": "bearer", "scope": given[1]}
}

const (
	atOnce       = 16        // deliveries
	channelID    = "channel" // the default webhook: unsigned, unlisted, never deleted
	eventCreated = "PUBLICATION_CREATED"
	eventContent = "PRODUCT_UPDATED"
)

// A Webhook is a registration.
type Webhook struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`
	Active      bool     `json:"active"`
}

// SetChannelWebhook sets the address of the channel's default webhook; "" switches it off.
func (m *Marketplace) SetChannelWebhook(address string) {
	w := &Webhook{ID: channelID, CallbackURL: address, Events: []string{eventContent}, Active: address != ""}
	m.locked(func() { m.channel = w })
}

// Webhooks lists the registrations, oldest first.
func (m *Marketplace) Webhooks() (out []Webhook) {
	m.locked(func() {
		for _, w := range m.hooks {
			out = append(out, *w)
		}
	})
	return out
}

// DeleteWebhook removes a registration silently, as it happens.
func (m *Marketplace) DeleteWebhook(id string) {
	m.locked(func() { m.hooks = slices.DeleteFunc(m.hooks, func(w *Webhook) bool { return w.ID == id }) })
}

func (m *Marketplace) announce(r *record) {
	body := object{
		"id": r.ID, "status": m.opts.spell(r.Status), "listing": nil,
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
	}
	if r.Listing != nil {
		body["listing"] = object{"product": object{"id": r.Listing.ProductID}}
	}
	m.notify(eventCreated, "publication", body)
}

func (m *Marketplace) notify(event, name string, about object) {
	for _, w := range append(slices.Clip(m.hooks), m.channel) {
		if m.closed.Err() == nil && w.Active && slices.Contains(w.Events, event) {
			body := encode(object{"data": object{name: about}})
			m.working.Go(func() { m.deliver(w, event, body) })
		}
	}
}

// deliver makes one attempt.
func (m *Marketplace) deliver(w *Webhook, event string, body []byte) {
	m.places <- struct{}{}
	defer func() { <-m.places }()
	if said := m.post(w, event, body); m.closed.Err() == nil { // else Close cut it short
		m.tell(fmt.Sprintf("webhook %s to %s: %s", event, w.CallbackURL, said))
	}
}

func (m *Marketplace) post(w *Webhook, event string, body []byte) (said string) {
	req, err := http.NewRequestWithContext(m.closed, http.MethodPost, w.CallbackURL, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"pubsync-sandbox/1"}, "X-Service-Event": {event},
		"X-Service-Account-Id": {m.opts.Account}, "X-Service-Webhook-Id": {w.ID},
	}
	if w.ID != channelID {
		req.Header.Set("X-Service-Signature", sign(m.opts.Secret, body))
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()                        //nolint:errcheck // only the status counts
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // to reuse the connection
	return "answered " + strconv.Itoa(resp.StatusCode)
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
