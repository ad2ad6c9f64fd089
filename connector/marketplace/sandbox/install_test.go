package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// authorizeAddress is what an app sends a person to.
func authorizeAddress(pairs ...string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {DefaultClientID}, "scope": {"account_read,products_read,products_write"},
		"redirect_uri": {"https://app.example/oauth/callback?lang=en"}, "state": {"s1"},
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "https://auth.example/oauth/authorize?" + q.Encode()
}

// redeem exchanges a code over the wire.
func redeem(t *testing.T, m *Marketplace, code, secret string) (status int, answer map[string]string) {
	t.Helper()
	body := encode(map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": DefaultClientID, "client_secret": secret,
	})
	const address = "https://m/oauth/access_token"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := m.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, answer
}

func TestAnAppIsInstalled(t *testing.T) {
	m := newTest(t, Options{})
	redirect, err := m.Answer(authorizeAddress(), Consent{Account: "a"})
	if err != nil {
		t.Fatal(err)
	}
	unsigned, signature, _ := strings.Cut(redirect, "&signature=")
	u, err := url.Parse(unsigned)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("state") != "s1" || q.Get("account_id") != "a" || q.Get("lang") != "en" ||
		signature != sign(DefaultSecret, []byte(u.RawQuery)) {
		t.Errorf("got %s, want account, code, state and lang, signed", redirect)
	}
	if status, _ := redeem(t, m, q.Get("code"), "another secret"); status != http.StatusUnauthorized {
		t.Errorf("with another secret: got %d, want 401", status)
	}
	status, answer := redeem(t, m, q.Get("code"), DefaultSecret)
	token := answer["access_token"]
	if status != http.StatusOK || answer["token_type"] != "bearer" || answer["scope"] != "account_read,products_write" {
		t.Fatalf("got %d %v, want a bearer token whose write stands for read", status, answer)
	}
	if status, again := redeem(t, m, q.Get("code"), DefaultSecret); status != 400 || again["access_token"] != "" {
		t.Errorf("the code again: got %d %v, want 400", status, again)
	}
	if m.tokens[token].account != "a" || !slices.Equal(m.InstalledTokens(), []string{token}) {
		t.Errorf("got the tokens %q, want %q of the account a", m.InstalledTokens(), token)
	}
	if m.RemoveApp(); m.tokens[token].account != "" {
		t.Error("the token of a removed app is good")
	}
}

func TestConsentIsStrict(t *testing.T) {
	m := newTest(t, Options{})
	for _, pairs := range [][]string{
		{"response_type", "token"},
		{"client_id", "another"},
		{"scope", "account_read,everything"},
		{"scope", ""},
		{"redirect_uri", "javascript:alert(1)"},
	} {
		if redirect, err := m.Answer(authorizeAddress(pairs...), Consent{}); err == nil {
			t.Errorf("%v: got %s, want an error", pairs, redirect)
		}
	}
}
