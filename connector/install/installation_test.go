package install

import (
	"errors"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestInstallationIsSealed(t *testing.T) {
	f := store.InMemory()
	if i, err := Of(t.Context(), f); i.Sealed != nil || err != nil {
		t.Fatalf("an empty store has one: %v", err)
	}
	if err := Keep(t.Context(), f, "a", "the-token", "the-secret"); err != nil {
		t.Fatal(err)
	}
	value, err := f.Meta(t.Context(), string(installed))
	if value == "" || err != nil || strings.Contains(value, "the-token") || strings.Contains(value, "the-secret") {
		t.Errorf("got %q, %v, want an installation without a secret", value, err)
	}
	expect := func(secret, token string, want error) {
		t.Helper()
		i, err := Of(t.Context(), f)
		if err != nil || i.Account != "a" {
			t.Fatalf("%+v, %v", i, err)
		}
		if got, err := i.Token(secret); got != token || !errors.Is(err, want) {
			t.Errorf("with %s: %q, %v", secret, got, err)
		}
	}
	expect("the-secret", "the-token", nil)
	expect("another-secret", "", ErrSealed)
	for _, sealed := range []string{"", "AAA", "short"} {
		i := Installation{Sealed: []byte(sealed)}
		if token, err := i.Token("the-secret"); token != "" || !errors.Is(err, ErrSealed) {
			t.Errorf("%q: %q, %v", sealed, token, err)
		}
	}
}
