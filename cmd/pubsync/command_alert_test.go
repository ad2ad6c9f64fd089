// Who is to be told is told what needs a person, and when it no longer does.

package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const chatSecret = "T0K3N-of-the-chat"

// What ended a run early is told once an hour, by the next run where the receiver failed. No secret is told.
func TestAlertsOfRunsFromCron(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	var code atomic.Int32
	told := make(chan string, 9)
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var doc struct{ Text, Content string }
		if err := json.NewDecoder(r.Body).Decode(&doc); err != nil || doc.Text != doc.Content ||
			!strings.Contains(r.URL.Path, chatSecret) {
			t.Errorf("got %v and %+v at %s, want a document with a text and a content", err, doc, r.URL.Path)
		}
		if w.WriteHeader(int(code.Load())); code.Load() == http.StatusOK {
			told <- doc.Text
		}
	}))
	defer chat.Close()
	s.set("ALERT_URL", chat.URL+"/hooks/"+chatSecret)
	s.imported()
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		if string(r.ID) == ids[0] {
			return shoptest.Reply{Status: 404}
		}
		return shoptest.Reply{}
	})
	s.shop.healthy(401)
	s.market.Update(ids[0], func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another lamp"} })
	code.Store(http.StatusInternalServerError)
	r := s.call("run", "--once", "--patience", "2s")
	if r.code != 4 || strings.Contains(r.stderr+r.stdout, chatSecret) {
		t.Errorf("got exit %d, want 4 and no secret: %s", r.code, r.stderr)
	}
	if !strings.Contains(r.stderr, "alert cannot be sent, trying again") {
		t.Errorf("the log does not say that the receiver fails: %s", r.stderr)
	}
	code.Store(http.StatusOK)
	s.call("run", "--once", "--patience", "2s")
	s.call("run", "--once", "--patience", "2s")
	if len(told) != 1 {
		t.Fatalf("got %d messages within the hour, want one", len(told))
	}
	got := <-told
	if !strings.Contains(got, "needs you:") || !strings.Contains(got, "a run ended early: ") ||
		strings.Contains(got, shopToken) || strings.Contains(got, marketToken) {
		t.Errorf("got %q, want why the run ended, and no secret", got)
	}
}
