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
		"response_type": {
			"code",
		}, "client_id": {DefaultClientID}, "scope": {"account_read,products_read,products_write"},
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
	body, err := json.Marshal(
		map[string]string{
			"grant_type":    "authorization_code",
			"code":          code,
			"client_id":     DefaultClientID,
			"client_secret": secret,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodPost,
		"https://auth.example/oauth/access_token",
		bytes.NewReader(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := m.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, answer
}

func TestAnAppIsInstalled(t *testing.T) {
	m := New(Options{})
	defer m.Close()
	redirect, err := m.Answer(authorizeAddress(), Consent{Account: "a"})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(redirect)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	rest, signature, _ := strings.Cut(u.RawQuery, "&signature=")
	if q.Get("state") != "s1" || q.Get("account_id") != "a" || q.Get("lang") != "en" || u.Path != "/oauth/callback" ||
		!strings.HasSuffix(
			m.Signed("x?"+rest[strings.Index(rest, "lang="):], "account_id", "a", "code", q.Get("code"), "state", "s1"),
			signature,
		) {
		t.Errorf("redirected to %s", redirect)
	}
	if status, _ := redeem(t, m, q.Get("code"), "another secret"); status != http.StatusUnauthorized {
		t.Errorf("with another secret: %d", status)
	}
	status, answer := redeem(t, m, q.Get("code"), DefaultSecret)
	// write stands for read
	if status != http.StatusOK || answer["token_type"] != "bearer" || answer["scope"] != "account_read,products_write" {
		t.Fatalf("%d, %v", status, answer)
	}
	if status, again := redeem(t, m, q.Get("code"), DefaultSecret); status != http.StatusBadRequest ||
		again["access_token"] != "" {
		t.Errorf("the code again: %d, %v", status, again)
	}
	if m.app.grantOf(answer["access_token"]).account != "a" ||
		!slices.Equal(m.InstalledTokens(), []string{answer["access_token"]}) {
		t.Errorf("installed %q", m.InstalledTokens())
	}
	m.RemoveApp()
	if m.app.grantOf(answer["access_token"]).account != "" {
		t.Error("the token of a removed app is good")
	}
}

func TestConsentIsStrict(t *testing.T) {
	m := New(Options{RedirectURLs: []string{"https://app.example/oauth/callback?lang=en"}})
	defer m.Close()
	for _, pairs := range [][]string{
		{"response_type", "token"},
		{"client_id", "another"},
		{"scope", "account_read,everything"},
		{"scope", ""},
		{"redirect_uri", "https://elsewhere.example/"},
		{"redirect_uri", "javascript:alert(1)"},
	} {
		if redirect, err := m.Answer(authorizeAddress(pairs...), Consent{}); err == nil {
			t.Errorf("%v led to %s", pairs, redirect)
		}
	}
	redirect, err := m.Answer(authorizeAddress(), Consent{Decline: true})
	if err != nil || !strings.Contains(redirect, "error=access_denied") || strings.Contains(redirect, "code=") {
		t.Errorf("declined: %s, %v", redirect, err)
	}
}
