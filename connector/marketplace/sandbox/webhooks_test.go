package sandbox

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// delivered is one webhook as its receiver got it.
type delivered struct {
	url    string
	header http.Header
	body   string
	at     time.Time
	ended  <-chan struct{} // the sender no longer waits
}

// An inbox is a receiver of webhooks that keeps what it gets. Within a bubble its answer may sleep
// first.
type inbox struct {
	answer func(*delivered) int

	mu  sync.Mutex
	got []*delivered
}

// RoundTrip takes the part of the receiver's server.
func (in *inbox) RoundTrip(req *http.Request) (*http.Response, error) {
	return Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d := &delivered{"http://" + r.Host + r.URL.Path, r.Header, string(body), time.Now(), r.Context().Done()}
		in.mu.Lock()
		in.got = append(in.got, d)
		in.mu.Unlock()
		status := http.StatusOK
		if in.answer != nil {
			status = in.answer(d)
		}
		if status/100 == 3 {
			w.Header().Set("Location", "http://elsewhere.example/")
		}
		w.WriteHeader(status)
	})).RoundTrip(req)
}

// all is what has come so far.
func (in *inbox) all() []*delivered {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.got)
}

const createWebhook = `mutation Hook($input: WebhookCreateInput!) {
	webhookCreate(input: $input) { webhook { id } userErrors { message } } }`

// subscribe creates a webhook for new publications, or for the events given.
func subscribe(t *testing.T, m *Marketplace, address string, events ...string) {
	t.Helper()
	if len(events) == 0 {
		events = []string{"PUBLICATION_CREATED"}
	}
	ask(t, m, createWebhook, map[string]any{"input": map[string]any{"callbackUrl": address, "events": events}})
}

// Each answer that counts as a failed delivery, and the delivery is repeated after it.
func TestDeliveryFailures(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(d *delivered) int
		failed bool
		status int
	}{
		{"200", func(*delivered) int { return 200 }, false, 200},
		{"204", func(*delivered) int { return 204 }, false, 204},
		{"a redirect, which is not followed", func(*delivered) int { return 302 }, true, 302},
		{"404", func(*delivered) int { return 404 }, true, 404},
		{"500", func(*delivered) int { return 500 }, true, 500},
		{"an answer just in time", func(*delivered) int { time.Sleep(4999 * time.Millisecond); return 200 }, false, 200},
		{"an answer too late", func(d *delivered) int { <-d.ended; return 200 }, true, 0},
		{"a connection that is cut", func(*delivered) int { panic(http.ErrAbortHandler) }, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := &inbox{answer: tt.answer}
				m := newTest(t, Options{WebhookTransport: in})
				subscribe(t, m, "http://a.example/")
				start := time.Now()
				m.Add(simple("a"))
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if n := len(in.all()); n != 1 {
					t.Fatalf("called %d times within ten seconds, want %v", n, 1)
				}
				entry := m.Deliveries()[0]
				switch {
				case entry.Acknowledged() == tt.failed:
					t.Errorf("the ledger has %+v; entry.Acknowledged(): got %v, want another", entry, entry.Acknowledged())
				case entry.Status != tt.status:
					t.Errorf("the ledger has %+v; entry.Status: got %v, want %v", entry, entry.Status, tt.status)
				case (entry.Err == "") != (tt.status != 0):
					t.Errorf("the ledger has %+v; (entry.Err == \"\"): got %v, want %v", entry, (entry.Err == ""), (tt.status != 0))
				case !entry.At.Equal(start):
					t.Errorf("the ledger has %+v; entry.At.Equal(start): got false, want true", entry)
				}
				time.Sleep(30 * time.Second)
				synctest.Wait()
				if again := len(in.all()) == 2; again != tt.failed {
					t.Errorf("called %d times after 40 seconds; again: got %v, want %v", len(in.all()), again, tt.failed)
				}
				if failures := m.Webhooks()[0].Failures; (failures == 0) == tt.failed {
					t.Errorf("%d failures in a row; (failures == 0): got %v, want another", failures, (failures == 0))
				}
			})
		})
	}
}

// Nineteen retries in two days, with gaps that grow. Other deliveries that succeed keep the
// registration alive meanwhile.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		in := &inbox{answer: func(d *delivered) int {
			if strings.Contains(d.body, `"good"`) {
				return 200
			}
			return 503
		}}
		m := newTest(t, Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		m.Add(simple("a"))
		for hour := range 72 {
			if hour == 1 {
				m.Add(simple("good"))
			}
			m.Announce("good")
			time.Sleep(time.Hour)
		}
		synctest.Wait()
		var at []time.Duration
		for _, d := range in.all() {
			if !strings.Contains(d.body, `"good"`) {
				at = append(at, d.at.Sub(start))
			}
		}
		if len(at) != 20 {
			t.Fatalf("tried %d times: %v, want %v", len(at), at, 20)
		}
		for i := 2; i < len(at); i++ {
			if at[i]-at[i-1] <= at[i-1]-at[i-2] {
				t.Errorf(
					"the gap before attempt %d does not grow: %v; at[i]-at[i-1]: got %v, want more than %v", i+1, at,
					at[i]-at[i-1], at[i-1]-at[i-2],
				)
			}
		}
		switch last := at[19]; {
		case last < 48*time.Hour-time.Minute:
			t.Errorf("the last retry came after %v; last: got %v, want at least %v", last, last, 48*time.Hour-time.Minute)
		case last > 48*time.Hour:
			t.Errorf("the last retry came after %v; last: got %v, want at most %v", last, last, 48*time.Hour)
		}
		if n := len(m.Webhooks()); n != 1 {
			t.Errorf("%d registrations are left, want %v", n, 1)
		}
	})
}

func TestDeletionAfterNineteenFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		in := &inbox{answer: func(*delivered) int {
			if up.Load() {
				return 200
			}
			return 500
		}}
		m := newTest(t, Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		m.Add(simple("a"))
		for range 17 {
			m.Announce("a")
		}
		synctest.Wait()
		switch calls := len(in.all()); {
		case calls != 18:
			t.Fatalf("%d calls, %+v; calls: got %v, want %v", calls, m.Webhooks(), calls, 18)
		case m.Webhooks()[0].Failures != 18:
			t.Fatalf(
				"%d calls, %+v; m.Webhooks()[0].Failures: got %v, want %v", calls, m.Webhooks(), m.Webhooks()[0].Failures, 18,
			)
		}
		up.Store(true)
		m.Announce("a") // one success, and all is forgotten
		synctest.Wait()
		if f := m.Webhooks()[0].Failures; f != 0 {
			t.Fatalf("%d failures after a success, want %v", f, 0)
		}
		up.Store(false)
		time.Sleep(time.Minute) // the eighteen are tried again
		synctest.Wait()
		if f := m.Webhooks()[0].Failures; f != 18 {
			t.Fatalf("%d failures after the first retries, want %v", f, 18)
		}
		m.Announce("a")
		synctest.Wait()
		if n := len(m.Webhooks()); n != 0 {
			t.Fatalf("%d registrations after nineteen failures, want %v", n, 0)
		}
		before := len(in.all())
		m.Announce("a")
		time.Sleep(72 * time.Hour)
		synctest.Wait()
		if more := len(in.all()) - before; more != 0 {
			t.Errorf("a deleted registration was called %d times, want %v", more, 0)
		}
		if got := ask(t, m, `{ webhooks(first: 9) { nodes { id } } }`, nil); got != `{"webhooks":{"nodes":[]}}` {
			t.Errorf("listed %s, want %q", got, `{"webhooks":{"nodes":[]}}`)
		}
	})
}
