package conform_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
)

// run holds a shop to the laws; the results by the law.
func run(t *testing.T, fault string) map[string]conform.Result {
	t.Helper()
	shop, address := serve(t, fault)
	results := map[string]conform.Result{}
	conform.Run(
		t.Context(),
		conform.Endpoint{URL: address, Token: token, Client: http.DefaultClient, DeleteByHand: shop.deleteByHand},
		func(r conform.Result) { results[r.Law] = r },
	)
	if len(results) != len(conform.Laws()) {
		t.Fatalf("%d results of %d laws", len(results), len(conform.Laws()))
	}
	return results
}

func TestAGoodShopKeepsTheLaws(t *testing.T) {
	t.Parallel()
	shop, address := serve(t, "")
	conform.Run(
		t.Context(),
		conform.Endpoint{URL: address + "/", Token: token, DeleteByHand: shop.deleteByHand},
		func(r conform.Result) {
			if r.Outcome != conform.Held {
				t.Errorf("%s: %s, %s %+v", r.Law, r.Outcome, r.Reason, r.Said)
			}
		},
	)
	shop.mu.Lock()
	defer shop.mu.Unlock()
	if len(shop.products) > 0 {
		t.Errorf("%d products are left behind", len(shop.products))
	}
}

func TestAShopWithoutAListIsHeldToTheRest(t *testing.T) {
	t.Parallel()
	for id, r := range run(t, "no-list") {
		want := conform.Held
		if id == "list-agrees" {
			want = conform.Skipped
		}
		if r.Outcome != want || want == conform.Skipped && r.Reason == "" {
			t.Errorf("%s: %s, %s", id, r.Outcome, r.Reason)
		}
	}
}

func TestAShopThatTakesNoFiguresIsHeldToTheRest(t *testing.T) {
	t.Parallel()
	for id, r := range run(t, "no-figures") {
		want := conform.Held
		if strings.HasPrefix(id, "figures") {
			want = conform.Skipped
		}
		if r.Outcome != want || want == conform.Skipped && r.Reason == "" {
			t.Errorf("%s: got %s, %s, want %s", id, r.Outcome, r.Reason, want)
		}
	}
}

func TestAShopNeedNotNameItsVariants(t *testing.T) {
	t.Parallel()
	for id, r := range run(t, "no-variants") {
		if r.Outcome != conform.Held {
			t.Errorf("%s: %s, %s", id, r.Outcome, r.Reason)
		}
	}
}

// A shop need not tell of deletions by hand, and without somebody who deletes the law says so.
func TestDeletionsByHandAreOptional(t *testing.T) {
	t.Parallel()
	if r := run(t, "no-410")["deleted-by-hand"]; r.Outcome != conform.Skipped ||
		!strings.Contains(r.Reason, "optional") {
		t.Errorf("a shop that makes it anew: %s, %s", r.Outcome, r.Reason)
	}
	_, address := serve(t, "")
	conform.Run(t.Context(), conform.Endpoint{URL: address, Token: token}, func(r conform.Result) {
		if skipped := r.Outcome == conform.Skipped; skipped != (r.Law == "deleted-by-hand") ||
			skipped && !strings.Contains(r.Reason, "--delete-by-hand") {
			t.Errorf("%s: %s, %s", r.Law, r.Outcome, r.Reason)
		}
	})
}

// TestSaboteurs has a shop with one fault caught by the law that the fault breaks; others may break
// with it.
func TestSaboteurs(t *testing.T) {
	t.Parallel()
	saboteurs := map[string][]string{ // law -> faults
		"health":       {"unwell", "bad-currency"},
		"token":        {"no-token", "token-prefix"},
		"put":          {"no-id", "relative-url", "some-variants", "one-variant-id"},
		"put-twice":    {"doubles", "doubles-quietly", "not-durable"},
		"last-wins":    {"first-wins", "keeps-variants", "doubles"},
		"whole-body":   {"changed-only"},
		"recreate":     {"recreate-doubles"},
		"delete":       {"deletes-all", "forgets,named"},
		"delete-twice": {"delete-unknown", "delete-twice"},
		"republish":    {"forgets-unpublished"},
		"deleted-by-hand": {
			"bare-410", "bare-404", "deleted-in-words", "refuses-the-deleted", "deleted-once", "stays-deleted", "recreated-once", "list-keeps-gone", "delete-of-gone",
		},
		"problem":       {"no-problem", "takes-anything", "crashes-on-nonsense"},
		"cut-off":       {"takes-half"},
		"text-is-data":  {"strict", "crashes-on-text"},
		"large":         {"crashes-on-size"},
		"hostile-ids":   {"ignores-case", "decodes-twice", "trims", "last-segment", "ignores-case,named"},
		"figures":       {"no-patch", "patch-moves"},
		"figures-whole": {"patch-makes", "patch-any"},
		"list-agrees":   {"unpublish-shows", "list-keeps-deleted", "list-without-end"},
		"parallel":      {"mixes-answers", "not-durable"},
		"overlap":       {"overlaps"},
	}
	for _, law := range conform.Laws() {
		if len(saboteurs[law.ID]) == 0 {
			t.Errorf("law %s has no saboteur", law.ID)
		}
		for _, fault := range saboteurs[law.ID] {
			t.Run(law.ID+"/"+fault, func(t *testing.T) {
				t.Parallel()
				r := run(t, fault)[law.ID]
				if r.Outcome != conform.Broken || r.Reason == "" || r.Sentence == "" {
					t.Fatalf("%s, %s", r.Outcome, r.Reason)
				}
				if len(r.Said) == 0 ||
					!slices.ContainsFunc(
						r.Said,
						func(e conform.Exchange) bool { return e.Request != "" && (e.Status != 0 || e.Answer != "") },
					) {
					t.Errorf("what was sent and what came back is not told: %+v", r.Said)
				}
				for _, e := range r.Said {
					if strings.Contains(e.Request+e.Body+e.Answer, token) {
						t.Errorf("the token is told: %+v", e)
					}
				}
			})
		}
	}
	for id := range saboteurs {
		if !slices.ContainsFunc(conform.Laws(), func(l conform.Law) bool { return l.ID == id }) {
			t.Errorf("%s is no law", id)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	_, good := serve(t, "")
	_, unwell := serve(t, "unwell")
	tests := []struct {
		name, url, token string
		fine             bool
	}{
		{"a good shop", good, token, true},
		{"another token", good, "another", false},
		{"nobody there", "http://127.0.0.1:1", token, false},
		{"not well, but there", unwell, token, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := conform.Ask(context.Background(), conform.Endpoint{URL: tt.url, Token: tt.token})
			if (err == nil) != tt.fine {
				t.Errorf("%v", err)
			}
		})
	}
}
