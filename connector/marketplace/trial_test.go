package marketplace_test

import (
	"bytes"
	"io"
	"net/http"
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
		{NoIntrospection: true, Status: sandbox.StatusEnum},
		{NoIntrospection: true, Status: sandbox.StatusEnumUpper},
		{NoIntrospection: true, NoUpdatedAtSort: true, RequestErrorStatus: 400},
		{NoUpdatedAtSort: true, StringIDs: true},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			m := sandbox.New(o)
			defer m.Close()
			m.AddSound(5)
			c := marketplace.New(marketplace.Config{
				URL: "http://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"}, Transport: m.Transport(),
			})
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
			if _, err := c.TryReport(t.Context()); err != nil || len(m.Reports()) > 0 {
				t.Errorf("report: %v, %d were made, want none", err, len(m.Reports()))
			}
			if spent := c.Stats().Cost; spent > 60 {
				t.Errorf("%g points; spent: got %v, want at most %v", spent, spent, 60)
			}
			empty := sandbox.New(o)
			defer empty.Close()
			c = marketplace.New(marketplace.Config{
				URL: "http://market.test", Token: sandbox.DefaultToken, Transport: empty.Transport(),
			})
			if id, err := c.TryList(t.Context()); id != "" || err != nil {
				t.Errorf("an empty list: %q, %v", id, err)
			}
		})
	}
}

// A schema in which a report is another thing is named before the first report.
func TestASchemaWithoutAReport(t *testing.T) {
	for want, document := range map[string]string{
		"mutation publicationStatusUpdated": strings.ReplaceAll(schemaWithReport, "publicationStatusUpdated", "reported"),
		"field productUrl":                  strings.ReplaceAll(schemaWithReport, "productUrl", "address"),
		"field status":                      strings.ReplaceAll(schemaWithReport, `"status"`, `"state"`),
		"":                                  schemaWithReport,
	} {
		c := marketplace.New(marketplace.Config{URL: "http://market.test", Transport: answering(document)})
		_, err := c.TryReport(t.Context())
		if want == "" && err != nil || want != "" && (marketplace.KindOf(err) != marketplace.Invalid ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want it to name the %s", err, want)
		}
	}
}

// A report is made by the name that the schema has for its input.
func TestInputTypesOfAnotherName(t *testing.T) {
	var sent string
	server := answering(schemaWithReport)
	c := marketplace.New(marketplace.Config{URL: "http://market.test", Transport: trip(func(r *http.Request) (
		*http.Response, error,
	) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		sent += string(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return server.RoundTrip(r)
	})})
	//nolint:errcheck // what comes back is no answer to it
	_, _ = c.LookAndReport(t.Context(), marketplace.Urgent, []marketplace.Report{{ID: "1", Status: "success"}},
		func(marketplace.Report, *marketplace.Entry) bool { return true })
	if !strings.Contains(sent, "mutation Report($in:In!)") {
		t.Errorf("got %s sent, want the input type In", sent)
	}
}

// trip is a function as a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// schemaWithReport is the answer to an introspection, as far as a report is concerned.
const schemaWithReport = `{"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":{"name":"Mutation"},"types":[
{"kind":"OBJECT","name":"Query","fields":[{"name":"publication","args":[{"name":"id","type":{"kind":"SCALAR",
"name":"ID"}}],"type":{"kind":"OBJECT","name":"P"}}]},
{"kind":"OBJECT","name":"Mutation","fields":[{"name":"publicationStatusUpdated","args":[{"name":"input",
"type":{"kind":"INPUT_OBJECT","name":"In"}}],
"type":{"kind":"OBJECT","name":"Out"}}]},
{"kind":"INPUT_OBJECT","name":"In","inputFields":[{"name":"id","type":{"kind":"SCALAR","name":"ID"}},
{"name":"status","type":{"kind":"SCALAR","name":"String"}},
{"name":"productUrl","type":{"kind":"SCALAR","name":"String"}}]}]}}}`

// answering is a server that gives one answer to everything.
func answering(body string) http.RoundTripper {
	return sandbox.Transport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body) //nolint:errcheck // a client that is gone does not read it
	}))
}
