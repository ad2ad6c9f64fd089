package registration

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// However the marketplace spells an address, it is the same one.
func TestSameCallback(t *testing.T) {
	const ours = "https://hooks.shop.example/webhooks"
	for address, want := range map[string]bool{
		ours + "/": true, ours + "//": true, "HTTPS://Hooks.Shop.Example/webhooks": true,
		"https://hooks.shop.example.:443/webhooks": true, ours + "#top": true,
		"https://hooks.shop.example/Webhooks": false, "https://hooks.shop.example:8443/webhooks": false,
		"http://hooks.shop.example/webhooks": false, ours + "?a=b": false, ours + "/a": false,
		"https://shop.example/webhooks": false,
	} {
		if got := sameCallback(address, ours); got != want {
			t.Errorf("%s: got %t, want %t", address, got, want)
		}
	}
}

// A board is a marketplace's registrations. What it makes is switched off where off is set.
type board struct {
	hooks []marketplace.Webhook
	off   bool
}

func (b *board) add(active bool, address string, events ...string) {
	b.hooks = append(b.hooks, marketplace.Webhook{
		ID: "w" + strconv.Itoa(len(b.hooks)), Active: active, CallbackURL: address, Events: events,
	})
}

func (b *board) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct {
		OperationName string
		Variables     struct {
			In struct {
				CallbackURL string
				Events      []string
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	data := map[string]any{"webhooks": map[string]any{"nodes": b.hooks, "pageInfo": map[string]any{"hasNextPage": false}}}
	if in.OperationName == "RegisterWebhook" {
		b.add(!b.off, in.Variables.In.CallbackURL, in.Variables.In.Events...)
		data = map[string]any{"webhookCreate": map[string]any{"webhook": b.hooks[len(b.hooks)-1]}}
	}
	body, err := json.Marshal(map[string]any{"data": data})
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(body))), Request: r,
	}, err
}

// A registration that is not active counts as ours only while it was never seen active.
func TestARegistrationThatIsNotActive(t *testing.T) {
	const address = "https://hooks.shop.example/webhooks"
	events := []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"}
	for _, tt := range []struct {
		name   string
		off    bool                               // the first is made so
		then   func(b *board, check func() error) // before the last check
		hooks  int
		active bool
	}{
		{"never switched on", true, func(*board, func() error) {}, 1, false},
		{"switched off", false, func(b *board, _ func() error) { b.hooks[0].Active = false }, 2, true},
		{"switched on and off", true, func(b *board, check func() error) {
			b.hooks[0].Active = true
			if err := check(); err != nil {
				t.Error(err)
			}
			b.hooks[0].Active, b.off = false, false
		}, 2, true},
		{"says no events", true, func(b *board, _ func() error) { b.hooks[0].Events = nil }, 1, false},
		{"beside an active one", true, func(b *board, _ func() error) { b.add(true, address, events...) }, 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &board{off: tt.off}
				k := New(Options{
					URL: address, Events: events, Engine: engine.New(engine.Options{}),
					Market: marketplace.New(marketplace.Config{URL: "http://marketplace.example", Token: "t", Transport: b}),
				})
				check := func() error { return k.check(t.Context()) }
				if err := check(); (err != nil) != tt.off {
					t.Fatalf("first check: %v", err)
				}
				tt.then(b, check)
				if err := check(); len(b.hooks) != tt.hooks || (err == nil) != tt.active {
					t.Errorf("got %v and %+v, want %d registrations, active %t", err, b.hooks, tt.hooks, tt.active)
				}
			})
		})
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
