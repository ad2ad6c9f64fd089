package conform_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// endpoint is a shop as conform meets it, with somebody who deletes by hand and starts it anew.
func endpoint(s *shop, address string) conform.Endpoint {
	return conform.Endpoint{
		URL: address, Token: token, Client: client(), DeleteByHand: s.deleteByHand, Restart: s.restart,
	}
}

// client has connections of its own: a test server that closes ends the idle ones of the default.
func client() *http.Client { return &http.Client{Transport: &http.Transport{}} }

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

// unobserved are the laws that conform cannot show of an endpoint that is not observed.
func unobserved() []string {
	return []string{
		"observed-as-written", "observed-some", "observed-idle", "observed-cost",
		"list-observed", "observed-unedited", "details-shown", "details-unknown", "detail-lost-answer",
	}
}

// fewer are the laws that an endpoint without a list is not held to either.
func fewer() []string {
	return []string{
		"lister", "choice", "draft", "publish", "only-changed", "unpublish", "late-creation", "restock",
		"restock-asks-whole", "restock-lost-answer", "restock-leaves-the-merchants",
	}
}

// undetailed are the laws about brand and details, which an endpoint without a page does not show.
func undetailed(more ...string) []string {
	return append(more, "details-shown", "details-unknown", "detail-lost-answer")
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
	shop, address := serve(t, "")
	expect(t, run(t, endpoint(shop, address+"/")))
	shop.mu.Lock()
	defer shop.mu.Unlock()
	if n := len(shop.products); n > 0 {
		t.Errorf("products left behind: got %d, want 0", n)
	}
}

// What a shop leaves out of the protocol is skipped, and it is held to all else.
func TestAShopThatOffersLessIsHeldToTheRest(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole book, twelve times")
	}
	t.Parallel()
	for _, tt := range []struct {
		lacks   string
		skipped []string
	}{
		{",no-list", append(unobserved(), fewer()...)},
		{",no-list,no-page", append(unobserved(), fewer()...)},
		{",no-observed", append(unobserved(), "choice")},
		{",no-observed,no-page", append(unobserved(), "choice", "only-changed")},
		{",no-options", []string{"choice"}},
		{",no-edited", []string{"observed-unedited"}},
		{",no-page", undetailed()},
		{",no-details", undetailed()},
		{",no-figures", []string{
			"restock", "restock-asks-whole", "restock-lost-answer", "restock-leaves-the-merchants",
		}},
		{",no-drafts", []string{"draft"}},
		{",no-variants", nil},
		{",no-410", []string{"deleted-by-hand"}},
	} {
		t.Run(tt.lacks, func(t *testing.T) {
			t.Parallel()
			expect(t, run(t, endpoint(serve(t, tt.lacks))), tt.skipped...)
		})
	}
}

// Without somebody who deletes by hand, or starts the shop anew, the laws say what is needed.
func TestWhatNeedsAHandSaysSo(t *testing.T) {
	t.Parallel()
	_, address := serve(t, "")
	results := run(t, conform.Endpoint{URL: address, Token: token, Client: client()})
	expect(t, results, "deleted-by-hand", "restart-without-hint")
	for id, flag := range map[string]string{
		"deleted-by-hand": "--delete-by-hand", "restart-without-hint": "--restart",
	} {
		if reason := results[id].Reason; !strings.Contains(reason, flag) {
			t.Errorf("%s: got the reason %q, want one with %s", id, reason, flag)
		}
	}
}

// saboteurs are the faults of a shop that each law must catch.
func saboteurs() map[string][]string {
	return map[string][]string{
		"health": {"unwell", "bad-currency"},
		"token":  {"no-token", "token-prefix"},
		"publish": {
			"no-id", "relative-url", "some-variants", "one-variant-id", "not-durable", "rounds-prices",
			"keeps-nothing",
		},
		"idempotent":   {"doubles", "doubles-quietly", "not-durable", "keeps-nothing"},
		"last-wins":    {"first-wins", "doubles", "stock-once"},
		"only-changed": {"ignores-changed", "ignores-changed,no-page"},
		"restart-without-hint": {
			"forgets-at-restart",
			"forgets-at-restart,named",
			"renumbers-at-restart,no-list",
			"loses-figures-at-restart",
		},
		"variants": {"never-removes", "options-once"},
		"choice":   {"options-once", "price-of-the-first"},
		"hostile-ids": {
			"ignores-case",
			"decodes-twice",
			"trims",
			"last-segment",
			"ignores-case,named",
			"ignores-case,named,no-list",
		},
		"draft":           {"sells-drafts", "hides-as-draft"},
		"unpublish":       {"unpublish-shows", "list-keeps-deleted"},
		"unpublish-twice": {"delete-unknown", "delete-twice"},
		"republish":       {"forgets-unpublished"},
		"deleted-by-hand": {
			"bare-410", "bare-404", "deleted-in-words", "refuses-the-deleted", "deleted-once", "stays-deleted",
			"recreated-once", "list-keeps-gone", "delete-of-gone",
		},
		"lost-answer": {"doubles-quietly"},
		"credentials": {"no-token", "refuses-the-product-for-the-token"},
		"parallel":    {"mixes-answers", "not-durable"},
		"restock":     {"no-patch", "patch-moves", "patch-one", "patch-does-nothing", "patch-any", "ignores-changed"},

		"restock-asks-whole":           {"patch-any", "patch-makes"},
		"restock-lost-answer":          {"doubles-quietly"},
		"restock-leaves-the-merchants": {"patch-makes"},
		"detail-lost-answer":           {"details-once"},
		"late-creation":                {"doubles-quietly"},

		"put":          {"changed-only", "keeps-variants", "some-variants"},
		"delete":       {"deletes-all", "forgets,named", "delete-unknown", "delete-twice"},
		"problem":      {"no-problem", "takes-anything", "crashes-on-nonsense"},
		"cut-off":      {"takes-half", "takes-half,no-list"},
		"text-is-data": {"strict", "crashes-on-text"},
		"large":        {"crashes-on-size"},
		"overlap":      {"overlaps", "recreate-doubles"},

		"details-shown":   {"details-once", "details-stay"},
		"details-unknown": {"details-as-changed"},

		"observed-as-written": {"list-no-variants", "stock-once", "list-first-variant", "unpublish-shows"},
		"lister":              {"list-keeps-deleted", "list-twice", "unpublish-shows", "list-without-end"},
		"observed-some":       {"list-keeps-deleted", "list-without-the-one"},
		"observed-unedited":   {"calls-a-put-an-edit", "calls-all-edited"},
		"observed-idle":       {"list-sells"},
		"observed-cost":       {"list-one-a-page"},
		"list-observed":       {"list-no-images", "list-no-variants", "list-off-is-silent"},
	}
}

// TestSaboteurs has a shop with one fault caught by the law that the fault breaks; others may break
// with it.
func TestSaboteurs(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	t.Parallel()
	all := saboteurs()
	byFault := map[string][]string{}
	for _, law := range conform.Laws() {
		if len(all[law.ID]) == 0 {
			t.Errorf("saboteurs of %s: got none, want one", law.ID)
		}
		for _, fault := range all[law.ID] {
			byFault[fault] = append(byFault[fault], law.ID)
		}
	}
	for id := range all {
		if !slices.ContainsFunc(conform.Laws(), func(l laws.Law) bool { return l.ID == id }) {
			t.Errorf("saboteurs of %q: got some, want none, since it is no law", id)
		}
	}
	for fault, broken := range byFault {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			conform.RunSome(t.Context(), endpoint(serve(t, fault)), broken, func(r conform.Result) { caught(t, r) })
		})
	}
}

// caught is a law that is broken, with what was sent and what came back, and without the token.
func caught(t *testing.T, r conform.Result) {
	t.Helper()
	if r.Outcome != conform.Broken {
		t.Errorf("%s: got %s, %s, want broken", r.Law, r.Outcome, r.Reason)
		return
	}
	if !strings.HasPrefix(r.Reason, "step ") {
		t.Errorf("%s: got the reason %q, want one that begins with the step", r.Law, r.Reason)
	}
	told := func(e conform.Exchange) bool { return e.Request != "" && (e.Status != 0 || e.Answer != "") }
	if !slices.ContainsFunc(r.Said, told) {
		t.Errorf("%s: got %+v, want what was sent and what came back", r.Law, r.Said)
	}
	for _, e := range r.Said {
		if strings.Contains(e.Request+e.Body+e.Answer, token) {
			t.Errorf("%s: got the token in %+v, want it hidden", r.Law, e)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	_, good := serve(t, "")
	_, unwell := serve(t, "unwell")
	tests := []struct {
		name, url, token, want string
	}{
		{"a good shop", good, token, ""},
		{"another token", good, "another", "PUBSYNC_HTTP_TOKEN"},
		{"nobody there", "http://127.0.0.1:1", token, "no answer"},
		{"not well, but there", unwell, token, ""},
		{"an address beside it", good + "/pubsync", token, "PUBSYNC_HTTP_URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := conform.Ask(context.Background(), conform.Endpoint{URL: tt.url, Token: tt.token})
			if tt.want == "" && err != nil {
				t.Errorf("got %v, want nil", err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
