// Who is to be told is told what needs a person, and when it no longer does.

package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A chat takes alerts.
type chat struct {
	*httptest.Server
	mu    sync.Mutex
	texts []string
	code  int
}

const chatSecret = "T0K3N-of-the-chat"

func openChat(t *testing.T) *chat {
	t.Helper()
	c := &chat{code: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var doc struct{ Text, Content string }
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := json.Unmarshal(body, &doc); err != nil || doc.Text != doc.Content ||
			!strings.Contains(r.URL.Path, chatSecret) {
			t.Errorf("got %s at %s, want a document with a text and a content", body, r.URL.Path)
		}
		if c.code == http.StatusOK {
			c.texts = append(c.texts, doc.Text)
		}
		w.WriteHeader(c.code)
	}))
	t.Cleanup(c.Close)
	return c
}

// heard is what was told since it was asked last.
func (c *chat) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	texts := c.texts
	c.texts = nil
	return texts
}

func (c *chat) answers(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code = code
}

func TestAlertsOfRunsFromCron(t *testing.T) {
	s, c := open(t, sandbox.Options{}), openChat(t)
	ids := s.lamps(2)
	s.set("ALERT_URL", c.URL+"/hooks/"+chatSecret)
	s.imported()

	// A receiver that fails costs nothing, and is told by the next run.
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		if string(r.ID) == ids[0] {
			return shoptest.Reply{Status: 404}
		}
		return shoptest.Reply{}
	})
	s.shop.healthy(401)
	s.market.Update(ids[0], func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another lamp"} })
	c.answers(http.StatusInternalServerError)
	r := s.call("run", "--once", "--patience", "2s")
	if r.code != 4 || strings.Contains(r.stderr+r.stdout, chatSecret) {
		t.Errorf("got exit %d, want 4 and no secret: %s", r.code, r.stderr)
	}
	if !strings.Contains(r.stderr, "alert cannot be sent, trying again") {
		t.Errorf("the log does not say that the receiver fails: %s", r.stderr)
	}
	c.answers(http.StatusOK)
	s.call("run", "--once", "--patience", "2s")
	got := c.heard()
	if len(got) != 1 || !strings.Contains(got[0], "needs you:") || !strings.Contains(got[0], "a run ended early: ") {
		t.Fatalf("got %q, want one message", got)
	}
	if strings.Contains(got[0], shopToken) || strings.Contains(got[0], marketToken) {
		t.Errorf("a secret is told: %s", got[0])
	}
	s.call("run", "--once", "--patience", "2s")
	if got := c.heard(); len(got) != 0 {
		t.Errorf("within the hour: got %q, want nothing", got)
	}
}
