// What cron starts prints nothing while all is well, fails only for what the caller names, and tells
// who is to be told why a run ended early.

package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestAQuietRunPrintsOnlyWhenItFails(t *testing.T) {
	unraced(t)
	const chatSecret = "T0K3N-of-the-chat"
	told := make(chan string, 9)
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var doc struct{ Text, Content string }
		if err := json.NewDecoder(r.Body).Decode(&doc); err != nil || doc.Text != doc.Content ||
			!strings.Contains(r.URL.Path, chatSecret) {
			t.Errorf("got %v and %+v at %s, want a document with a text and a content", err, doc, r.URL.Path)
		}
		told <- doc.Text
	}))
	defer chat.Close()
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	cron := func(what, failOn string, code int, says ...string) {
		t.Helper()
		r := s.ends(code, "run", "--once", "--quiet", "--fail-on", failOn, "--patience", "3s")
		if silent := r.stdout+r.stderr == ""; silent != (code == 0) {
			t.Errorf("%s: got %q and %q at exit %d, want nothing at exit 0 alone", what, r.stdout, r.stderr, code)
		}
		for _, say := range says {
			if !strings.Contains(r.stdout, say) {
				t.Errorf("%s: got %q, want %q in it", what, r.stdout, say)
			}
		}
		if strings.Contains(r.stdout+r.stderr, chatSecret) {
			t.Errorf("%s: the secret of the chat is shown", what)
		}
	}
	const all = "rejected,blocked,held,pending,refused"
	cron("all well", all, 0)
	s.shop.rules(only(ids[0], problem(422, "no")))
	s.market.Update(ids[0], func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another lamp"} })
	cron("one rejected", all, 1, "rejected 1", ids[0], "Another lamp", "no")
	cron("one rejected, others were named", "blocked,held,pending,refused", 0)
	if r := s.call("status"); !strings.HasPrefix(r.stdout, "needs you   nothing\n") {
		t.Errorf("one rejected, which is the supplier's: status says %q first, want that nothing is to do", r.stdout)
	}
	s.market.Supply(ids[1], []string{"msrp=200.00"})
	cron("one held", "held", 1, "held 1", ids[1])
	const waits = "needs you   products with a change that waits for your approval: 1"
	if r := s.call("status"); !strings.HasPrefix(r.stdout, waits) || !strings.Contains(r.stdout, "approve --list") {
		t.Errorf("one held: status says %q first, want that it waits for an approval", r.stdout)
	}
	s.set("MARKETPLACE_URL", nobody(t), "ALERT_URL", chat.URL+"/hooks/"+chatSecret)
	cron("the marketplace is away", "", 3, "ended early: ")
	cron("it still is", "", 3) // this is told once an hour
	if len(told) != 1 {
		t.Fatalf("got %d messages within the hour, want one", len(told))
	}
	if got := <-told; !strings.Contains(got, "needs you:") || !strings.Contains(got, "a run ended early: ") {
		t.Errorf("got %q, want why the run ended", got)
	}
}
