package registration

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// A clerk registers webhooks for the events that it knows, and refuses others in its words. It has no
// answer to the request of a number.
type clerk struct {
	knows      []string
	says       string
	down       int
	requests   int
	registered []string
}

func (c *clerk) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct {
		OperationName string
		Variables     struct{ In struct{ Events []string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	status, body := http.StatusOK, `{"data":{"webhooks":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}`
	if in.OperationName == "RegisterWebhook" {
		c.requests++
		switch events := in.Variables.In.Events; {
		case c.requests == c.down:
			status = http.StatusServiceUnavailable
		case len(without(events, c.knows)) == 0:
			c.registered = append(c.registered, events...)
			body = `{"data":{"webhookCreate":{"webhook":{"id":"w","active":true}}}}`
		default:
			body = `{"data":{"webhookCreate":{"userErrors":[{"field":["events"],"message":"` + c.says + `"}]}}}`
		}
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// An event that the marketplace does not know keeps no other from being registered, whatever the
// refusal names, and only one that was refused by itself is unknown.
func TestEventsThatAreRefused(t *testing.T) {
	const created, updated, deleted = "PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"
	for _, tt := range []struct {
		name                string
		c                   clerk
		events              []string
		registered, unknown []string
		fails               bool
	}{
		{
			"names a known and another",
			clerk{knows: []string{created}, says: "must be one of " + created + ", ORDER_CREATED"},
			[]string{created, updated},
			[]string{created},
			[]string{updated},
			false,
		},
		{
			"names two known",
			clerk{knows: []string{created, updated}, says: "must be one of " + created + ", " + updated},
			[]string{created, updated, deleted},
			[]string{created, updated},
			[]string{deleted},
			false,
		},
		{
			"names none",
			clerk{knows: []string{created}, says: "is invalid"},
			[]string{"FOO", created},
			[]string{created},
			[]string{"FOO"},
			false,
		},
		{
			"a transient error",
			clerk{knows: []string{created, updated}, says: "has an unknown name", down: 3},
			[]string{created, updated, deleted},
			[]string{created},
			nil, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &tt.c
				k := New(Options{
					URL:    "https://hooks.shop.example/webhooks",
					Market: marketplace.New(marketplace.Config{URL: "http://marketplace.example", Token: "t", Transport: c}),
				})
				f, err := Find(t.Context(), k.o.Market, k.o.URL, tt.events)
				if err == nil {
					err = k.ensure(t.Context(), &f)
				}
				if (err != nil) != tt.fails || !slices.Equal(c.registered, tt.registered) || !slices.Equal(f.Unknown, tt.unknown) {
					t.Errorf("got %v registered, %v unknown, %v, want %v, %v", c.registered, f.Unknown, err, tt.registered, tt.unknown)
				}
			})
		})
	}
}

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
					URL: address, Events: events, Log: slog.New(slog.DiscardHandler), AskSweep: func() {},
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
