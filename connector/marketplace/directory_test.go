package marketplace_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestDirectory reads account and categories from a server of each habit, at next to no
// cost.
func TestDirectory(t *testing.T) {
	t.Parallel()
	lacks := []string{"Query.categories"}
	for name, tt := range map[string]struct {
		o          sandbox.Options
		categories bool // refused
	}{
		"as specified":                      {},
		"without categories":                {o: sandbox.Options{Lacks: lacks}, categories: true},
		"neither they nor introspection":    {o: sandbox.Options{Lacks: lacks, NoIntrospection: true}, categories: true},
		"the token may not read categories": {o: sandbox.Options{Denied: []string{"categories"}}, categories: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, c := open(t, tt.o, 0)
			if _, err := c.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			server.Forget()
			if account, err := c.Account(t.Context()); err != nil || account != "sandbox-retailer" {
				t.Errorf("account %q, %v, want sandbox-retailer", account, err)
			}
			nodes, err := c.Categories(t.Context(), "nl")
			if marketplace.IsRefusal(err) != tt.categories || (err != nil) != tt.categories {
				t.Errorf("categories: %v, refused: want %t", err, tt.categories)
			}
			cost := 0
			for _, r := range server.Requests() {
				cost += r.ActualCost
			}
			if n := len(server.Requests()); n != 2 || cost > 200 {
				t.Errorf("%d requests for %d points, want 2 for 200 at most", n, cost)
			}
			node := marketplace.CategoryNode{
				Path: "GARDEN_TOOLS_HAND", Parent: "GARDEN_TOOLS", Depth: 2, Name: "Handgereedschap",
			}
			if err == nil && !slices.Contains(nodes, node) {
				t.Errorf("got categories %s", cmp.Diff([]marketplace.CategoryNode{node}, nodes))
			}
		})
	}
}
