package marketplace_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// TestAStrayObjectionIsForgotten has the marketplace object once to a report or a reading, in words
// that name a form, with and without introspection. All is on sale in its language in the end, and
// all is reported.
func TestAStrayObjectionIsForgotten(t *testing.T) {
	for _, row := range []struct{ name, operation, message string }{
		{"status", "Report", `success is not a valid status`},
		{
			"status of an enum", "Report",
			`Variable "$in0" got invalid value "success" at "in0.status"; Value "success" does not exist in "S" enum.`,
		},
		{"language", "Content", `Cannot query field "en" on type "Translations".`},
		{
			"both languages", "Content",
			`Cannot query field "en" on type "Translations". Cannot query field "nl" on type "Translations".`,
		},
		{"list", "List", `Argument "sort" has an invalid value UPDATED_AT_ASC`},
		{"look", "Look", `Variable "$id0" of type "ID!" used in position expecting type "String!".`},
	} {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, no introspection %t", row.name, hidden), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := harness.New(t, sandbox.Options{NoIntrospection: hidden})
					f := b.Forge()
					objected := 0
					f.Answer = func(operation, _ string) string {
						if operation == row.operation && objected == 0 {
							objected++
							return harness.Objection(row.message)
						}
						return ""
					}
					ids := b.Market.AddSound(9)
					s := b.Once(true)
					if s.Exit != desk.ExitOK || s.Created != 9 || s.Reported != 9 || objected != 1 {
						t.Errorf("%+v, %d objections", s, objected)
					}
					for _, id := range ids {
						p, _ := b.Market.Publication(id)
						if got := b.Record(id); b.State(id) != store.StateLive || got.Reported != store.StatusSuccess ||
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
					for _, c := range b.Shop.Since(0) {
						if c.Product.Language != "en" {
							t.Errorf("%s was written in %q", c.ID, c.Product.Language)
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
		b := harness.New(t, sandbox.Options{})
		f := b.Forge()
		f.Answer = func(operation, _ string) string {
			if operation == "Report" {
				return harness.Objection("success is not a valid status")
			}
			return ""
		}
		ids := b.Market.AddSound(3)
		c, stop := b.Start()
		time.Sleep(20 * time.Minute)
		status, err := harness.Status(c)
		refused, last := b.Backlog(time.Now()).Refused, status.LastError
		if err != nil || status.Outbox != 3 || refused != 3 {
			t.Errorf("%d reports are owed, %d of them refused, %v; want 3 of 3", status.Outbox, refused, err)
		}
		if last == nil || !strings.Contains(last.Message, "not a valid status") {
			t.Errorf("the last error is %+v, want the objection", last)
		}
		if n := len(b.Shop.Since(0)); n != 3 {
			t.Errorf("%d writes to the shop", n)
		}
		f.Do(func() { f.Answer = nil })
		time.Sleep(time.Hour)
		stop()
		for _, id := range ids {
			if p, _ := b.Market.Publication(id); p.Status != "success" {
				t.Errorf("%s is %s", id, p.Status)
			}
		}
	})
}

// TestALostLanguageRewritesNothing has the marketplace's schema lose English, and get it back.
// Products that were written in English wait meanwhile.
func TestALostLanguageRewritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		f := b.Forge()
		ids := b.Market.AddSound(3)
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Created != 3 {
			t.Fatalf("%+v", s)
		}
		f.Change = func(operation, answer string) string {
			if operation == "Probe" {
				return strings.ReplaceAll(answer, `"name":"en"`, `"name":"xx"`)
			}
			return answer
		}
		b.Reprice(ids[:2])
		written := len(b.Shop.Since(0))
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Change) > 0 || len(plan.Create) > 0 {
			t.Errorf("a plan would write %+v, %v", plan, err)
		}
		s := b.Once(false)
		if s.Exit != desk.ExitStanding || s.Pending != 2 {
			t.Errorf("%+v", s)
		}
		if calls := b.Shop.Since(written); len(calls) > 0 {
			t.Errorf("the shop was written to: %+v", calls)
		}
		r := b.Record(ids[0])
		if !strings.Contains(r.Problem.Message, "lacks the language en") || r.Reported != store.StatusSuccess {
			t.Errorf("%+v, reported %q", r.Problem, r.Reported)
		}
		fresh := b.Market.AddSound(1)
		if s := b.Once(false); s.Created != 1 {
			t.Errorf("what was never written has another language to be written in: %+v", s)
		}
		if p, _ := b.Shop.Get(fresh[0]); p.Language != "nl" {
			t.Errorf("written in %q", p.Language)
		}
		f.Do(func() { f.Change = nil })
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Updated != 3 {
			t.Errorf("with the language back: %+v", s)
		}
		for _, id := range append(ids, fresh...) {
			if p, _ := b.Shop.Get(id); p.Language != "en" {
				t.Errorf("%s is in %q", id, p.Language)
			}
		}
	})
}

// TestAFormThatIsFoundOutIsNoTrouble imports from a marketplace that spells its statuses in upper
// case and shows no schema: no pause, no error.
func TestAFormThatIsFoundOutIsNoTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{NoIntrospection: true, Status: sandbox.StatusEnumUpper, RestoreRate: 2000})
		ids := b.Market.AddSound(30)
		c, stop := b.Start()
		troubled := false
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			s, err := harness.Status(c)
			troubled = troubled || err != nil || s.Marketplace.Paused || s.Marketplace.Until != nil
		}
		if status, err := harness.Status(c); err != nil || status.LastError != nil || status.Outbox > 0 || troubled {
			t.Errorf("%d reports owed, last error %v, paused %t, %v", status.Outbox, status.LastError, troubled, err)
		}
		stop()
		for _, id := range ids {
			if p, _ := b.Market.Publication(id); p.Status != "success" {
				t.Errorf("%s is %s", id, p.Status)
			}
		}
	})
}
