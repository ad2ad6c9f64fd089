package connector

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A forger stands between worker and marketplace and may change what is asked or answer in its
// place.
type forger struct {
	next http.RoundTripper
	// answer is what is answered to an operation in place of the marketplace; "" lets the request
	// through.
	answer func(operation, body string) string
	// change rewrites an answer of the marketplace.
	change func(operation, answer string) string
	mu     sync.Mutex // held by both, and by do
}

// do changes what the forger does, or what its functions know, while requests may be under way.
func (f *forger) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// forged is what is answered in place of the marketplace.
func (f *forger) forged(operation, asked string) (body string) {
	f.do(func() {
		if f.answer != nil {
			body = f.answer(operation, asked)
		}
	})
	return body
}

// changed is an answer of the marketplace as it is handed on.
func (f *forger) changed(operation, said string) (body string) {
	body = said
	f.do(func() {
		if f.change != nil {
			body = f.change(operation, said)
		}
	})
	return body
}

func (f *forger) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	name := ""
	if _, rest, ok := strings.Cut(string(asked), `"operationName":"`); ok {
		name, _, _ = strings.Cut(rest, `"`)
	}
	if body := f.forged(name, string(asked)); body != "" {
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{},
			Body:       io.NopCloser(strings.NewReader(body)),
			Request:    r,
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	resp, err := f.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	said, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	resp.Body = io.NopCloser(strings.NewReader(f.changed(name, string(said))))
	return resp, err
}

// forge puts a forger before the bench's marketplace.
func (b *bench) forge() *forger {
	f := &forger{next: b.box.Transport()}
	b.tune = func(o *Options) {
		o.Marketplace = marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: o.Rules.Languages, Transport: f, Logger: o.Logger,
		})
	}
	return f
}

func objection(message string) string { return fmt.Sprintf(`{"errors":[{"message":%q}]}`, message) }

// TestAStrayObjectionIsForgotten has the marketplace object once to a report or a reading, in words
// that name a form, with and without introspection. All is on sale in its language in the end, and
// all is reported.
func TestAStrayObjectionIsForgotten(t *testing.T) {
	for _, row := range []struct{ name, operation, message string }{
		{"status", "Report", `success is not a valid status`},
		{"status of an enum", "Report", `Variable "$in0" got invalid value "success" at "in0.status"; Value "success" does not exist in "S" enum.`},
		{"language", "Content", `Cannot query field "en" on type "Translations".`},
		{"both languages", "Content", `Cannot query field "en" on type "Translations". Cannot query field "nl" on type "Translations".`},
		{"list", "List", `Argument "sort" has an invalid value UPDATED_AT_ASC`},
		{"look", "Look", `Variable "$id0" of type "ID!" used in position expecting type "String!".`},
	} {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, no introspection %t", row.name, hidden), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, sandbox.Options{NoIntrospection: hidden})
					f := b.forge()
					objected := 0
					f.answer = func(operation, _ string) string {
						if operation == row.operation && objected == 0 {
							objected++
							return objection(row.message)
						}
						return ""
					}
					ids := b.box.AddSound(9)
					s := b.once(true)
					if s.Exit != desk.ExitOK || s.Created != 9 || s.Reported != 9 || objected != 1 {
						t.Errorf("%+v, %d objections", s, objected)
					}
					for _, id := range ids {
						p, _ := b.box.Publication(id)
						if got := b.record(id); b.state(id) != store.StateLive || got.Reported != store.StatusSuccess ||
							got.Language != "en" ||
							p.Status != "success" {
							t.Errorf(
								"%s is %s in %q, reported %q, %q at the marketplace",
								id,
								got.State,
								got.Language,
								got.Reported,
								p.Status,
							)
						}
					}
					for _, c := range b.shop.since(0) {
						if c.product.Language != "en" {
							t.Errorf("%s was written in %q", c.id, c.product.Language)
						}
					}
				})
			})
		}
	}
}

// TestAnObjectionThatLastsIsShown has the marketplace object to every report although its schema
// says that they are right: they stay owed.
func TestAnObjectionThatLastsIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		f := b.forge()
		f.answer = func(operation, _ string) string {
			if operation == "Report" {
				return objection("success is not a valid status")
			}
			return ""
		}
		ids := b.box.AddSound(3)
		c, stop := b.run()
		time.Sleep(20 * time.Minute)
		status, err := c.Status()
		refused, last := b.backlog(time.Now()).Refused, status.LastError
		if err != nil || status.Outbox != 3 || refused != 3 {
			t.Errorf("%d reports are owed, %d of them refused, %v; want 3 of 3", status.Outbox, refused, err)
		}
		if last == nil || !strings.Contains(last.Message, "not a valid status") {
			t.Errorf("the last error is %+v, want the objection", last)
		}
		if n := len(b.shop.since(0)); n != 3 {
			t.Errorf("%d writes to the shop", n)
		}
		f.do(func() { f.answer = nil })
		time.Sleep(time.Hour)
		stop()
		for _, id := range ids {
			if p, _ := b.box.Publication(id); p.Status != "success" {
				t.Errorf("%s is %s", id, p.Status)
			}
		}
	})
}

// TestALostLanguageRewritesNothing has the marketplace's schema lose English, and get it back.
// Products that were written in English wait meanwhile.
func TestALostLanguageRewritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		f := b.forge()
		ids := b.box.AddSound(3)
		if s := b.once(true); s.Exit != desk.ExitOK || s.Created != 3 {
			t.Fatalf("%+v", s)
		}
		f.change = func(operation, answer string) string {
			if operation == "Probe" {
				return strings.ReplaceAll(answer, `"name":"en"`, `"name":"xx"`)
			}
			return answer
		}
		b.reprice(ids[:2])
		written := len(b.shop.since(0))
		plan, err := b.connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Change) > 0 || len(plan.Create) > 0 {
			t.Errorf("a plan would write %+v, %v", plan, err)
		}
		s := b.once(false)
		if s.Exit != desk.ExitStanding || s.Pending != 2 {
			t.Errorf("%+v", s)
		}
		if calls := b.shop.since(written); len(calls) > 0 {
			t.Errorf("the shop was written to: %+v", calls)
		}
		r := b.record(ids[0])
		if !strings.Contains(r.Problem.Message, "lacks the language en") || r.Reported != store.StatusSuccess {
			t.Errorf("%+v, reported %q", r.Problem, r.Reported)
		}
		fresh := b.box.AddSound(1)
		if s := b.once(false); s.Created != 1 {
			t.Errorf("what was never written has another language to be written in: %+v", s)
		}
		if p, _ := b.shop.get(fresh[0]); p.Language != "nl" {
			t.Errorf("written in %q", p.Language)
		}
		f.do(func() { f.change = nil })
		if s := b.once(true); s.Exit != desk.ExitOK || s.Updated != 3 {
			t.Errorf("with the language back: %+v", s)
		}
		for _, id := range append(ids, fresh...) {
			if p, _ := b.shop.get(id); p.Language != "en" {
				t.Errorf("%s is in %q", id, p.Language)
			}
		}
	})
}

// TestAFormThatIsFoundOutIsNoTrouble imports from a marketplace that spells its statuses in upper
// case and shows no schema: no pause, no error.
func TestAFormThatIsFoundOutIsNoTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{NoIntrospection: true, Status: sandbox.StatusEnumUpper, RestoreRate: 2000})
		ids := b.box.AddSound(30)
		c, stop := b.run()
		troubled := false
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			s, err := c.Status()
			troubled = troubled || err != nil || s.Marketplace.Paused || s.Marketplace.Until != nil
		}
		if status, err := c.Status(); err != nil || status.LastError != nil || status.Outbox > 0 || troubled {
			t.Errorf("%d reports owed, last error %v, paused %t, %v", status.Outbox, status.LastError, troubled, err)
		}
		stop()
		for _, id := range ids {
			if p, _ := b.box.Publication(id); p.Status != "success" {
				t.Errorf("%s is %s", id, p.Status)
			}
		}
	})
}
