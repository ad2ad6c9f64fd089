package registration_test

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/registration"
)

const created, updated, deleted = "PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"

// shop is a marketplace with registrations: each an address and its events.
func shop(t *testing.T, o sandbox.Options, hooks [][]string) *marketplace.Client {
	t.Helper()
	box := sandbox.New(o)
	t.Cleanup(box.Close)
	market := marketplace.New(marketplace.Config{
		URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en"}, Transport: box.Transport(),
	})
	for _, h := range hooks {
		if _, err := market.RegisterWebhook(t.Context(), h[0], h[1:]); err != nil {
			t.Fatal(err)
		}
	}
	return market
}

func TestFind(t *testing.T) {
	const address = "https://hooks.shop.example/webhooks"
	all := []string{created, updated, deleted}
	for _, tt := range []struct {
		name             string
		o                sandbox.Options
		hooks            [][]string
		events           []string
		kept             int
		missing, unknown []string
		superfluous      int
	}{
		{"none", sandbox.Options{}, nil, all, 0, all, nil, 0},
		{"one for all", sandbox.Options{}, [][]string{{address, created, updated, deleted}}, all, 1, nil, nil, 0},
		{"switched off", sandbox.Options{CreatesInactive: true}, [][]string{{address, created}}, all, 0, all, nil, 0},
		{"another address", sandbox.Options{}, [][]string{{address + "/x", created}}, all, 0, all, nil, 0},
		{"other events", sandbox.Options{}, [][]string{{address, "ORDER_CREATED"}}, all, 0, all, nil, 0},
		{"some events", sandbox.Options{}, [][]string{{address, created}}, all, 1, all[1:], nil, 0},
		{
			"together",
			sandbox.Options{},
			[][]string{{address, created}, {address + "/", deleted, updated}},
			all, 2, nil, nil, 0,
		},
		{
			"three alike",
			sandbox.Options{},
			[][]string{{address, created}, {address + "/", created}, {address, created}},
			all[:1], 1, nil, nil, 2,
		},
		{
			"a later one covers more",
			sandbox.Options{},
			[][]string{{address, created}, {address, created, updated}},
			all[:2],
			1, nil, nil, 1,
		},
		{
			"an event that the marketplace does not know",
			sandbox.Options{Schema: enumEvents, Events: all[:2]},
			[][]string{{address, created}},
			all, 1, all[1:2], all[2:], 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := registration.Find(t.Context(), shop(t, tt.o, tt.hooks), address, tt.events)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Kept) != tt.kept || !slices.Equal(got.Missing, tt.missing) || !slices.Equal(got.Unknown, tt.unknown) ||
				len(got.Superfluous) != tt.superfluous {
				t.Errorf("got %+v, want %d kept, %v missing, %v unknown, %d superfluous", got, tt.kept, tt.missing, tt.unknown,
					tt.superfluous)
			}
		})
	}
}

// However the marketplace spells an address, it is the same one.
func TestFindSpellings(t *testing.T) {
	const ours = "https://hooks.shop.example/webhooks"
	for address, want := range map[string]int{
		ours + "/": 1, ours + "//": 1, "HTTPS://Hooks.Shop.Example/webhooks": 1,
		"https://hooks.shop.example.:443/webhooks": 1, ours + "#top": 1,
		"https://hooks.shop.example/Webhooks": 0, "https://hooks.shop.example:8443/webhooks": 0,
		"http://hooks.shop.example/webhooks": 0, ours + "?a=b": 0, ours + "/a": 0, "https://shop.example/webhooks": 0,
	} {
		got, err := registration.Find(t.Context(), shop(t, sandbox.Options{}, [][]string{{address, created}}), ours,
			[]string{created})
		if err != nil || len(got.Kept) != want {
			t.Errorf("%s: got %+v, %v, want %d kept", address, got, err, want)
		}
	}
}

// enumEvents has the schema type the events of webhooks as an enum.
var enumEvents = [][2]string{{"events: [String!]!", "events: [WebhookEvent!]!"}}
