package setup

import (
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/store"
)

// A shop gets no request once the lease of its account is lost. A receiver of alerts is told all the same.
func TestARequestWithoutALease(t *testing.T) {
	asked := 0
	shop := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer shop.Close()
	lease := store.NewLease("a", 1, time.Now(), time.Minute)
	leased := &http.Client{Transport: bounded{http.DefaultTransport, "pubsync", lease.Held}}
	put := func(client *http.Client) error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, shop.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	if err := put(leased); err != nil {
		t.Errorf("with the lease: %v, want no error", err)
	}
	lease.End()
	if err := put(leased); !errors.Is(err, store.ErrFenced) {
		t.Errorf("without the lease: %v, want %v", err, store.ErrFenced)
	}
	if asked != 1 {
		t.Errorf("the shop was asked %d times, want once", asked)
	}
	if err := put((&Setup{held: lease.Held}).ShopClient()); err != nil {
		t.Errorf("an alert without the lease: %v, want no error", err)
	}
}

// A path is the address of a file.
func TestSetupAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubsync.db")
	for address, want := range map[string]string{
		path:             path,
		"pubsync.db":     config.Absolute("pubsync.db"),
		`C:\pubsync.db`:  config.Absolute(`C:\pubsync.db`),
		"C://pubsync.db": config.Absolute("C://pubsync.db"),
		"shop:1.db":      config.Absolute("shop:1.db"),
		"a b://c":        config.Absolute("a b://c"),

		"postgres://user:word@host/db":   "postgres://user:word@host/db",
		"postgresql://user:word@host/db": "postgresql://user:word@host/db",
	} {
		c := setupAt(address, "")
		if cmp.Or(c.StoreURL, c.StorePath) != want || c.StoreIsFile() == strings.HasPrefix(address, "postgres") {
			t.Errorf("%s: got a store at %q, a file: %t, want %q", address, c.StorePath, c.StoreIsFile(), want)
		}
	}
}

// Two processes that look alike are told apart: a lease is renewed by its owner's name.
func TestEachProcessHasAName(t *testing.T) {
	if one, other := me(""), me(""); one == other {
		t.Errorf("two of one second, one number and one host are both %q", one)
	}
}

// A store that is half a copy is not copied: the other would count as whole.
func TestHalfACopyIsNotCopied(t *testing.T) {
	from := filepath.Join(t.TempDir(), "half.db")
	s, err := setupAt(from, "").open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.SetMeta(t.Context(), "copying", "begun"), s.Close()); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "to.db")
	if _, err := CopyStore(t.Context(), from, to, ""); !errors.Is(err, store.ErrHalf) {
		t.Errorf("got %v, want %v", err, store.ErrHalf)
	}
	if !setupAt(to, "").StoreMissing() {
		t.Error("a copy is there, want none")
	}
}
