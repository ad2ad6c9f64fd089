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
		t.Context(), http.MethodPost, "https://auth.example/oauth/access_token", bytes.NewReader(body),
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
	switch {
	case q.Get("state") != "s1":
		t.Errorf("redirected to %s; q.Get(\"state\"): got %q, want %q", redirect, q.Get("state"), "s1")
	case q.Get("account_id") != "a":
		t.Errorf("redirected to %s; q.Get(\"account_id\"): got %q, want %q", redirect, q.Get("account_id"), "a")
	case q.Get("lang") != "en":
		t.Errorf("redirected to %s; q.Get(\"lang\"): got %q, want %q", redirect, q.Get("lang"), "en")
	case u.Path != "/oauth/callback":
		t.Errorf("redirected to %s; u.Path: got %q, want %q", redirect, u.Path, "/oauth/callback")
	case !strings.HasSuffix(
		m.Signed("x?"+rest[strings.Index(rest, "lang="):], "account_id", "a", "code", q.Get("code"), "state", "s1"),
		signature,
	):
		t.Errorf("got redirected to %s, want the app with code, state and signature", redirect)
	}
	if status, _ := redeem(t, m, q.Get("code"), "another secret"); status != http.StatusUnauthorized {
		t.Errorf("with another secret: %d, want %v", status, http.StatusUnauthorized)
	}
	status, answer := redeem(t, m, q.Get("code"), DefaultSecret)
	// write stands for read
	switch {
	case status != http.StatusOK:
		t.Fatalf("%d, %v; status: got %v, want %v", status, answer, status, http.StatusOK)
	case answer["token_type"] != "bearer":
		t.Fatalf("%d, %v; answer[\"token_type\"]: got %q, want %q", status, answer, answer["token_type"], "bearer")
	case answer["scope"] != "account_read,products_write":
		t.Fatalf("%d, %v; answer[\"scope\"]: got %q, want %q", status, answer, answer["scope"], "account_read,products_write")
	}
	switch status, again := redeem(t, m, q.Get("code"), DefaultSecret); {
	case status != http.StatusBadRequest:
		t.Errorf("the code again: %d, %v; status: got %v, want %v", status, again, status, http.StatusBadRequest)
	case again["access_token"] != "":
		t.Errorf("the code again: %d, %v; again[\"access_token\"]: got %q, want %q", status, again, again["access_token"], "")
	}
	switch {
	case m.app.grantOf(answer["access_token"]).account != "a":
		t.Errorf(
			"installed %q; m.app.grantOf(answer[\"access_token\"]).account: got %q, want %q", m.InstalledTokens(),
			m.app.grantOf(answer["access_token"]).account, "a",
		)
	case !slices.Equal(m.InstalledTokens(), []string{answer["access_token"]}):
		t.Errorf("got %q installed, want %q", m.InstalledTokens(), answer["access_token"])
	}
	m.RemoveApp()
	if m.app.grantOf(answer["access_token"]).account != "" {
		t.Errorf(
			"the token of a removed app is good; m.app.grantOf(answer[\"access_token\"]).account: got %q, want %q",
			m.app.grantOf(answer["access_token"]).account, "",
		)
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
			t.Errorf("%v: got %s, want an error", pairs, redirect)
		}
	}
	redirect, err := m.Answer(authorizeAddress(), Consent{Decline: true})
	switch {
	case err != nil:
		t.Errorf("declined: %s, %v; err: got %v, want nil", redirect, err, err)
	case !strings.Contains(redirect, "error=access_denied"):
		t.Errorf("declined: %s, %v; strings.Contains(redirect, \"error=access_denied\"): got false, want true", redirect, err)
	case strings.Contains(redirect, "code="):
		t.Errorf("declined: %s, %v; strings.Contains(redirect, \"code=\"): got true, want false", redirect, err)
	}
}
