package registration

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
)

func TestSameCallback(t *testing.T) {
	const ours = "https://hooks.shop.example/webhooks"
	for address, want := range map[string]bool{
		ours:                                  true,
		ours + "/":                            true,
		ours + "//":                           true,
		"HTTPS://Hooks.Shop.Example/webhooks": true,
		"https://hooks.shop.example.:443/webhooks": true,
		" https://hooks.shop.example/webhooks ":    true,
		"https://hooks.shop.example/webhooks#top":  true,
		"https://hooks.shop.example/Webhooks":      false,
		"https://hooks.shop.example:8443/webhooks": false,
		"http://hooks.shop.example/webhooks":       false,
		"https://hooks.shop.example/webhooks?a=b":  false,
		"https://hooks.shop.example/webhooks/a":    false,
		"https://hooks.shop.example":               false,
		"https://shop.example/webhooks":            false,
		"":                                         false,
		"/webhooks":                                false,
		"::":                                       false,
	} {
		if got := SameCallback(address, ours); got != want {
			t.Errorf("%q: %t, want %t", address, got, want)
		}
	}
	for one, other := range map[string]string{
		"http://shop.example": "http://SHOP.example:80/", "http://[::1]:80/a": "http://[::1]/a/",
	} {
		if !SameCallback(one, other) {
			t.Errorf("got %s and %s different, want them the same", one, other)
		}
	}
}

func TestJudgeRegistrations(t *testing.T) {
	const address = "https://hooks.shop.example/webhooks"
	hook := func(id, address string, active bool, events ...string) marketplace.Webhook {
		return marketplace.Webhook{ID: id, CallbackURL: address, Active: active, Events: events}
	}
	const created, updated, deleted = "PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"
	all := []string{created, updated, deleted}
	for _, tt := range []struct {
		name                       string
		hooks                      []marketplace.Webhook
		own                        string
		events                     []string
		kept, missing, superfluous []string
	}{
		{"none", nil, "", all, nil, all, nil},
		{"one for all", []marketplace.Webhook{hook("1", address, true, all...)}, "", all, []string{"1"}, nil, nil},
		{
			"another spelling of address and events",
			[]marketplace.Webhook{hook("1", "https://Hooks.shop.example:443/webhooks/", true, "PublicationCreated")},
			"",
			all[:1],
			[]string{"1"},
			nil, nil,
		},
		{"switched off", []marketplace.Webhook{hook("1", address, false, all...)}, "", all, nil, all, nil},
		{"another address", []marketplace.Webhook{hook("1", address+"/x", true, all...)}, "", all, nil, all, nil},
		{
			"another address, made by this worker",
			[]marketplace.Webhook{hook("1", "https://relay.example/17", true, all...)},
			"1", all,
			[]string{"1"},
			nil, nil,
		},
		{"other events", []marketplace.Webhook{hook("1", address, true, "ORDER_CREATED")}, "", all, nil, all, nil},
		{
			"another address, and no id",
			[]marketplace.Webhook{hook("", "https://relay.example/17", true, all...)},
			"", all,
			nil, all, nil,
		},
		{
			"some events",
			[]marketplace.Webhook{hook("1", address, true, created)},
			"", all,
			[]string{"1"},
			[]string{updated, deleted},
			nil,
		},
		{
			"together",
			[]marketplace.Webhook{hook("1", address, true, created), hook("2", address+"/", true, deleted, updated)},
			"", all,
			[]string{"2", "1"},
			nil, nil,
		},
		{
			"three alike",
			[]marketplace.Webhook{
				hook("1", address, true, created), hook("2", address+"/", true, created),
				hook("3", address, true, created),
			},
			"", all[:1],
			[]string{"1"},
			nil,
			[]string{"2", "3"},
		},
		{
			"a later one covers more",
			[]marketplace.Webhook{hook("1", address, true, created), hook("2", address, true, all...)},
			"", all,
			[]string{"2"},
			nil,
			[]string{"1"},
		},
		{
			"what is not wanted any more",
			[]marketplace.Webhook{hook("1", address, true, created), hook("2", address, true, updated)},
			"", all[:1],
			[]string{"1"},
			nil,
			[]string{"2"},
		},
		{
			"not wanted any more, beside another use",
			[]marketplace.Webhook{hook("2", address, true, updated, "ORDER_CREATED")},
			"", all[:1], nil, all[:1], nil,
		},
		{
			"one alike is switched off",
			[]marketplace.Webhook{hook("1", address, false, created), hook("2", address, true, created)},
			"", all[:1],
			[]string{"2"},
			nil, nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events := slices.Clone(tt.events)
			got := judge(tt.hooks, address, []made{{ID: tt.own}}, tt.events)
			if !slices.Equal(hookIDs(got.Kept), tt.kept) || !slices.Equal(got.Missing, tt.missing) ||
				!slices.Equal(hookIDs(got.Superfluous), tt.superfluous) {
				t.Errorf("%+v, want kept %v, missing %v, superfluous %v", got, tt.kept, tt.missing, tt.superfluous)
			}
			if !slices.Equal(events, tt.events) {
				t.Errorf("got the events asked for changed to %v, want %v", tt.events, events)
			}
		})
	}
}

func hookIDs(hooks []marketplace.Webhook) (ids []string) {
	for _, h := range hooks {
		ids = append(ids, h.ID)
	}
	return ids
}
