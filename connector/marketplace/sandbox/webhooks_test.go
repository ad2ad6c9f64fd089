package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// subscribe creates a webhook for new publications, or for the events given.
func subscribe(t *testing.T, m *Marketplace, address string, events ...string) {
	t.Helper()
	if len(events) == 0 {
		events = []string{"PUBLICATION_CREATED"}
	}
	ask(t, m, createWebhook, map[string]any{"input": map[string]any{"callbackUrl": address, "events": events}})
}

func TestAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{answer: func(*delivered) int { return http.StatusNoContent }}
		m := newTest(t, Options{Account: "my-shop", Secret: "s3cret", HeaderPrefix: "X-Market", WebhookTransport: in})
		subscribe(t, m, "http://10.0.0.1/webhooks")
		p := simple("a")
		m.Add(p)
		synctest.Wait()
		got := in.all()
		if len(got) != 1 {
			t.Fatalf("%d delivered, want %v", len(got), 1)
		}
		d := got[0]
		mac := hmac.New(sha256.New, []byte("s3cret"))
		mac.Write([]byte(d.body))
		for name, want := range map[string]string{
			"Content-Type":         "application/json",
			"User-Agent":           "pubsync-sandbox/1",
			"X-Market-Account-Id":  "my-shop",
			"X-Market-Event":       "PUBLICATION_CREATED",
			"X-Market-Webhook-Id":  m.Webhooks()[0].ID,
			"X-Market-Signature":   hex.EncodeToString(mac.Sum(nil)),
			"X-Service-Account-Id": "",
		} {
			if v := d.header.Get(name); v != want {
				t.Errorf("%s is %q, want %q", name, v, want)
			}
		}
		added, _ := m.Publication("a")
		at := added.CreatedAt.Format("2006-01-02T15:04:05.000000Z")
		want := fmt.Sprintf(
			`{"data":{"publication":{"id":"a","status":"syncing","listing":{"product":{"id":"product-a"}},`+
				`"createdAt":"%s","updatedAt":"%s"}}}`,
			at,
			at,
		)
		switch {
		case d.body != want:
			t.Errorf("delivered to %s\ngot  %s\nwant %s; d.body: got %v, want %v", d.url, d.body, want, d.body, want)
		case d.url != "http://10.0.0.1/webhooks":
			t.Errorf(
				"delivered to %s\ngot  %s\nwant %s; d.url: got %q, want %q", d.url, d.body, want, d.url,
				"http://10.0.0.1/webhooks",
			)
		}
		m.Add(Publication{ID: "b"})
		synctest.Wait()
		if got = in.all(); !strings.Contains(got[1].body, `"listing":null`) {
			t.Errorf("an entry without listing: got %s, want a null listing", got[1].body)
		}
		m.Announce("a")
		m.Announce("z")
		synctest.Wait() // deliveries that are under way at a time arrive in any order
		m.Remove("b")
		m.Restore("b")
		synctest.Wait()
		switch got = in.all(); {
		case len(got) != 4:
			t.Errorf("%d delivered in the end; len(got): got %v, want %v", len(got), len(got), 4)
		case !strings.Contains(got[2].body, `"id":"a"`):
			t.Errorf("%d delivered in the end; strings.Contains(got[2].body, `\"id\":\"a\"`): got false, want true", len(got))
		case !strings.Contains(got[3].body, `"id":"b"`):
			t.Errorf("%d delivered in the end; strings.Contains(got[3].body, `\"id\":\"b\"`): got false, want true", len(got))
		}
		for _, entry := range m.Deliveries() {
			switch {
			case !entry.Acknowledged():
				t.Errorf("the ledger has %+v; entry.Acknowledged(): got false, want true", entry)
			case !entry.Signed:
				t.Errorf("the ledger has %+v; entry.Signed: got false, want true", entry)
			case entry.Attempt != 1:
				t.Errorf("the ledger has %+v; entry.Attempt: got %v, want %v", entry, entry.Attempt, 1)
			case entry.Status != 204:
				t.Errorf("the ledger has %+v; entry.Status: got %v, want %v", entry, entry.Status, 204)
			case entry.Event != "PUBLICATION_CREATED":
				t.Errorf("the ledger has %+v; entry.Event: got %q, want %q", entry, entry.Event, "PUBLICATION_CREATED")
			}
		}
	})
}

func TestWhoIsTold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		active bool
		told   bool
	}{
		{"an active webhook for the event", []string{"ORDER_CREATED", "PUBLICATION_CREATED"}, true, true},
		{"one for another event", []string{"ORDER_CREATED"}, true, false},
		{"one that is not active", []string{"PUBLICATION_CREATED"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := &inbox{}
				m := newTest(t, Options{WebhookTransport: in})
				ask(
					t,
					m,
					createWebhook,
					map[string]any{
						"input": map[string]any{
							"callbackUrl": "http://a.example",
							"events":      tt.events,
							"active":      tt.active,
						},
					},
				)
				m.Add(simple("a"))
				synctest.Wait()
				if told := len(in.all()) == 1; told != tt.told {
					t.Errorf("told: %v, want %v", told, tt.told)
				}
			})
		})
	}
}

// The channel's default webhook hears of content, unsigned, and is not among those the API lists.
func TestChannelWebhook(t *testing.T) {
	for _, tt := range []struct {
		name    string
		payload ChannelPayload
		want    string
	}{
		{"by product", NamesProduct, `{"data":{"product":{"id":"product-a"}}}`},
		{
			"by publication", NamesPublication,
			`{"data":{"publication":{"id":"a","status":"syncing","listing":{"product":{"id":"product-a"}},"createdAt":"`,
		},
		{"by listing", NamesListing, `{"data":{"listing":{"id":"listing-a"}}}`},
		{"by variant", NamesVariant, `{"data":{"productVariant":{"id":"variant-a","product":{"id":"product-a"}}}}`},
		{"by nothing", NamesNothing, `{"data":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := &inbox{}
				m := newTest(
					t,
					Options{
						ChannelWebhookURL: "http://localhost:9/anywhere",
						ChannelPayload:    tt.payload,
						WebhookTransport:  in,
					},
				)
				m.Add(simple("a")) // is no change of content
				must(t, m.SetStock("a", "", 4))
				synctest.Wait()
				got := in.all()
				switch {
				case len(got) != 1:
					t.Fatalf("delivered %+v, want %s; len(got): got %v, want %v", got, tt.want, len(got), 1)
				case !strings.HasPrefix(got[0].body, tt.want):
					t.Fatalf("delivered %+v, want %s; strings.HasPrefix(got[0].body, tt.want): got false, want true", got, tt.want)
				}
				switch h := got[0].header; {
				case h.Get("X-Service-Event") != "PRODUCT_UPDATED":
					t.Errorf(
						"headers are %v; h.Get(\"X-Service-Event\"): got %q, want %q", h, h.Get("X-Service-Event"),
						"PRODUCT_UPDATED",
					)
				case len(h.Values("X-Service-Signature")) != 0:
					t.Errorf(
						"headers are %v; len(h.Values(\"X-Service-Signature\")): got %v, want %v", h,
						len(h.Values("X-Service-Signature")), 0,
					)
				}
				if n := len(m.Webhooks()); n != 0 {
					t.Errorf("%d webhooks listed, want %v", n, 0)
				}
				ask(t, m, reportStatus, map[string]any{"input": map[string]any{"id": "a", "status": "success"}})
				m.SetChannelWebhook("")
				must(t, m.SetStock("a", "", 5))
				synctest.Wait()
				if got = in.all(); len(got) != 1 {
					t.Errorf("told of a report, or after it was switched off: %+v; len(got): got %v, want %v", got[1], len(got), 1)
				}
			})
		})
	}
}

func TestWebhookForProducts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{}
		m := newTest(t, Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example", "PRODUCT_UPDATED")
		m.Add(simple("a"))
		must(t, m.SetPrice("a", "", "1.00", "2.00"))
		synctest.Wait()
		switch got := in.all(); {
		case len(got) != 1:
			t.Errorf("delivered %+v; len(got): got %v, want %v", got, len(got), 1)
		case got[0].body != `{"data":{"product":{"id":"product-a"}}}`:
			t.Errorf("delivered %+v; got[0].body: got %q, want %q", got, got[0].body, `{"data":{"product":{"id":"product-a"}}}`)
		case got[0].header.Get("X-Service-Signature") == "":
			t.Errorf(
				"delivered %+v; got[0].header.Get(\"X-Service-Signature\"): got %q, want another", got,
				got[0].header.Get("X-Service-Signature"),
			)
		}
	})
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

// Deliveries queued for a registration end with it. A burst during an outage ends after the
// failures that are allowed, and those under way.
func TestABurstIntoAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{answer: func(*delivered) int { return 500 }}
		m := newTest(t, Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		m.AddSound(200)
		synctest.Wait()
		switch n, left := len(in.all()), len(m.Webhooks()); {
		case left != 0:
			t.Errorf("%d registrations after %d calls; left: got %v, want %v", left, n, left, 0)
		case n < FailuresAllowed:
			t.Errorf("%d registrations after %d calls; n: got %v, want at least %v", left, n, n, FailuresAllowed)
		case n >= FailuresAllowed+couriers:
			t.Errorf("%d registrations after %d calls; n: got %v, want less than %v", left, n, n, FailuresAllowed+couriers)
		}
	})
}

// A default webhook at an address that is none fails like any other.
func TestChannelWebhookAtNoAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTest(t, Options{ChannelWebhookURL: "http://a b.example/"})
		m.Add(simple("a"))
		must(t, m.SetStock("a", "", 1))
		time.Sleep(time.Minute)
		synctest.Wait()
		switch d := m.Deliveries(); {
		case len(d) != 2:
			t.Errorf("the ledger has %+v; len(d): got %v, want %v", d, len(d), 2)
		case d[0].Err == "":
			t.Errorf("the ledger has %+v; d[0].Err: got %q, want another", d, d[0].Err)
		case d[0].Status != 0:
			t.Errorf("the ledger has %+v; d[0].Status: got %v, want %v", d, d[0].Status, 0)
		case d[0].Signed:
			t.Errorf("the ledger has %+v; d[0].Signed: got true, want false", d)
		case d[1].Attempt != 2:
			t.Errorf("the ledger has %+v; d[1].Attempt: got %v, want %v", d, d[1].Attempt, 2)
		}
	})
}

// One delivery alone runs into the deletion with its eighteenth retry.
func TestDeletionOfAReceiverThatIsDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTest(t, Options{WebhookTransport: &inbox{answer: func(*delivered) int { return 500 }}})
		subscribe(t, m, "http://a.example")
		m.Add(simple("a"))
		time.Sleep(40 * time.Hour)
		synctest.Wait()
		if n := len(m.Webhooks()); n != 1 {
			t.Fatalf("%d registrations after 40 hours, want %v", n, 1)
		}
		time.Sleep(8 * time.Hour)
		synctest.Wait()
		switch n, tries := len(m.Webhooks()), len(m.Deliveries()); {
		case n != 0:
			t.Errorf("%d registrations after %d tries in 48 hours; n: got %v, want %v", n, tries, n, 0)
		case tries != 19:
			t.Errorf("%d registrations after %d tries in 48 hours; tries: got %v, want %v", n, tries, tries, 19)
		}
	})
}

func TestABurstIsDeliveredWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		in := &inbox{answer: func(*delivered) int {
			for n := now.Add(1); ; {
				old := most.Load()
				if n <= old || most.CompareAndSwap(old, n) {
					break
				}
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return 200
		}}
		m := newTest(t, Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		ids := m.AddSound(200)
		time.Sleep(time.Minute)
		synctest.Wait()
		seen := map[string]bool{}
		for _, d := range in.all() {
			var body struct {
				Data struct{ Publication struct{ ID string } }
			}
			if err := json.Unmarshal([]byte(d.body), &body); err != nil {
				t.Error(err)
			}
			seen[body.Data.Publication.ID] = true
		}
		switch {
		case len(in.all()) != 200:
			t.Errorf("%d of 200 delivered; len(in.all()): got %v, want %v", len(seen), len(in.all()), 200)
		case len(seen) != 200:
			t.Errorf("%d of 200 delivered; len(seen): got %v, want %v", len(seen), len(seen), 200)
		case slices.ContainsFunc(ids, func(id string) bool { return !seen[id] }):
			t.Errorf("got %d delivered, want 200", len(seen))
		}
		if most.Load() != couriers {
			t.Errorf("%d under way at a time, want %d", most.Load(), couriers)
		}
	})
}

// Close ends what is under way and what is waiting, and no goroutine is left: the bubble would not
// end.
func TestCloseEndsDeliveries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{answer: func(d *delivered) int {
			if strings.Contains(d.body, `"slow"`) {
				<-d.ended
			}
			return 500
		}}
		m := New(Options{WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		m.Add(simple("a"))
		synctest.Wait()
		m.Add(simple("slow"))
		synctest.Wait()
		m.Close()
		m.Close()
		m.Add(simple("late"))
		time.Sleep(72 * time.Hour)
		if calls := len(in.all()); calls != 2 {
			t.Errorf("%d calls, want 2", calls)
		}
		if n := len(m.Deliveries()); n != 1 {
			t.Errorf("%d deliveries in the ledger: one that Close cut short says nothing of its receiver, want %v", n, 1)
		}
	})
}
