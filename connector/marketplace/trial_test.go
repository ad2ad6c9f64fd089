package marketplace_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// The trials ask what the worker asks, on every form of the schema, change nothing and cost a few
// points.
func TestTrials(t *testing.T) {
	for i, o := range []sandbox.Options{
		{},
		{NoIntrospection: true},
		{NoIntrospection: true, NoUpdatedAtSort: true, RequestErrorStatus: 400},
		{NoUpdatedAtSort: true, Schema: [][2]string{{": ID!", ": String!"}}},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			m, c := open(t, o, 0)
			m.AddSound(5)
			id, err := c.TryList(t.Context())
			if _, known := m.Publication(id); err != nil || !known {
				t.Errorf("list: %q, %v", id, err)
			}
			if p, err := c.TryContent(t.Context(), id); err != nil || p == nil || len(p.Listing.Variants) != 1 ||
				p.Listing.Variants[0].MSRP == "" {
				t.Errorf("content: %+v, %v", p, err)
			}
			if p, err := c.TryContent(t.Context(), "nobody"); err != nil || p != nil {
				t.Errorf("content of nobody: %+v, %v", p, err)
			}
			if spent := c.Stats().Cost; spent > 60 {
				t.Errorf("%g points; spent: got %v, want at most %v", spent, spent, 60)
			}
			_, c = open(t, o, 0)
			if id, err := c.TryList(t.Context()); id != "" || err != nil {
				t.Errorf("an empty list: %q, %v", id, err)
			}
		})
	}
}

// A schema in which a report is another thing is named before the first report, and an input of another name is
// taken by that.
func TestSchemasOfAReport(t *testing.T) {
	const input = "PublicationStatusUpdatedInput"
	for want, o := range map[string]sandbox.Options{
		"mutation publicationStatusUpdated": {Lacks: []string{"Mutation.publicationStatusUpdated"}},
		"no productUrl":                     {Lacks: []string{input + ".productUrl"}},
		"no status":                         {Lacks: []string{input + ".status"}},
		"":                                  {Schema: [][2]string{{input, "In"}}},
	} {
		m, c := open(t, o, 1)
		forms, err := c.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = forms.Reports()
		if want == "" && err != nil || want != "" && (marketplace.KindOf(err) != marketplace.Invalid ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want it to name the %s", err, want)
		}
		if want != "" {
			continue
		}
		report := marketplace.Report{ID: m.Publications()[0].ID, Status: "failed"}
		_, got, err := c.Report(t.Context(), marketplace.Urgent, report, false)
		if err != nil || got.Err != nil {
			t.Errorf("a report with another input: %+v, %v", got, err)
		}
	}
}
