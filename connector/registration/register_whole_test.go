package registration_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const hookAddress = "https://hooks.shop.example/webhooks"

// runFor runs a worker for a span, with its webhook registered every hour, and returns what its
// status says of it at the end.
func runFor(b *harness.Bench, span time.Duration, through ...http.RoundTripper) desk.Registration {
	b.T.Helper()
	b.Tune = func(o *connector.Options) {
		o.WebhookURL = hookAddress
		o.Sweep, o.Resync = cron.Every(10*time.Minute), cron.Every(time.Hour)
		for _, market := range through {
			o.Marketplace = harness.Client(market)
		}
	}
	c := b.Connector()
	ctx, stop := context.WithCancel(b.T.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, &connector.Listeners{}) }()
	time.Sleep(span)
	stop()
	if err := <-done; err != nil {
		b.T.Error(err)
	}
	s, err := c.Desk().Status(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	return s.Webhook
}

// However the marketplace shows the address, or whatever becomes of its answers, hours and a
// restart leave one registration; one that is shown at another address is known until a restart.
func TestOneRegistrationAnAddress(t *testing.T) {
	for _, tt := range []struct {
		name   string
		o      sandbox.Options
		runs   int
		before func(*harness.Bench)
	}{
		{
			"shown with a slash",
			sandbox.Options{KeepCallback: func(a string) string { return a + "/" }},
			2, func(*harness.Bench) {},
		},
		{
			"shown as one of its own",
			sandbox.Options{KeepCallback: func(string) string { return "https://relay.market.example/17" }},
			1, func(*harness.Bench) {},
		},
		{"events of an enum", sandbox.Options{Schema: enumEvents}, 2, func(*harness.Bench) {}},
		{"one is there, behind a page of others", sandbox.Options{}, 2, func(b *harness.Bench) {
			client := b.Options().Marketplace
			for i := range 101 {
				if _, err := client.RegisterWebhook(b.T.Context(), fmt.Sprintf("https://others.example/%d", i),
					[]string{"ORDER_CREATED"}); err != nil {
					b.T.Fatal(err)
				}
			}
			if _, err := client.RegisterWebhook(b.T.Context(), "https://Hooks.Shop.example:443/webhooks/",
				harness.DefaultEvents()); err != nil {
				b.T.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, tt.o)
				b.Market.AddSound(1)
				tt.before(b)
				for range tt.runs {
					if r := runFor(b, 3*time.Hour); !r.Active || r.ID == "" || r.Error != "" {
						t.Errorf("status says %+v, want it active, with an id and no error", r)
					}
				}
				ours := 0
				for _, h := range b.Market.Webhooks() {
					if !strings.Contains(h.CallbackURL, "others") {
						ours++
					}
				}
				if ours != 1 {
					t.Errorf("%d registrations: %+v, want 1", ours, b.Market.Webhooks())
				}
			})
		})
	}
}

// Events that the marketplace does not know keep no other from being registered, and it is not
// asked for them again and again.
func TestEventsThatTheMarketplaceDoesNotKnowAreLeftOut(t *testing.T) {
	known := harness.DefaultEvents()[:2]
	for name, o := range map[string]sandbox.Options{
		"an enum":                       {Events: known, Schema: enumEvents},
		"an enum that cannot be read":   {Events: known, Schema: enumEvents, NoIntrospection: true},
		"named in the refusal":          {Events: known},
		"none but that of publications": {Events: known[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, o)
				for range 2 {
					r := runFor(b, 3*time.Hour)
					left := harness.DefaultEvents()[len(o.Events):]
					if !r.Active || r.Error != "" {
						t.Errorf("status says %+v, want it active without an error", r)
					}
					if !slices.Equal(r.Unknown, left) {
						t.Errorf("status says that %v are unknown, want %v", r.Unknown, left)
					}
					if !slices.Equal(r.Events, o.Events) {
						t.Errorf("status says that it is registered for %v, want %v", r.Events, o.Events)
					}
				}
				var events []string
				for _, h := range b.Market.Webhooks() {
					events = append(events, h.Events...)
				}
				if !slices.Equal(events, o.Events) {
					t.Errorf("registered for %v, want %v: %+v", events, o.Events, b.Market.Webhooks())
				}
				if tries := len(b.Market.Requests(sandbox.KindWebhookCreate)); tries > 8 { // six hours and a restart
					t.Errorf("%d tries to register, want at most 8", tries)
				}
			})
		})
	}
}

// An event that was refused once is asked for again after a day.
func TestAnEventThatIsKnownLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Events = []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"}
		if _, err := b.Options().Marketplace.RegisterWebhook(t.Context(), hookAddress, b.Events[:1]); err != nil {
			t.Fatal(err)
		}
		b.Market.Inject(sandbox.Fault{
			Kind: sandbox.Objection, Message: "Validation failed", On: []sandbox.Kind{sandbox.KindWebhookCreate}, Next: 1,
		})
		if r := runFor(b, 26*time.Hour); !slices.Equal(r.Events, b.Events) || len(r.Unknown) > 0 {
			t.Errorf("a day later: %+v, want it registered for both events", r)
		}
	})
}

// enumEvents has the schema type the events of webhooks as an enum.
var enumEvents = [][2]string{{"events: [String!]!", "events: [WebhookEvent!]!"}}

// A webhook that cannot be registered keeps no import waiting: neither a denial nor an answer that is lost, with
// the points of its request, before the first look.
func TestAFailingRegistrationDelaysNothing(t *testing.T) {
	for _, denied := range [][]string{{"webhooks"}, nil} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{Denied: denied, ScalarCost: 1})
			b.Market.AddSound(1)
			b.Market.Inject(sandbox.Fault{Kind: sandbox.Slow, Delay: 200 * time.Millisecond, Probability: 1})
			if denied == nil {
				b.Market.Inject(sandbox.Fault{
					Kind: sandbox.Cut, Executed: true, Probability: 1, On: []sandbox.Kind{sandbox.KindWebhooks},
				})
			}
			if r := runFor(b, 5*time.Second); r.Error == "" || len(b.Market.Reports()) != 1 {
				t.Errorf("got %d reports, status %+v, want 1 and an error", len(b.Market.Reports()), r)
			}
		})
	}
}

// A Retry-After on the registration's own requests is obeyed, as far as that of any other: the marketplace's 50
// minutes count as 15.
func TestARegistrationObeysRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		market := &busy{RoundTripper: b.Market.Transport()}
		if r := runFor(b, time.Hour, market); r.Error == "" || market.asked > 5 {
			t.Errorf("got %d requests in an hour, status %+v, want at most 5 and an error", market.asked, r)
		}
	})
}

// busy is a marketplace that has no time for its list of webhooks.
type busy struct {
	http.RoundTripper
	asked int
}

func (l *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte("query Webhooks")) {
		l.asked++
		return &http.Response{
			StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"3000"}}, Body: http.NoBody,
			Request: r,
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return l.RoundTripper.RoundTrip(r)
}
