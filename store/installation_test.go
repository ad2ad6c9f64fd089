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
	if err := KeepInstallation(t.Context(), f, i, "the-token", "the-secret", ""); err != nil {
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
	if proved, err := OfferSecret(t.Context(), f, "a-third", "another-secret"); proved || !errors.Is(err, ErrSealed) {
		t.Errorf("offered with a secret that opens nothing: %t, %v", proved, err)
	}
	expect("the-secret", "the-token", nil)
}

// A new secret of the app opens the token beside the one before, until it has proved itself. The
// secret of before takes it back.
func TestSecretsThatAreOffered(t *testing.T) {
	for _, tt := range []struct {
		name   string
		steps  func(f Facts) (proved bool, err error)
		proved bool
		opens  string // those of old, new, typo that open it, by their first letters
	}{
		{"offered", func(f Facts) (bool, error) { return OfferSecret(t.Context(), f, "new", "old") }, false, "on"},
		{"proved", func(f Facts) (bool, error) {
			_, err := OfferSecret(t.Context(), f, "new", "old")
			return false, errors.Join(err, ProveSecret(t.Context(), f, "new"))
		}, false, "n"},
		{"a typo, taken back", func(f Facts) (bool, error) {
			if _, err := OfferSecret(t.Context(), f, "typo", "old"); err != nil {
				return false, err
			}
			return OfferSecret(t.Context(), f, "old", "typo")
		}, true, "o"},
		{"a typo, and then the new one, in a process that knows the typo alone", func(f Facts) (bool, error) {
			if _, err := OfferSecret(t.Context(), f, "typo", "old"); err != nil {
				return false, err
			}
			return OfferSecret(t.Context(), f, "new", "typo")
		}, false, "on"},
		{"proved by a webhook of the old one", func(f Facts) (bool, error) {
			_, err := OfferSecret(t.Context(), f, "new", "old")
			return false, errors.Join(err, ProveSecret(t.Context(), f, "old"))
		}, false, "on"},
		{"a typo that no process could open it with", func(f Facts) (bool, error) {
			if _, err := OfferSecret(t.Context(), f, "new", "typo"); !errors.Is(err, ErrSealed) {
				return false, errors.New("the typo opens it")
			}
			return OfferSecret(t.Context(), f, "old", "typo")
		}, true, "o"},
		{"the next installation", func(f Facts) (bool, error) {
			_, err := OfferSecret(t.Context(), f, "typo", "old")
			return false, errors.Join(err, KeepInstallation(t.Context(), f, Installation{}, "the-token", "old", "new"))
		}, false, "on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := facts{}
			if err := KeepInstallation(t.Context(), f, Installation{}, "the-token", "old", ""); err != nil {
				t.Fatal(err)
			}
			if proved, err := tt.steps(f); proved != tt.proved || err != nil {
				t.Errorf("proved %t, %v, want %t", proved, err, tt.proved)
			}
			i, _, err := InstallationOf(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			opens := ""
			for _, secret := range []string{"old", "new", "typo"} {
				if token, err := i.Token(secret); err == nil && token == "the-token" {
					opens += secret[:1]
				}
			}
			if opens != tt.opens {
				t.Errorf("opened by %q, want %q", opens, tt.opens)
			}
		})
	}
	f := facts{}
	if proved, err := OfferSecret(t.Context(), f, "new", "old"); proved || err != nil || len(f) > 0 {
		t.Errorf("without an installation: %t, %v, %v", proved, err, f)
	}
}

func TestInstallationThatIsCutOff(t *testing.T) {
	for _, sealed := range []string{"!", "", "AAAA", "c2hvcnQ="} {
		if token, err := (Installation{Sealed: sealed}).Token("the-secret"); token != "" || !errors.Is(err, ErrSealed) {
			t.Errorf("%q: %q, %v", sealed, token, err)
		}
	}
}
