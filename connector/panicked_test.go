package connector_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/probe"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// touchy is a way to the marketplace that panics over the first requests that say something.
type touchy struct {
	http.RoundTripper
	over  string
	times *atomic.Int64
}

func (o touchy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), o.over) && o.times.Add(-1) >= 0 {
		panic("panic over " + o.over)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return o.RoundTripper.RoundTrip(r)
}

// A panic anywhere on the way to the marketplace is met like any other error: said, counted, tried
// again.
func TestPanicOnTheWayToTheMarketplace(t *testing.T) {
	for name, over := range map[string]string{
		"the probe": "__schema", "a page of the list": "query List", "content": "query Content", "the look before a " +
			"report": "query Look",
		"a report": "mutation Report", "the registration": "webhookCreate",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				ids := b.Market.AddSound(5)
				times := &atomic.Int64{}
				times.Store(3)
				b.Tune = func(o *connector.Options) {
					o.Webhook.URL = "https://hooks.shop.example/webhooks"
					o.Marketplace = marketplace.New(marketplace.Config{
						URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: o.Rules.Languages,
						Transport: touchy{b.Market.Transport(), over, times},
					})
				}
				harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
					time.Sleep(5 * time.Minute)
					if left := times.Load(); left >= 0 {
						t.Errorf("%d panics were left over", left)
					}
					s, err := harness.Status(c)
					if err != nil || s.LastError == nil || !strings.Contains(s.LastError.Message, "panic over "+over) {
						t.Errorf("the last error is %+v, %v", s.LastError, err)
					}
					return 0
				})
				for _, id := range ids {
					if p, _ := b.Market.Publication(id); p.Status != string(store.StatusSuccess) ||
						b.State(id) != store.StateLive {
						t.Errorf(
							"%s is %s, and the marketplace holds %s, want Status %v and state %v",
							id,
							b.State(id),
							p.Status,
							string(store.StatusSuccess),
							store.StateLive,
						)
					}
				}
				if len(b.Market.Webhooks()) != 1 {
					t.Error("the webhook is not registered")
				}
			})
		})
	}
}

// A nervousShop panics when it is checked.
type nervousShop struct {
	*harness.Shop
	times *atomic.Int64
}

func (s nervousShop) Check(ctx context.Context) error {
	if s.times.Add(-1) >= 0 {
		panic("cannot check this")
	}
	return s.Shop.Check(ctx)
}

func TestPanicOfTheShopsCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(2)
		shop := nervousShop{b.Shop, &atomic.Int64{}}
		shop.times.Store(2)
		b.Tune = func(o *connector.Options) { o.Shop = shop }
		c := b.Connector()
		harness.Working(t, c, func(*connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			return 0
		})
		shop.times.Store(1) // the worker has checked until it passed
		p := probe.New(probe.Options{
			Shop: func() shopadapter.Adapter { return shop }, Breaker: b.Breaker(breaker.Shop), Health: b.Health(),
			Waiters: &breaker.Waiters{}, Store: b.Store, Log: slog.New(slog.DiscardHandler), Due: breaker.NewSignal(),
		})
		if err := p.Check(t.Context()); err == nil || err.Error() != "internal error: cannot check this" {
			t.Errorf("the check ended with %v", err)
		}
		for _, id := range ids {
			if b.State(id) != store.StateLive {
				t.Errorf("%s is %s, want %v", id, b.State(id), store.StateLive)
			}
		}
	})
}

// nervousLog panics over one phrase.
type nervousLog struct {
	slog.Handler
	over string
}

func (l nervousLog) Enabled(context.Context, slog.Level) bool { return true }

func (l nervousLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == l.over {
		panic("cannot log this")
	}
	return nil
}

// A request over which a handler panics is the only one that is lost.
func TestPanicBehindADoor(t *testing.T) {
	b := harness.New(t, sandbox.Options{})
	b.Tune = func(o *connector.Options) {
		o.Logger = slog.New(nervousLog{slog.DiscardHandler, "webhook names nothing"})
		o.Admin.Pages = map[string]http.Handler{
			"/panic": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("cannot show this") }),
		}
	}
	var l connector.Listeners
	var err error
	if l.Webhook, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if l.Admin, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	c := b.Connector()
	go func() { done <- c.Run(ctx, l) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	hooks, admin := "http://"+l.Webhook.Addr().String()+"/webhooks", "http://"+l.Admin.Addr().String()
	post := func(body string) (*http.Response, error) {
		r := delivery.Of("POST", "/webhooks", body, "secret", "")
		req, err := http.NewRequestWithContext(t.Context(), r.Method, hooks, r.Body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = r.Header
		return http.DefaultClient.Do(req)
	}
	if res, err := post(`{"data":{}}`); err == nil { // only the first of a minute is warned of
		t.Errorf("a webhook that panics is answered with %s", res.Status)
		_ = res.Body.Close() //nolint:errcheck // the test has failed
	}
	for range 3 {
		if res, err := http.Get(admin + "/panic"); err == nil {
			t.Errorf("a page that panics is answered with %s", res.Status)
			_ = res.Body.Close() //nolint:errcheck // the test has failed
		}
	}
	res, err := post(harness.HookBody)
	if err != nil || res.StatusCode != http.StatusNoContent {
		t.Fatalf("a webhook after those: got %v, %v, want no error and StatusCode %v", res, err, http.StatusNoContent)
	}
	_ = res.Body.Close() //nolint:errcheck // it has none
	if res, err = http.Get(admin + "/api/v1/status"); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status after those: got %v, %v, want no error and StatusCode %v", res, err, http.StatusOK)
	}
	_ = res.Body.Close() //nolint:errcheck // its status counts
}
