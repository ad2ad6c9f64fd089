package store

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// facts are kept in memory.
type facts map[string]string

func (f facts) Meta(key string) (string, error) { return f[key], nil }

func (f facts) SetMeta(key, value string) error {
	f[key] = value
	return nil
}

func TestInstallationIsSealed(t *testing.T) {
	f := facts{}
	if _, ok, err := InstallationOf(f); ok || err != nil {
		t.Fatalf("an empty store has one: %v", err)
	}
	at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	if err := KeepInstallation(f, Installation{Account: "a", Scopes: []string{"account_read"}, At: at}, "the-token", "the-secret"); err != nil {
		t.Fatal(err)
	}
	for key, value := range f {
		if strings.Contains(value, "the-token") || strings.Contains(value, "the-secret") {
			t.Errorf("%s holds a secret: %s", key, value)
		}
	}
	expect := func(secret, token string, want error) {
		t.Helper()
		i, ok, err := InstallationOf(f)
		if !ok || err != nil || i.Account != "a" || !i.At.Equal(at) {
			t.Fatalf("%+v, %v", i, err)
		}
		if got, err := i.Token(secret); got != token || !errors.Is(err, want) {
			t.Errorf("with %s: %q, %v", secret, got, err)
		}
	}
	expect("the-secret", "the-token", nil)
	expect("another-secret", "", ErrSealed)
	if err := ResealInstallation(f, "another-secret", "a-third"); !errors.Is(err, ErrSealed) {
		t.Errorf("resealed: %v", err)
	}
	if err := ResealInstallation(f, "the-secret", "another-secret"); err != nil {
		t.Error(err)
	}
	expect("another-secret", "the-token", nil)
	expect("the-secret", "", ErrSealed)
}

func TestInstallationThatIsCutOff(t *testing.T) {
	for _, sealed := range []string{"!", "", "AAAA", "c2hvcnQ="} {
		if token, err := (Installation{Sealed: sealed}).Token("the-secret"); token != "" || !errors.Is(err, ErrSealed) {
			t.Errorf("%q: %q, %v", sealed, token, err)
		}
	}
}
