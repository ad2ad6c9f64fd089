package sandbox

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// told subscribes a receiver to what is new and what changes, and lists its deliveries.
func told(t *testing.T, answer func(r *http.Request) int) (m *Marketplace, all func() []Delivery) {
	t.Helper()
	var (
		mu  sync.Mutex
		got []Delivery
	)
	m = newTest(t, Options{})
	m.client.Transport = Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(answer(r))
	}))
	m.Hear(func(event any) {
		mu.Lock()
		defer mu.Unlock()
		if d, ok := event.(Delivery); ok {
			got = append(got, d)
		}
	})
	post(t, m, `mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }`, map[string]any{
		"input": map[string]any{
			"callbackUrl": "http://a.example", "events": []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"},
		},
	})
	return m, func() []Delivery {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// Nineteen retries in two days, with gaps that grow. Other deliveries that succeed keep the
// registration alive meanwhile.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m, all := told(t, func(r *http.Request) int {
			if r.Header.Get("X-Service-Event") == "PRODUCT_UPDATED" {
				return 200
			}
			return 503
		})
		m.Add(simple("a"))
		for range 72 {
			if err := m.Supply("a", []string{"stock=1"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		var at []time.Duration
		for _, d := range all() {
			if d.Event == "PUBLICATION_CREATED" {
				at = append(at, d.At.Sub(start))
			}
		}
		if len(at) != 20 || at[19] < 48*time.Hour-time.Minute || at[19] > 48*time.Hour || len(m.Webhooks()) != 1 {
			t.Fatalf("tried at %v with %d registrations left, want 20 tries in 48 hours, and 1", at, len(m.Webhooks()))
		}
		for i := 2; i < len(at); i++ {
			if at[i]-at[i-1] <= at[i-1]-at[i-2] {
				t.Errorf("the gap before attempt %d does not grow: %v", i+1, at)
			}
		}
	})
}

func TestDeletionAfterNineteenFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		m, all := told(t, func(*http.Request) int {
			if up.Load() {
				return 200
			}
			return 500
		})
		changes := func(n int) {
			for range n {
				if err := m.Supply("a", []string{"stock=1"}); err != nil {
					t.Fatal(err)
				}
			}
			all()
		}
		m.Add(simple("a"))
		changes(17)
		if w := m.Webhooks(); len(w) != 1 || w[0].Failures != 18 {
			t.Fatalf("got %+v, want 18 failures", w)
		}
		up.Store(true)
		changes(1) // one success, and all is forgotten
		up.Store(false)
		changes(18)
		if w := m.Webhooks(); len(w) != 1 || w[0].Failures != 18 {
			t.Fatalf("got %+v after a success, want 18 failures", w)
		}
		changes(1)
		before := len(all())
		changes(1)
		time.Sleep(72 * time.Hour)
		if len(m.Webhooks()) != 0 || len(all()) != before {
			t.Errorf("got %+v called %d times more, want none, and no calls", m.Webhooks(), len(all())-before)
		}
	})
}
