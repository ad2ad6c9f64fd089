package sandbox

import "testing"

func TestAnUnknownScopeIsRefused(t *testing.T) {
	m := New(Options{})
	defer m.Close()
	const ask = "/oauth/authorize?response_type=code&client_id=" + DefaultClientID +
		"&redirect_uri=https://a.example/&scope="
	if _, err := m.Answer(ask+"account_read", Consent{}); err != nil {
		t.Errorf("Answer to a known scope: got %v, want nil", err)
	}
	if _, err := m.Answer(ask+"account_read,publications_read", Consent{}); err == nil {
		t.Error("Answer to an unknown scope: got nil, want an error")
	}
}
