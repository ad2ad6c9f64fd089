package setup

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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
