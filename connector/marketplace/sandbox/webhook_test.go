package sandbox

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// told subscribes a receiver to what is new and what changes, and lists when it was told of each.
func told(t *testing.T, answer func(event string) int) (m *Marketplace, all func(event string) []time.Time) {
	t.Helper()
	var mu sync.Mutex
	got := map[string][]time.Time{}
	m = newTest(t, Options{})
	m.client.Transport = Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event := r.Header.Get("X-Service-Event")
		mu.Lock()
		defer mu.Unlock()
		got[event] = append(got[event], time.Now())
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(answer(event))
	}))
	post(t, m, `mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }`, map[string]any{
		"input": map[string]any{
			"callbackUrl": "http://a.example", "events": []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"},
		},
	})
	return m, func(event string) []time.Time {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return got[event]
	}
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

// Nineteen retries in two days, with gaps that grow. Other deliveries that succeed keep the
// registration alive meanwhile.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m, all := told(t, func(event string) int {
			if event == "PRODUCT_UPDATED" {
				return 200
			}
			return 503
		})
		m.Add(simple("a"))
		for range 72 {
			changes(t, m, 1)
			time.Sleep(time.Hour)
		}
		at := all("PUBLICATION_CREATED")
		if len(at) != 20 || at[19].Sub(start).Round(time.Minute) != 48*time.Hour || len(m.Webhooks()) != 1 {
			t.Fatalf("tried at %v with %d registrations left, want 20 tries in 48 hours, and 1", at, len(m.Webhooks()))
		}
		for i := 2; i < len(at); i++ {
			if at[i].Sub(at[i-1]) <= at[i-1].Sub(at[i-2]) {
				t.Errorf("the gap before attempt %d does not grow: %v", i+1, at)
			}
		}
	})
}

// Nineteen failures in a row delete the registration; one success, and all is forgotten.
func TestDeletionAfterNineteenFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		m, all := told(t, func(string) int {
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
		before := len(all("PRODUCT_UPDATED"))
		changes(t, m, 1)
		time.Sleep(72 * time.Hour)
		if now := len(all("PRODUCT_UPDATED")); len(m.Webhooks()) != 0 || now != before {
			t.Errorf("got %+v called %d times more, want none, and no calls", m.Webhooks(), now-before)
		}
	})
}
