package e2e_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
)

const exchangesFile = "testdata/exchanges.json"

var record = flag.Bool("vendure.record", false, "write the real Vendure's answers to "+exchangesFile)

// A recorded is one request of the adapter's, and what a real Vendure answered.
type recorded struct {
	Operation string
	Variables json.RawMessage
	Answer    json.RawMessage
}

// TestExchanges goes through the life of a listing. Without a Vendure it is answered what a real one
// answered to the same requests; with one, the recording is what that one answers.
func TestExchanges(t *testing.T) {
	var want, got []recorded
	text, err := os.ReadFile(exchangesFile)
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil && !*record {
		t.Fatal(err)
	}
	settings := map[string]string{"URL": "https://vendure.example", "USERNAME": "owner", "PASSWORD": "a-password"}
	send := func(*http.Request) (string, http.Header, error) {
		if len(got) > len(want) {
			return "", nil, fmt.Errorf("there are no more than %d recorded requests", len(want))
		}
		return string(want[len(got)-1].Answer), http.Header{"Vendure-Auth-Token": {"a-session"}}, nil
	}
	if os.Getenv(envDir) != "" {
		server := boot(t.Context(), t)
		defer server.Stop()
		settings = server.Settings()
		send = func(r *http.Request) (string, http.Header, error) {
			response, err := client.RoundTrip(r)
			if err != nil {
				return "", nil, err
			}
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			same := timeOfMaking.ReplaceAll(body, []byte(`"createdAt":"2026-01-01T00:00:00.000Z"`))
			got[len(got)-1].Answer = channelToken.ReplaceAll(same, []byte(`"token":"a-channel"`))
			return string(body), response.Header, err
		}
	}
	password := settings["PASSWORD"]
	a, err := vendure.Open(shopadapter.Options{Settings: settings, HTTPClient: &http.Client{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			var request struct{ Variables json.RawMessage }
			shown := strings.ReplaceAll(string(body), password, "a-password")
			if err := json.Unmarshal([]byte(shown), &request); err != nil {
				return nil, err
			}
			got = append(got, recorded{operationOf(shown), request.Variables, nil})
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			answer, header, err := send(r)
			return &http.Response{
				StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(answer)),
			}, err
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	life(t, a)
	if *record {
		text, err := json.MarshalIndent(got, "", " ")
		if err != nil || os.WriteFile(exchangesFile, append(text, '\n'), 0o600) != nil {
			t.Fatal(err)
		}
		return
	}
	compare := func(list []recorded) (texts []string) {
		for _, x := range list {
			answer := ""
			if os.Getenv(envDir) != "" {
				answer = squeeze(x.Answer)
			}
			texts = append(texts, x.Operation+" "+squeeze(x.Variables)+" "+answer)
		}
		return texts
	}
	if diff := cmp.Diff(compare(want), compare(got)); diff != "" {
		t.Errorf("exchanges (-recorded +now):\n%s", diff)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What differs from one Vendure to the next.
var (
	timeOfMaking = regexp.MustCompile(`"createdAt":"[^"]*"`)
	channelToken = regexp.MustCompile(`"token":"[^"]*"`)
)

// squeeze is a JSON value with its members in the order of their names, without space.
func squeeze(raw json.RawMessage) string {
	var value any // null where nothing was sent
	if err := json.Unmarshal(raw, &value); err != nil && len(raw) > 0 {
		return string(raw)
	}
	text, _ := json.Marshal(value)
	return string(text)
}

// life is that of a listing from its creation to its end, with a merchant who does nothing.
func life(t *testing.T, a shopadapter.Adapter) {
	t.Helper()
	p := laws.WithDetails(lamp("p", 3), 0)
	var l shopadapter.Listing
	publish := func(changed shopadapter.Fields) {
		t.Helper()
		next, err := a.Publish(t.Context(), ref(p, l), p, changed)
		if err != nil || len(next.Variants) != len(p.Variants) || next.Kept != 0 {
			t.Fatalf("published: %+v, %v", next, err)
		}
		l = next
	}
	if is, err := a.Check(t.Context()); err != nil || is.Currency != "EUR" {
		t.Fatalf("checked: %+v, %v", is, err)
	}
	publish(shopadapter.AllFields)
	publish(shopadapter.AllFields) // which changes nothing
	p.Title, p.Variants[1].Price, p.Variants[2].Quantity = "Another lamp", "77.00", 0
	publish(shopadapter.FieldTitle | shopadapter.FieldPrice | shopadapter.FieldStock)
	p.Variants = p.Variants[:2]
	publish(shopadapter.FieldVariants)
	for o, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil || o.Ref.Publication != p.ID || !o.OnSale || o.Edited != 0 || len(o.Variants) != 2 ||
			o.Variants[1].Price != "77.00" {
			t.Errorf("listed: %+v, %v", o, err)
		}
	}
	whole := p
	p = p.OnlyFigures()
	p.Variants[0].Quantity = 3
	publish(shopadapter.FieldStock)
	p = whole
	for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
		if _, err := a.Unpublish(t.Context(), ref(p, l), how); err != nil {
			t.Fatal(err)
		}
	}
}
