package marketplace

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// notes is a memory without a store.
type notes struct {
	mu     sync.Mutex
	held   map[string]string
	broken bool
}

func (n *notes) Meta(ctx context.Context, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.held[key], nil
}

func (n *notes) SetMeta(ctx context.Context, key, value string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken {
		return errors.New("no space left on device")
	}
	if n.held == nil {
		n.held = map[string]string{}
	}
	n.held[key] = value
	return nil
}

// A secretive server refuses introspection. Its connections have edges or nodes, not both.
type secretive struct {
	nodes bool
}

func (s *secretive) answer(_ int, q sent) (int, string) {
	refuse := func(message string) (int, string) {
		return 200, `{"errors":[{"message":"` + message + `"}],` + throttled(0, 0, 1000) + `}`
	}
	has, lacks := "edges", "nodes"
	if s.nodes {
		has, lacks = lacks, has
	}
	switch {
	case strings.Contains(q.Query, "__schema"):
		return refuse("GraphQL introspection is not allowed")
	case strings.Contains(q.Query, lacks+"{"):
		return refuse("Cannot query field '" + lacks + "' on type 'PublicationConnection'.")
	case q.OperationName == "Listable":
		return 200, data(`{"publications":{"pageInfo":{"hasNextPage":false}}}`)
	}
	return 200, data(`{"publications":{"pageInfo":{"hasNextPage":false},"` + has + `":[]}}`)
}

// The forms found for a server that refuses introspection are kept for the next process, for a day
// and for that server alone. The first objection ends them, so wrong ones cost one start.
func TestFormsAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, server := &notes{}, &secretive{}
		var w *fakeWire
		url := "https://market.test"
		list := func(when string, most int, operations ...string) {
			t.Helper()
			w = &fakeWire{answer: server.answer}
			c := New(Config{URL: url, Token: token, Languages: []string{"en"}, Transport: w, Memory: memory})
			defer c.Close()
			if _, err := c.List(t.Context(), Sweep, UpdatedAtAsc, ""); err != nil {
				t.Errorf("%s: %v", when, err)
			}
			switch got := w.operations(); {
			case len(got) > most:
				t.Errorf(
					"%s: %d requests, %v, want %d at most, %v; len(got): got %v, want at most %v", when, len(got), got, most,
					operations, len(got), most,
				)
			case len(operations) > 0 && strings.Join(got, " ") != strings.Join(operations, " "):
				t.Errorf("%s: %d requests, %v, want %d at most, %v", when, len(got), got, most, operations)
			}
		}
		list("at first", 6)
		list("the next process", 1, "List")
		time.Sleep(23 * time.Hour)
		list("within a day", 1, "List")
		url = "https://other.test"
		list("another server", 6)
		if len(w.operations()) < 2 {
			t.Errorf(
				"another server was taken for the first; len(w.operations()): got %v, want at least %v", len(w.operations()),
				2,
			)
		}
		url = "https://market.test"
		list("the first again", 6) // one server is remembered
		time.Sleep(25 * time.Hour)
		list("a day later", 6)
		if w.operations()[0] != "Probe" {
			t.Errorf("a day later the schema is not asked for; w.operations()[0]: got %q, want %q", w.operations()[0], "Probe")
		}

		server.nodes = true // the memory is wrong from now on
		list("a wrong memory", 4, "List", "Probe", "List")
		list("and the process after it", 3, "Probe", "List")
		server.nodes = false
		list("and back", 6)
		list("remembered", 1, "List")
		server.nodes = true
		memory.broken = true
		list("a wrong memory that cannot be mended", 4, "List", "Probe", "List")
		memory.broken, server.nodes = false, false
		list("and is right again", 1, "List")

		for name, kept := range map[string]string{
			"no JSON": "{", "of the future": strings.Replace(memory.held[form.MetaForms], `"found":"2000`, `"found":"2100`, 1),
			"with a type that is no name": strings.Replace(
				memory.held[form.MetaForms], `"statusType":"String"`, `"statusType":"String) { x }"`, 1,
			),
			"of another form": `{"server":"` + client.ServerDigest(Endpoint(url)) + `","found":"2000-01-05T00:00:00Z"}`,
		} {
			whole := memory.held[form.MetaForms]
			if memory.held[form.MetaForms] = kept; kept == whole {
				t.Errorf("%s: the memory is not spoiled; kept: got %v, want another", name, kept)
			}
			list("a memory "+name, 6)
			if w.operations()[0] != "Probe" {
				t.Errorf("a memory %s is believed; w.operations()[0]: got %q, want %q", name, w.operations()[0], "Probe")
			}
		}
	})
}

// A worker that began with what was remembered asks for the schema an hour later, as if it had
// found it out itself.
func TestWhatIsRememberedIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, server := &notes{}, &secretive{}
		var probes int
		for n := range 2 {
			w := &fakeWire{answer: server.answer}
			c := New(
				Config{
					URL:       "https://market.test",
					Token:     token,
					Languages: []string{"en"},
					Transport: w,
					Memory:    memory,
				},
			)
			for range 30 {
				if _, err := c.List(t.Context(), Sweep, UpdatedAtAsc, ""); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Minute)
			}
			probes = strings.Count(strings.Join(w.operations(), " "), "Probe")
			if want := 3 - n; probes != want {
				t.Errorf("process %d probed %d times in two and a half hours, want %d", n, probes, want)
			}
			c.Close()
		}
	})
}
