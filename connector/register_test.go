package connector

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/registration"
)

const hookAddress = "https://hooks.shop.example/webhooks"

// runFor runs a worker for a span, with its webhook registered every hour, and returns what its status says of it at the end.
func (b *bench) runFor(span time.Duration) registration.Status {
	b.t.Helper()
	b.tune = func(o *Options) {
		o.Webhook.URL, o.Sweep, o.Resync = hookAddress, cron.Every(10*time.Minute), cron.Every(time.Hour)
	}
	c := b.connector()
	ctx, stop := context.WithCancel(b.t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, Listeners{}) }()
	time.Sleep(span)
	stop()
	if err := <-done; err != nil {
		b.t.Error(err)
	}
	return c.market.registration.Status()
}

// However the marketplace shows the address, or whatever becomes of its answers, hours and a restart leave one registration.
func TestOneRegistrationAnAddress(t *testing.T) {
	for _, tt := range []struct {
		name   string
		o      sandbox.Options
		before func(*bench)
	}{
		{"shown as it was sent", sandbox.Options{}, func(*bench) {}},
		{"shown with a slash", sandbox.Options{KeepCallback: func(a string) string { return a + "/" }}, func(*bench) {}},
		{"shown as one of its own", sandbox.Options{KeepCallback: func(string) string { return "https://relay.market.example/17" }}, func(*bench) {}},
		{"events of an enum", sandbox.Options{EnumEvents: true}, func(*bench) {}},
		{"the answer to the registration is lost", sandbox.Options{Faults: []sandbox.Fault{
			{Kind: sandbox.Cut, Next: 1, On: []sandbox.Kind{sandbox.KindWebhookCreate}, Executed: true},
		}}, func(*bench) {}},
		{"one is there, behind two pages of others", sandbox.Options{}, func(b *bench) {
			client := b.options().Marketplace
			for i := range 41 {
				if _, err := client.RegisterWebhook(b.t.Context(), fmt.Sprintf("https://others.example/%d", i), []string{"ORDER_CREATED"}); err != nil {
					b.t.Fatal(err)
				}
			}
			if _, err := client.RegisterWebhook(b.t.Context(), "https://Hooks.Shop.example:443/webhooks/", []string{"PUBLICATION_CREATED"}); err != nil {
				b.t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := newBench(t, tt.o)
				b.box.AddSound(1)
				tt.before(b)
				for range 2 {
					if r := b.runFor(3 * time.Hour); !r.Active || r.ID == "" || r.Error != "" {
						t.Errorf("status says %+v", r)
					}
				}
				ours := 0
				for _, h := range b.box.Webhooks() {
					if !strings.Contains(h.CallbackURL, "others") {
						ours++
					}
				}
				if ours != 1 {
					t.Errorf("%d registrations: %+v", ours, b.box.Webhooks())
				}
			})
		})
	}
}

// One that is gone is made again, also when it was recognised by its id.
func TestARegistrationThatIsGoneIsMadeAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{KeepCallback: func(a string) string { return a + "/" }})
		first := b.runFor(time.Hour)
		b.box.DeleteWebhook(first.ID)
		second := b.runFor(time.Hour)
		if len(b.box.Webhooks()) != 1 || second.ID == first.ID || !second.Active {
			t.Errorf("%+v, then %+v, of %+v", first, second, b.box.Webhooks())
		}
	})
}

// A registration that the marketplace makes and does not switch on is told of, and not made again and again.
func TestARegistrationThatIsNotSwitchedOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{CreatesInactive: true})
		for range 2 {
			if r := b.runFor(3 * time.Hour); r.Active || !strings.Contains(r.Error, "switch it on") {
				t.Errorf("status says %+v", r)
			}
		}
		if n := len(b.box.Webhooks()); n != 1 {
			t.Errorf("%d registrations", n)
		}
	})
}

// A second registration of the address for the same event is named, and left to a person to remove.
func TestASecondRegistrationIsNamed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		for _, address := range []string{hookAddress, hookAddress + "/"} {
			if _, err := b.options().Marketplace.RegisterWebhook(t.Context(), address, []string{"PUBLICATION_CREATED"}); err != nil {
				t.Fatal(err)
			}
		}
		if r := b.runFor(time.Minute); len(r.Superfluous) != 1 || !r.Active {
			t.Errorf("status says %+v of %+v", r, b.box.Webhooks())
		}
	})
}
