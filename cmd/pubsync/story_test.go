// Stories of the engine, played with the program.

package main_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/story"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// TestStories plays what is marked with "# program" with the built program, over sockets.
func TestStories(t *testing.T) {
	for _, file := range story.Files(t, "../../connector/testdata", "# program") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".story"), func(t *testing.T) {
			s := open(t, sandbox.Options{})
			shop := shoptest.New(shoptest.Abilities{})
			server := httptest.NewServer(shop)
			t.Cleanup(server.Close)
			s.set("HTTP_URL", server.URL)
			story.Play(t, file, story.World{Market: s.market.Marketplace, Shop: shop, Subject: &program{site: s}})
		})
	}
}

// A program is the built program as a story's subject.
type program struct {
	*site
	worker *process
}

func (p *program) Set(name, value string) { p.set(name, value) }

func (p *program) Run(full bool, patience time.Duration) desk.Summary {
	args := []string{"run", "--once", "--json", "--patience", patience.String()}
	if full {
		args = append(args, "--full")
	}
	return p.summaryOf(p.call(args...))
}

func (p *program) Plan(full bool) (plan desk.Plan) {
	args := []string{"plan", "--json"}
	if full {
		args = append(args, "--full")
	}
	p.call(args...).decode(p.t, &plan)
	return plan
}

func (p *program) Explain(id string) (e desk.Explanation, err error) {
	p.call("explain", "--json", id).decode(p.t, &e)
	return e, nil
}

func (p *program) Status() (any, error) {
	var document map[string]any
	p.call("status", "--json").decode(p.t, &document)
	return document, nil
}

func (p *program) Answer(decline bool, ids []string, kind string) error {
	args := append([]string{"approve"}, ids...)
	if decline {
		args[0] = "decline"
	}
	switch {
	case kind != "":
		args = append(args, "--kind", kind)
	case len(ids) == 0:
		args = append(args, "--all")
	}
	return p.done(args...)
}

func (p *program) Retry(ids []string, reset bool) error {
	args := append([]string{"retry"}, ids...)
	if reset {
		args = append(args, "--reset")
	}
	if len(ids) == 0 {
		args = append(args, "--failed")
	}
	return p.done(args...)
}

func (p *program) done(args ...string) error {
	if r := p.call(args...); r.code != 0 {
		return errors.New(r.stderr)
	}
	return nil
}

func (p *program) Start() {
	p.set("ADMIN_LISTEN", freePort(p.t))
	p.worker = launch(p.t, p.dir, p.env, "run")
	p.worker.logs("worker started")
}

func (p *program) Stop() {
	p.worker.signal(syscall.SIGTERM)
	p.worker.code(commandBound)
}

func (p *program) Webhook(string, bool) int {
	p.t.Fatal("webhooks are sent to the engine")
	return 0
}

func (p *program) Lose() {
	if err := os.Remove(p.env["PUBSYNC_STORE_PATH"]); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) saved() string { return filepath.Join(p.dir, "saved.db") }

func (p *program) Save() {
	if err := p.done("backup", p.saved()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) PutBack() {
	if err := os.Rename(p.saved(), p.env["PUBSYNC_STORE_PATH"]); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) Wait(span time.Duration) { time.Sleep(span) }
