package marketplace_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

var everyPart = []marketplace.Part{marketplace.PartAccount, marketplace.PartChannels, marketplace.PartCategories}

// TestDirectory reads every part from a server of each habit, at next to no cost.
func TestDirectory(t *testing.T) {
	t.Parallel()
	categories := []marketplace.Part{marketplace.PartCategories}
	for _, tt := range []struct {
		name    string
		options sandbox.Options
		refused []marketplace.Part
	}{
		{name: "as specified"},
		{name: "every scalar costs", options: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true}},
		{name: "without introspection", options: sandbox.Options{NoIntrospection: true}},
		{
			name: "without categories", options: sandbox.Options{Lacks: []string{"Query.categories"}}, refused: categories,
		},
		{
			name:    "without categories or introspection",
			options: sandbox.Options{Lacks: []string{"Query.categories"}, NoIntrospection: true}, refused: categories,
		},
		{
			name: "and with HTTP 400", options: sandbox.Options{
				Lacks: []string{"Query.categories"}, NoIntrospection: true, RequestErrorStatus: 400,
			},
			refused: categories,
		},
		{
			name: "the token may not read categories", options: sandbox.Options{Denied: []string{"categories"}},
			refused: categories,
		},
		{
			name: "nor channels", options: sandbox.Options{Denied: []string{"channels", "categories"}},
			refused: []marketplace.Part{marketplace.PartChannels, marketplace.PartCategories},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := sandbox.Start(tt.options)
			t.Cleanup(server.Close)
			c := marketplace.New(
				marketplace.Config{URL: server.URL, Token: sandbox.DefaultToken, Languages: []string{"nl", "en"}},
			)
			t.Cleanup(func() { c.Close() })
			if _, err := c.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			server.Forget()
			d, err := c.Directory(t.Context(), "nl", everyPart...)
			if err != nil {
				t.Fatal(err)
			}
			cost := 0
			for _, r := range server.Requests() {
				cost += r.ActualCost
			}
			if n := len(server.Requests()); n != len(everyPart) || cost > 200 {
				t.Errorf("%d requests for %d points, want 3 for 200 at most", n, cost)
			}
			for _, p := range everyPart {
				refused, read := slices.Contains(tt.refused, p), slices.Contains(d.Read, p)
				if (d.Refused[p] != nil) != refused || read == refused {
					t.Errorf("%s: read %t, refused: %v", p, read, d.Refused[p])
				}
			}
			if want := (marketplace.Holder{
				Name: "Sandbox retailer", Type: "RETAILER", Slug: "sandbox-retailer",
			}); d.Account != want {
				t.Errorf("account %+v, want %+v", d.Account, want)
			}
			if !slices.Contains(tt.refused, marketplace.PartChannels) &&
				(len(d.Channels) != 1 || d.Channels[0].URL != "https://shop.example") {
				t.Errorf("channels %+v", d.Channels)
			}
			if len(tt.refused) > 0 {
				return
			}
			i := slices.IndexFunc(
				d.Categories, func(n marketplace.CategoryNode) bool { return n.Path == "GARDEN_TOOLS_HAND" },
			)
			want := marketplace.CategoryNode{
				Path:   "GARDEN_TOOLS_HAND",
				Parent: "GARDEN_TOOLS",
				Depth:  2,
				Name:   "Handgereedschap",
			}
			if i < 0 || cmp.Diff(want, d.Categories[i]) != "" {
				t.Errorf("category %d of %+v, want %+v", i, d.Categories, want)
			}
		})
	}
}

// TestDirectoryInTrouble keeps the trouble of a moment apart from a refusal: nothing is said to be
// refused that an hour mends.
func TestDirectoryInTrouble(t *testing.T) {
	t.Parallel()
	for _, kind := range []sandbox.FaultKind{
		sandbox.ServerError, sandbox.Cut, sandbox.Unauthorized, sandbox.InternalError,
	} {
		server := sandbox.Start(sandbox.Options{})
		t.Cleanup(server.Close)
		c := marketplace.New(
			marketplace.Config{URL: server.URL, Token: sandbox.DefaultToken, Languages: []string{"en"}},
		)
		t.Cleanup(func() { c.Close() })
		if _, err := c.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		server.Forget()
		server.Inject(sandbox.Fault{Kind: kind, Next: 1})
		d, err := c.Directory(t.Context(), "en", everyPart...)
		if err == nil || len(d.Refused) > 0 {
			t.Errorf("%s: error %v, refused %v", kind, err, d.Refused)
		}
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%s: %d requests, want 1", kind, n)
		}
	}
}
