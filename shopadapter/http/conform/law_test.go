package conform_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// run holds an endpoint to the laws; the results by the law.
func run(t *testing.T, e conform.Endpoint) map[string]conform.Result {
	t.Helper()
	results := map[string]conform.Result{}
	conform.Run(t.Context(), e, func(r conform.Result) { results[r.Law] = r })
	if len(results) != len(conform.Laws()) {
		t.Fatalf("results: got %d, want one for each of the %d laws", len(results), len(conform.Laws()))
	}
	return results
}

// expect holds results to this: the laws named are skipped, and all others hold.
func expect(t *testing.T, results map[string]conform.Result, skipped ...string) {
	t.Helper()
	for id, r := range results {
		want := conform.Held
		if slices.Contains(skipped, id) {
			want = conform.Skipped
		}
		if r.Outcome != want {
			t.Errorf("%s: got %s, %s\n%s\nwant %s", id, r.Outcome, r.Reason, conform.Transcript(r.Said), want)
		}
		if want == conform.Skipped && r.Reason == "" {
			t.Errorf("%s: got no reason for the skip, want one", id)
		}
	}
}

func TestAGoodShopKeepsTheLaws(t *testing.T) {
	t.Parallel()
	s := &shop{}
	expect(t, run(t, endpoint(serve(t, s)+"/")))
	if n := len(s.Products()); n > 0 {
		t.Errorf("products left behind: got %d, want 0", n)
	}
}

// What a shop leaves out of the protocol is skipped, and it is held to all else.
func TestAShopThatOffersLessIsHeldToTheRest(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole book, six times")
	}
	t.Parallel()
	const (
		restocks   = "restock restock-asks-whole restock-lost-answer restock-leaves-the-merchants"
		unobserved = " only-changed observed-as-written observed-some observed-idle observed-unedited"
		fewer      = " lister draft publish unpublish late-creation "
	)
	without := func(change func(*shoptest.Abilities)) *shop {
		can := everything
		change(&can)
		return &shop{Shop: shoptest.New(can)}
	}
	for name, tt := range map[string]struct {
		shop    *shop
		skipped string
	}{
		"no list":      {without(func(can *shoptest.Abilities) { can.Lists = false }), unobserved + fewer + restocks},
		"not observed": {without(func(can *shoptest.Abilities) { can.Observes = false }), unobserved},
		"no figures":   {without(func(can *shoptest.Abilities) { can.Figures = false }), restocks},
		"no drafts":    {without(func(can *shoptest.Abilities) { can.Drafts = false }), "draft"},
		"no ids of variants": {&shop{saboteur: saboteur{say: func(x *exchange) {
			if x.id != "" {
				delete(x.said, "variants")
				delete(x.said, "refused")
			}
		}}}, ""},
		"stores bodies whole": {&shop{saboteur: saboteur{ask: func(x *exchange) {
			if x.puts() && x.body["changed"] != nil {
				x.body["changed"] = []any{"price", "stock", "variants"}
			}
		}}}, "only-changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, run(t, endpoint(serve(t, tt.shop))), strings.Fields(tt.skipped)...)
		})
	}
}

// TestSaboteurs has a shop with one fault caught by the law that the fault breaks; others may break
// with it.
func TestSaboteurs(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	t.Parallel()
	caughtBy := map[string]bool{}
	for _, s := range saboteurs {
		broken := strings.Fields(s.laws)
		for _, id := range broken {
			caughtBy[id] = true
		}
		t.Run(s.does, func(t *testing.T) {
			t.Parallel()
			spoilt := &shop{saboteur: s}
			conform.RunSome(t.Context(), endpoint(serve(t, spoilt)), broken, func(r conform.Result) { caught(t, r) })
		})
	}
	for _, law := range conform.Laws() {
		if law.OfProtocol() && !caughtBy[law.ID] {
			t.Errorf("saboteurs of %s: got none, want one", law.ID)
		}
	}
}

// caught is a law that is broken, with what was sent and what came back, and without the token.
func caught(t *testing.T, r conform.Result) {
	t.Helper()
	if r.Outcome != conform.Broken {
		t.Errorf("%s: got %s, %s, want broken", r.Law, r.Outcome, r.Reason)
		return
	}
	t.Logf("%s: %s", r.Law, r.Reason)
	if !strings.HasPrefix(r.Reason, "step ") {
		t.Errorf("%s: got the reason %q, want one that begins with the step", r.Law, r.Reason)
	}
	told := func(e conform.Exchange) bool { return e.Request != "" && (e.Status != 0 || e.Answer != "") }
	if !slices.ContainsFunc(r.Said, told) {
		t.Errorf("%s: got %+v, want what was sent and what came back", r.Law, r.Said)
	}
	if strings.Contains(conform.Transcript(r.Said), token) {
		t.Errorf("%s: got the token in %+v, want it hidden", r.Law, r.Said)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	good := serve(t, &shop{})
	unwell := serve(t, &shop{saboteur: saboteur{ask: func(x *exchange) { x.answers(http.StatusServiceUnavailable) }}})
	for _, tt := range []struct {
		name, url, token, want string
	}{
		{"a good shop", good, token, ""},
		{"another token", good, "another", "PUBSYNC_HTTP_TOKEN"},
		{"nobody there", "http://127.0.0.1:1", token, "no answer"},
		{"not well", unwell, token, "503"},
		{"an address beside it", good + "/pubsync", token, "PUBSYNC_HTTP_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := conform.Ask(t.Context(), conform.Endpoint{URL: tt.url, Token: tt.token, Client: http.DefaultClient})
			if tt.want == "" && err != nil {
				t.Errorf("got %v, want nil", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
