package connector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// overheard is what was asked of the marketplace.
type overheard struct{ probes, upper int } // for the schema; reports in upper case

// hiddenSchema has the bench's marketplace reached by a client that remembers its forms in the
// store, and counts the reports in another spelling than the specification's.
func (b *bench) hiddenSchema() *overheard {
	f := b.forge()
	seen := new(overheard)
	f.answer = func(operation, body string) string {
		switch {
		case operation == "Probe":
			seen.probes++
		case operation == "Report" && strings.Contains(body, `"status":"SUCCESS"`):
			seen.upper++
		}
		return ""
	}
	tune := b.tune
	b.tune = func(o *Options) {
		tune(o)
		o.Marketplace = marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: o.Rules.Languages,
			Transport: f, Logger: o.Logger, Memory: b.store,
		})
	}
	return seen
}

// settled checks that publications are on sale in English, and reported so.
func (b *bench) settled(ids []string) {
	b.t.Helper()
	for _, id := range ids {
		p, _ := b.box.Publication(id)
		r := b.record(id)
		if r.State != store.StateLive || r.Language != "en" || r.Reported != store.StatusSuccess ||
			p.Status != "success" {
			b.t.Errorf("%s is %s in %q, reported %q, %q at the marketplace; want live in en, success; %s",
				id, r.State, r.Language, r.Reported, p.Status, r.Problem.Message)
		}
	}
}

// objectTo is the marketplace's objection to requests of a kind that name some publications, all
// where none is named.
func objectTo(on sandbox.Kind, message string, ids ...string) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.Objection, Message: message, On: []sandbox.Kind{on}, IDs: ids, Probability: 1}
}

func refuseReports(ids ...string) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.RefusedReport, On: []sandbox.Kind{sandbox.KindReport}, IDs: ids, Probability: 1}
}

// objectionsToOne are what a marketplace that shows no schema says against requests for one
// publication. spelled: it names the spelling of a status.
var objectionsToOne = []struct {
	name, message string
	on            sandbox.Kind
	spelled       bool
}{
	{name: "an address", message: "Validation failed: productUrl is unknown, the status stays", on: sandbox.KindReport},
	{
		name: "a status", message: `Variable "$in0" got invalid value "success" at "in0.status"`,
		on: sandbox.KindReport, spelled: true,
	},
	{name: "userErrors", message: `Cannot query field "userErrors" on type "Payload".`, on: sandbox.KindReport},
	{name: "a picture", message: "Validation failed: Cannot FILL image", on: sandbox.KindContent},
	{name: "a translation", message: `Validation failed: Translation "en" failed to load`, on: sandbox.KindContent},
	{name: "a language", message: `Cannot query field "en" on type "Translations".`, on: sandbox.KindContent},
	{
		name: "an id", message: `Variable "$id" of type "ID!" used in position expecting type "String!".`,
		on: sandbox.KindContent,
	},
	{name: "edges", message: `Cannot query field "nodes" on type "VariantConnection".`, on: sandbox.KindContent},
}

// TestObjectionsToOnePublication has the marketplace object to one of seven publications, or of
// one, for half an hour: the others are on sale and reported as if nothing were, the one shows what
// is said of it, and is settled once that is over.
func TestObjectionsToOnePublication(t *testing.T) {
	for i, row := range slices.Concat(objectionsToOne, objectionsToOne) {
		shown := i >= len(objectionsToOne)
		for _, others := range []int{0, 6} {
			t.Run(fmt.Sprintf("%s, schema shown %t, %d others", row.name, shown, others), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, sandbox.Options{NoIntrospection: !shown})
					seen := b.hiddenSchema()
					ids := b.box.AddSound(1 + others)
					b.box.Inject(objectTo(row.on, row.message, ids[0]))
					_, stop := b.run()
					time.Sleep(time.Minute)
					b.settled(ids[1:])
					time.Sleep(29 * time.Minute)
					b.settled(ids[1:])
					r := b.record(ids[0])
					said := r.Problem.Message + r.ReportError
					p, _ := b.box.Publication(ids[0])
					if p.Status != "syncing" || !strings.Contains(said, row.message) {
						t.Errorf("explain says %q of %s, want %s", said, p.Status, row.message)
					}
					if seen.upper > 0 && !row.spelled {
						t.Errorf("%d reports were made in another spelling", seen.upper)
					}
					b.box.Heal()
					time.Sleep(time.Hour + time.Minute)
					stop()
					b.settled(ids)
					if seen.upper = 0; row.on == sandbox.KindReport {
						b.box.AddSound(1)
						if s := b.once(false); s.Exit != desk.ExitOK || seen.upper > 0 {
							t.Errorf("a run afterwards: %+v, %d reports in another spelling", s, seen.upper)
						}
					}
				})
			})
		}
	}
}

// TestEightSecondsOfObjections has the marketplace object to everything for eight seconds: a run
// ends well, and so does the one after it; a worker that is started anew meanwhile has all settled
// soon.
func TestEightSecondsOfObjections(t *testing.T) {
	for _, row := range objectionsToOne {
		for _, ended := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, ended meanwhile %t", row.name, ended), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, sandbox.Options{NoIntrospection: true})
					seen := b.hiddenSchema()
					ids := b.box.AddSound(6)
					b.box.Inject(objectTo(row.on, row.message))
					begun := time.Now()
					time.AfterFunc(8*time.Second, b.box.Heal)
					if ended {
						_, stop := b.run()
						time.Sleep(6 * time.Second)
						stop()
						_, stop = b.run()
						time.Sleep(2 * time.Minute) // backoff has its way
						stop()
					} else if s := b.once(false); s.Exit != desk.ExitOK || time.Since(begun) > 30*time.Second {
						t.Errorf("%+v, want exit 0 within 30 s", s)
					}
					b.settled(ids)
					seen.upper = 0
					more := b.box.AddSound(3)
					if s := b.once(false); s.Exit != desk.ExitOK || seen.upper > 0 {
						t.Errorf("the run after it: %+v, %d reports in another spelling", s, seen.upper)
					}
					b.settled(append(ids, more...))
				})
			})
		}
	}
}

// TestReportsWithoutUserErrors has a marketplace whose reports have no userErrors, as the schema
// says or as its objection says: all is reported, and what it does not take stays owed and refused
// until it does.
func TestReportsWithoutUserErrors(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		for _, status := range []sandbox.StatusForm{sandbox.StatusString, sandbox.StatusEnumUpper} {
			t.Run(fmt.Sprintf("schema hidden %t, status %d", hidden, status), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, sandbox.Options{NoIntrospection: hidden, NoUserErrors: true, Status: status})
					b.hiddenSchema()
					ids := b.box.AddSound(4)
					b.box.Inject(refuseReports(ids[0]))
					s := b.once(false)
					if s.Exit != desk.ExitStanding || s.Reported != 3 || s.Refused != 1 {
						t.Errorf("%+v", s)
					}
					b.settled(ids[1:])
					if r := b.record(ids[0]); !strings.Contains(r.ReportError, "the status is still syncing") {
						t.Errorf("explain says %q", r.ReportError)
					}
					b.box.Heal()
					if s := b.once(true); s.Exit != desk.ExitOK || s.Reported != 1 {
						t.Errorf("once it takes the report: %+v", s)
					}
					b.settled(ids)
				})
			})
		}
	}
}

// TestAStrayObjectionHidesNoRefusal has the marketplace say for eight seconds that a report has no
// userErrors: within an hour a refusal tells why again.
func TestAStrayObjectionHidesNoRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{NoIntrospection: true})
		b.hiddenSchema()
		ids := b.box.AddSound(2)
		b.box.Inject(objectTo(sandbox.KindReport, `Cannot query field "userErrors" on type "Payload".`))
		c, stop := b.run()
		time.Sleep(8 * time.Second)
		b.box.Heal()
		time.Sleep(time.Hour)
		b.settled(ids)
		b.box.Inject(refuseReports())
		more := b.box.AddSound(1)
		c.Sweep(false)
		time.Sleep(10 * time.Minute)
		stop()
		if r := b.record(more[0]); !strings.Contains(r.ReportError, "cannot be changed now") {
			t.Errorf("explain says %q, want the marketplace's reason", r.ReportError)
		}
	})
}

// TestALanguageThatTheSchemaLacks imports from a marketplace without German, that shows no schema,
// in English and German: all is on sale in English soon, and nothing pauses.
func TestALanguageThatTheSchemaLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{NoIntrospection: true})
		b.hiddenSchema()
		tune := b.tune
		b.tune = func(o *Options) {
			o.Rules.Languages = []string{"en", "de"}
			tune(o)
		}
		ids := b.box.AddSound(6)
		plan, err := b.connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Create) != len(ids) {
			t.Errorf("a plan would create %v, %v, want all %d", plan.Create, err, len(ids))
		}
		begun := time.Now()
		if s := b.once(false); s.Exit != desk.ExitOK || time.Since(begun) > 30*time.Second {
			t.Errorf("%+v after %v, want exit 0 within 30 s", s, time.Since(begun))
		}
		b.settled(ids)
		more := b.box.AddSound(6)
		c, stop := b.run()
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			if s, err := c.Status(); err != nil || s.Marketplace.Paused || s.Marketplace.Until != nil {
				t.Fatalf("the marketplace is paused: %+v, %v", s.Marketplace, err)
			}
		}
		stop()
		b.settled(append(ids, more...))
	})
}

// TestFormsBeginAfresh has a marketplace in other forms than the specification's. A plain run
// begins with what the last one found, and finds nothing out; a start of the worker, a full run,
// and a run after `retry --failed` ask for the schema again.
func TestFormsBeginAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{NoIntrospection: true, StringIDs: true})
		seen := b.hiddenSchema()
		b.box.AddSound(3)
		b.once(false)
		asks := func(what string, want bool, do func()) {
			t.Helper()
			seen.probes = 0
			do()
			if got := seen.probes > 0; got != want {
				t.Errorf("%s asks for the schema: %t, want %t", what, got, want)
			}
		}
		plain := func() {
			b.box.AddSound(1)
			if s := b.once(false); s.Exit != desk.ExitOK {
				t.Errorf("%+v", s)
			}
		}
		asks("a plain run", false, plain)
		asks("a full run", true, func() { b.once(true) })
		asks("the run after it", false, plain)
		asks("a worker", true, func() {
			b.box.AddSound(1)
			_, stop := b.run()
			time.Sleep(time.Minute)
			stop()
		})
		asks("the run after it", false, plain)
		d := NewDesk(b.store, b.options().Rules, nil)
		if _, err := d.RetryFailed(t.Context()); err != nil {
			t.Fatal(err)
		}
		asks("a run after retry --failed", true, plain)
	})
}
