// How webhooks are answered, and what they lead to.

package main_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// created is the body that announces a publication.
func created(id string) string {
	return fmt.Sprintf(`{"data":{"publication":{"id":%q,"status":"syncing","listing":{"product":{"id":"x"}}}}}`, id)
}

func TestASignedWebhookIsOnSaleAndReported(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(3)
	w := s.work()
	w.settles(3)
	for i := range 3 {
		id := s.add(lamp(10 + i))
		if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusNoContent {
			t.Fatalf("the webhook was answered with %d, want %d", status, http.StatusNoContent)
		}
		eventually(t, 10*time.Second, "reported", func() bool { return slices.Equal(s.reported(id), []string{"success"}) })
		s.matches(id)
	}
	w.stop()
}

func TestAnUnsignedWebhookRefreshesContentWhoseUpdatedAtDidNotMove(t *testing.T) {
	t.Parallel()
	bodies := map[string]func(p sandbox.Publication) string{
		"names the publication": func(p sandbox.Publication) string {
			return `{"data":{"publication":{"id":"` + p.ID +
				`"}}}`
		},
		"names the product": func(p sandbox.Publication) string {
			return `{"data":{"product":{"id":"` +
				p.Listing.ProductID + `"}}}`
		},
		"names the publication's product": func(p sandbox.Publication) string {
			return `{"data":{"publication":{"listing":{"product":{"id":"` + p.Listing.ProductID + `"}}}}}`
		},
		"names the listing": func(p sandbox.Publication) string {
			return `{"data":{"listing":{"id":"` + p.Listing.ID +
				`"}}}`
		},
		"names the variant's product": func(p sandbox.Publication) string {
			return `{"event":"x","data":{"productVariant":{"id":"v","product":{"id":"` + p.Listing.ProductID + `"}}}}`
		},
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			ids := s.lamps(2)
			w := s.work()
			w.settles(2)
			if err := s.market.SetPrice(ids[0], "", "10.00", "22.00", sandbox.KeepUpdatedAt); err != nil {
				t.Fatal(err)
			}
			p, _ := s.market.Publication(ids[0])
			if status := w.hint(body(p)); status != http.StatusNoContent {
				t.Fatalf("the webhook was answered with %d, want %d", status, http.StatusNoContent)
			}
			eventually(t, 5*time.Second, "the new price in the shop", func() bool { return s.prices(ids[0])[0] == "22.00" })
			if n := s.contentReads()[ids[1]]; n != 1 {
				t.Errorf("the other publication was read %d times", n)
			}
		})
	}
}

func TestAnUnsignedWebhookThatNamesNothingKnownLeadsToOneSweep(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"an unknown publication": `{"data":{"publication":{"id":"nobody"}}}`,
		"an unknown product":     `{"data":{"product":{"id":"nobody"}}}`,
		"nothing":                `{"data":{}}`, "no JSON": `<xml/>`,
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			w := s.work()
			w.settles(1)
			id := s.market.Add(sandbox.Publication{Listing: lamp(2)})[0]
			if status := w.hint(body); status != http.StatusNoContent {
				t.Fatalf("the webhook was answered with %d, want %d", status, http.StatusNoContent)
			}
			eventually(t, 5*time.Second, "what a sweep finds is on sale", func() bool { return len(s.reported(id)) == 1 })
		})
	}
}

func TestWebhookAnswers(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	body := created(id)
	big := `{"data":"` + strings.Repeat("x", 1<<20) + `"}`
	signed := func(b string) map[string]string {
		return map[string]string{"X-Service-Signature": signature(b), "X-Service-Event": "PUBLICATION_CREATED"}
	}
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		want                     int
	}{
		{"signed", "POST", "/webhooks", body, signed(body), 204},
		{
			"signature in upper case", "POST", "/webhooks", body,
			map[string]string{"X-Service-Signature": strings.ToUpper(signature(body))},
			204,
		},
		{"without a signature", "POST", "/webhooks", body, nil, 401},
		{"forged", "POST", "/webhooks", body, signed(body + " "), 401},
		{"signature that is no hex", "POST", "/webhooks", body, map[string]string{"X-Service-Signature": "zz"}, 401},
		{
			"signature cut short", "POST", "/webhooks", body,
			map[string]string{"X-Service-Signature": signature(body)[:32]},
			401,
		},
		{"path token as signature", "POST", "/webhooks", body, map[string]string{"X-Service-Signature": pathToken}, 401},
		{"path token", "POST", "/webhooks/" + pathToken, body, nil, 204},
		{"wrong path token", "POST", "/webhooks/guess", body, nil, 404},
		{"empty path token", "POST", "/webhooks/", body, nil, 404},
		{"more path", "POST", "/webhooks/" + pathToken + "/x", body, nil, 404},
		{"another path", "POST", "/", body, nil, 404},
		{"admin's path", "GET", "/metrics", "", nil, 404},
		{"GET", "GET", "/webhooks", "", nil, 405},
		{"PUT at the token", "PUT", "/webhooks/" + pathToken, body, nil, 405},
		{"over a mebibyte", "POST", "/webhooks", big, signed(big), 413},
		{"over a mebibyte at the token", "POST", "/webhooks/" + pathToken, big, nil, 204},
		{"unknown event", "POST", "/webhooks", `{"data":{"order":{"id":"1"}}}`, signed(`{"data":{"order":{"id":"1"}}}`), 204},
		{"garbage", "POST", "/webhooks", "\x00{[", signed("\x00{["), 204},
		{"nothing", "POST", "/webhooks", "", signed(""), 204},
		{"garbage at the token", "POST", "/webhooks/" + pathToken, "\xff", nil, 204},
		{
			"ids of other shapes", "POST", "/webhooks", `{"data":{"publication":{"id":["a"]},"product":7}}`,
			signed(`{"data":{"publication":{"id":["a"]},"product":7}}`), 204,
		},
		{"deep nesting", "POST", "/webhooks", strings.Repeat("[", 200_000), signed(strings.Repeat("[", 200_000)), 204},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, answer := ask(t, tt.method, w.hooks+tt.path, tt.body, tt.header)
			if res.StatusCode != tt.want {
				t.Errorf("%s, want %d", res.Status, tt.want)
			}
			if tt.want == 405 && !strings.Contains(res.Header.Get("Allow"), "POST") {
				t.Errorf("405 without Allow: POST")
			}
			if strings.Contains(answer, pathToken) || strings.Contains(answer, hookSecret) {
				t.Errorf("the answer shows a secret: %s", answer)
			}
		})
	}
	// What was acknowledged without being understood is counted and logged.
	w.measures(`pubsync_webhooks_total{result="unreadable"}`)
	w.stop()
}

func TestNothingInAWebhookIsTrusted(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	s.shop.forget()
	w.hook("PUBLICATION_DELETED",
		`{"data":{"publication":{"id":"`+id+`","status":"failed","listing":{"title":"Evil","variants":[{"price":"0.01"}]}}}}`)
	eventually(t, 5*time.Second, "the content is read", func() bool { return s.contentReads()[id] == 2 })
	// One that the marketplace does not know leaves nothing behind.
	w.hook("PUBLICATION_CREATED", created("nobody"))
	time.Sleep(200 * time.Millisecond)
	w.settles(1)
	if n := len(s.shop.requests("")); n != 0 {
		t.Errorf("%d requests of the shop, though nothing changed at the supplier", n)
	}
	s.matches(id)
}

func TestTheWebhooksHeadersMayHaveAnotherPrefix(t *testing.T) {
	s := open(t, sandbox.Options{})
	w := s.work("WEBHOOK_HEADER_PREFIX", "X-Market")
	body := `{"data":{}}`
	for prefix, want := range map[string]int{
		"X-Market": http.StatusNoContent, "x-market": http.StatusNoContent,
		"X-Service": http.StatusUnauthorized,
	} {
		if res, _ := ask(t, "POST", w.hooks+"/webhooks", body,
			map[string]string{prefix + "-Signature": signature(body)}); res.StatusCode != want {
			t.Errorf("%s: %s, want %d", prefix, res.Status, want)
		}
	}
	w.stop()
}

func TestAListenerHasNoDoorThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	for name, pairs := range map[string][]string{
		"no secret":     {"WEBHOOK_SECRET", ""},
		"no path token": {"WEBHOOK_PATH_TOKEN", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			w := s.work(pairs...)
			body := `{"data":{}}`
			signed := w.hook("PUBLICATION_CREATED", body)
			empty, _ := ask(t, "POST", w.hooks+"/webhooks", body, map[string]string{"X-Service-Signature": ""})
			hinted := w.hint(body)
			want := []int{http.StatusNotFound, http.StatusNotFound, http.StatusNoContent}
			if name == "no path token" {
				want = []int{http.StatusNoContent, http.StatusUnauthorized, http.StatusNotFound}
			}
			if got := []int{signed, empty.StatusCode, hinted}; !slices.Equal(got, want) {
				t.Errorf("signed, without a signature, at the token: %v, want %v", got, want)
			}
			w.stop()
		})
	}
}
