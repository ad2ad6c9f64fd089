package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// facts are kept in memory.
type facts map[string]string

func (f facts) Meta(ctx context.Context, key string) (string, error) { return f[key], nil }

func (f facts) SetMeta(ctx context.Context, key, value string) error {
	f[key] = value
	return nil
}

func TestInstallationIsSealed(t *testing.T) {
	f := facts{}
	if _, ok, err := InstallationOf(t.Context(), f); ok || err != nil {
		t.Fatalf("an empty store has one: %v", err)
	}
	at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	i := Installation{Account: "a", Scopes: []string{"account_read"}, At: at}
	if err := KeepInstallation(t.Context(), f, i, "the-token", "the-secret"); err != nil {
		t.Fatal(err)
	}
	for key, value := range f {
		if strings.Contains(value, "the-token") || strings.Contains(value, "the-secret") {
			t.Errorf("%s holds a secret: %s", key, value)
		}
	}
	expect := func(secret, token string, want error) {
		t.Helper()
		i, ok, err := InstallationOf(t.Context(), f)
		if !ok || err != nil || i.Account != "a" || !i.At.Equal(at) {
			t.Fatalf("%+v, %v", i, err)
		}
		if got, err := i.Token(secret); got != token || !errors.Is(err, want) {
			t.Errorf("with %s: %q, %v", secret, got, err)
		}
	}
	expect("the-secret", "the-token", nil)
	expect("another-secret", "", ErrSealed)
}

func TestInstallationThatIsCutOff(t *testing.T) {
	for _, sealed := range []string{"!", "", "AAAA", "c2hvcnQ="} {
		if token, err := (Installation{Sealed: sealed}).Token("the-secret"); token != "" || !errors.Is(err, ErrSealed) {
			t.Errorf("%q: %q, %v", sealed, token, err)
		}
	}
}
