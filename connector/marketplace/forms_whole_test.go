package marketplace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// overheard is what was asked of the marketplace.
type overheard struct{ probes, upper int } // for the schema; reports in upper case

// hiddenSchema has the bench's marketplace reached by a client that remembers its forms in the
// store, and counts the reports in another spelling than the specification's.
func hiddenSchema(b *harness.Bench) *overheard {
	f := b.Forge()
	seen := new(overheard)
	f.Answer = func(operation, body string) string {
		switch {
		case operation == "Probe":
			seen.probes++
		case operation == "Report" && strings.Contains(body, `"status":"SUCCESS"`):
			seen.upper++
		}
		return ""
	}
	tune := b.Tune
	b.Tune = func(o *connector.Options) {
		tune(o)
		o.Marketplace = marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: o.Rules.Languages,
			Transport: f, Logger: o.Logger, Memory: b.Store,
		})
	}
	return seen
}

// settled checks that publications are on sale in English, and reported so.
func settled(b *harness.Bench, ids []string) {
	b.T.Helper()
	for _, id := range ids {
		p, _ := b.Market.Publication(id)
		r := b.Record(id)
		if r.State != store.StateLive || r.Language != "en" || r.Reported != store.StatusSuccess ||
			p.Status != "success" {
			b.T.Errorf("%s is %s in %q, reported %q, %q at the marketplace; want live in en, success; %s",
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
					b := harness.New(t, sandbox.Options{NoIntrospection: !shown})
					seen := hiddenSchema(b)
					ids := b.Market.AddSound(1 + others)
					b.Market.Inject(objectTo(row.on, row.message, ids[0]))
					_, stop := b.Start()
					time.Sleep(time.Minute)
					settled(b, ids[1:])
					time.Sleep(29 * time.Minute)
					settled(b, ids[1:])
					r := b.Record(ids[0])
					said := r.Problem.Message + r.ReportError
					p, _ := b.Market.Publication(ids[0])
					if p.Status != "syncing" || !strings.Contains(said, row.message) {
						t.Errorf("explain says %q of %s, want %s", said, p.Status, row.message)
					}
					if seen.upper > 0 && !row.spelled {
						t.Errorf("%d reports were made in another spelling", seen.upper)
					}
					b.Market.Heal()
					time.Sleep(time.Hour + time.Minute)
					stop()
					settled(b, ids)
					if seen.upper = 0; row.on == sandbox.KindReport {
						b.Market.AddSound(1)
						if s := b.Once(false); s.Exit != desk.ExitOK || seen.upper > 0 {
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
					b := harness.New(t, sandbox.Options{NoIntrospection: true})
					seen := hiddenSchema(b)
					ids := b.Market.AddSound(6)
					b.Market.Inject(objectTo(row.on, row.message))
					begun := time.Now()
					time.AfterFunc(8*time.Second, b.Market.Heal)
					if ended {
						_, stop := b.Start()
						time.Sleep(6 * time.Second)
						stop()
						_, stop = b.Start()
						time.Sleep(2 * time.Minute) // backoff has its way
						stop()
					} else if s := b.Once(false); s.Exit != desk.ExitOK || time.Since(begun) > 30*time.Second {
						t.Errorf("%+v, want exit 0 within 30 s", s)
					}
					settled(b, ids)
					seen.upper = 0
					more := b.Market.AddSound(3)
					if s := b.Once(false); s.Exit != desk.ExitOK || seen.upper > 0 {
						t.Errorf("the run after it: %+v, %d reports in another spelling", s, seen.upper)
					}
					settled(b, append(ids, more...))
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
					b := harness.New(t, sandbox.Options{NoIntrospection: hidden, NoUserErrors: true, Status: status})
					hiddenSchema(b)
					ids := b.Market.AddSound(4)
					b.Market.Inject(refuseReports(ids[0]))
					s := b.Once(false)
					if s.Exit != desk.ExitStanding || s.Reported != 3 || s.Refused != 1 {
						t.Errorf("%+v", s)
					}
					settled(b, ids[1:])
					if r := b.Record(ids[0]); !strings.Contains(r.ReportError, "the status is still syncing") {
						t.Errorf("explain says %q", r.ReportError)
					}
					b.Market.Heal()
					if s := b.Once(true); s.Exit != desk.ExitOK || s.Reported != 1 {
						t.Errorf("once it takes the report: %+v", s)
					}
					settled(b, ids)
				})
			})
		}
	}
}

// TestAStrayObjectionHidesNoRefusal has the marketplace say for eight seconds that a report has no
// userErrors: within an hour a refusal tells why again.
func TestAStrayObjectionHidesNoRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{NoIntrospection: true})
		hiddenSchema(b)
		ids := b.Market.AddSound(2)
		b.Market.Inject(objectTo(sandbox.KindReport, `Cannot query field "userErrors" on type "Payload".`))
		c, stop := b.Start()
		time.Sleep(8 * time.Second)
		b.Market.Heal()
		time.Sleep(time.Hour)
		settled(b, ids)
		b.Market.Inject(refuseReports())
		more := b.Market.AddSound(1)
		c.Sweep(false)
		time.Sleep(10 * time.Minute)
		stop()
		if r := b.Record(more[0]); !strings.Contains(r.ReportError, "cannot be changed now") {
			t.Errorf("explain says %q, want the marketplace's reason", r.ReportError)
		}
	})
}

// TestALanguageThatTheSchemaLacks imports from a marketplace without German, that shows no schema,
// in English and German: all is on sale in English soon, and nothing pauses.
func TestALanguageThatTheSchemaLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{NoIntrospection: true})
		hiddenSchema(b)
		tune := b.Tune
		b.Tune = func(o *connector.Options) {
			o.Rules.Languages = []string{"en", "de"}
			tune(o)
		}
		ids := b.Market.AddSound(6)
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), false)
		if err != nil || len(plan.Create) != len(ids) {
			t.Errorf("a plan would create %v, %v, want all %d", plan.Create, err, len(ids))
		}
		begun := time.Now()
		if s := b.Once(false); s.Exit != desk.ExitOK || time.Since(begun) > 30*time.Second {
			t.Errorf("%+v after %v, want exit 0 within 30 s", s, time.Since(begun))
		}
		settled(b, ids)
		more := b.Market.AddSound(6)
		c, stop := b.Start()
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			if s, err := harness.Status(c); err != nil || s.Marketplace.Paused || s.Marketplace.Until != nil {
				t.Fatalf("the marketplace is paused: %+v, %v", s.Marketplace, err)
			}
		}
		stop()
		settled(b, append(ids, more...))
	})
}

// TestFormsBeginAfresh has a marketplace in other forms than the specification's. A plain run
// begins with what the last one found, and finds nothing out; a start of the worker, a full run,
// and a run after `retry --failed` ask for the schema again.
func TestFormsBeginAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{NoIntrospection: true, StringIDs: true})
		seen := hiddenSchema(b)
		b.Market.AddSound(3)
		b.Once(false)
		asks := func(what string, want bool, do func()) {
			t.Helper()
			seen.probes = 0
			do()
			if got := seen.probes > 0; got != want {
				t.Errorf("%s asks for the schema: %t, want %t", what, got, want)
			}
		}
		plain := func() {
			b.Market.AddSound(1)
			if s := b.Once(false); s.Exit != desk.ExitOK {
				t.Errorf("%+v", s)
			}
		}
		asks("a plain run", false, plain)
		asks("a full run", true, func() { b.Once(true) })
		asks("the run after it", false, plain)
		asks("a worker", true, func() {
			b.Market.AddSound(1)
			_, stop := b.Start()
			time.Sleep(time.Minute)
			stop()
		})
		asks("the run after it", false, plain)
		d := connector.NewDesk(b.Store, b.Options().Rules, nil)
		if _, err := d.RetryFailed(t.Context()); err != nil {
			t.Fatal(err)
		}
		asks("a run after retry --failed", true, plain)
	})
}
