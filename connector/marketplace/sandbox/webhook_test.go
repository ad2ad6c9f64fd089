package sandbox

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// told subscribes a receiver to what is new and what changes, and counts what it was told.
func told(t *testing.T, answer func() int) (m *Marketplace, calls *atomic.Int32) {
	t.Helper()
	m, calls = newTest(t, Options{}), new(atomic.Int32)
	m.client.Transport = Transport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(answer())
	}))
	post(t, m, `mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }`, map[string]any{
		"input": map[string]any{
			"callbackUrl": "http://a.example", "events": []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"},
		},
	})
	return m, calls
}

// changes has a supplier change a product so many times.
func changes(t *testing.T, m *Marketplace, n int) {
	t.Helper()
	for range n {
		if err := m.Supply("a", []string{"stock=1"}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
}

// Nineteen failures in a row delete the registration; one success, and all is forgotten.
func TestDeletionAfterNineteenFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		m, calls := told(t, func() int {
			if up.Load() {
				return 200
			}
			return 500
		})
		m.Add(simple("a"))
		changes(t, m, 17)
		if w := m.Webhooks(); len(w) != 1 || w[0].Failures != 18 {
			t.Fatalf("got %+v, want 18 failures", w)
		}
		up.Store(true)
		changes(t, m, 1)
		up.Store(false)
		changes(t, m, 18)
		if w := m.Webhooks(); len(w) != 1 || w[0].Failures != 18 {
			t.Fatalf("got %+v after a success, want 18 failures", w)
		}
		changes(t, m, 1)
		before := calls.Load()
		changes(t, m, 1)
		if now := calls.Load(); len(m.Webhooks()) != 0 || now != before {
			t.Errorf("got %+v called %d times more, want none, and no calls", m.Webhooks(), now-before)
		}
	})
}
