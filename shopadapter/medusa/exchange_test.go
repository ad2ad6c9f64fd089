package medusa_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var record = flag.Bool("medusa.record", false, "write the real Medusa's answers to testdata/exchanges.json")

// An exchange is one request and what a real Medusa answered. In a request "${name}" stands for a
// text of an earlier answer, which Keep names by its path; in an answer an id stands as its prefix
// and the number of its first appearance.
type exchange struct {
	Name   string            `json:"name"`
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Body   json.RawMessage   `json:"body,omitempty"`
	Keep   map[string]string `json:"keep,omitempty"`
	Status int               `json:"status"`
	Answer json.RawMessage   `json:"answer"`
}

const exchangesFile = "testdata/exchanges.json"

// TestExchanges holds the fake to the answers of a real Medusa.
func TestExchanges(t *testing.T) {
	f := newFake(t)
	exchanges(t, owner{f}, origin, fakeKey)
}

// exchanges sends each recorded request to a shop. Its answers must hold what was recorded; they
// may hold more.
func exchanges(t *testing.T, transport http.RoundTripper, base, key string) {
	text, err := os.ReadFile(exchangesFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	kept, names := map[string]string{}, &namer{known: map[string]string{}}
	for i := range all {
		e := &all[i]
		status, answer := e.send(t, transport, base, key, kept)
		var whole any
		if err := json.Unmarshal(answer, &whole); err != nil {
			t.Fatalf("%s: %v: %s", e.Name, err, answer)
		}
		got := names.normal(whole) // sorts whole
		for name, path := range e.Keep {
			if kept[name] = at(whole, path); kept[name] == "" {
				t.Fatalf("%s: no %s in %s", e.Name, path, answer)
			}
		}
		if *record && base != origin {
			e.Status = status
			if e.Answer, err = json.Marshal(got); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var want any
		if err := json.Unmarshal(e.Answer, &want); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if status != e.Status {
			t.Errorf("%s: status %d, recorded was %d", e.Name, status, e.Status)
		}
		for _, difference := range lacks("", got, want) {
			t.Errorf("%s: %s", e.Name, difference)
		}
	}
	if *record && base != origin {
		text, err := json.MarshalIndent(all, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(exchangesFile, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (e *exchange) send(
	t *testing.T,
	transport http.RoundTripper,
	base, key string,
	kept map[string]string,
) (int, []byte) {
	t.Helper()
	path, body := e.Path, string(e.Body)
	for name, value := range kept {
		path, body = strings.ReplaceAll(path, "${"+name+"}", value), strings.ReplaceAll(body, "${"+name+"}", value)
	}
	body = strings.ReplaceAll(body, `"${long}"`, `"`+strings.Repeat("long ", 22_000)+`"`)
	request, err := http.NewRequestWithContext(t.Context(), e.Method, base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "without a key" {
		request.SetBasicAuth(key, "")
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// at is the text at a path of member names and places: product.variants.0.id.
func at(value any, path string) string {
	for _, part := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(v) {
				return ""
			}
			value = v[i]
		}
	}
	s, _ := value.(string)
	return s
}

// A namer gives ids the names that they have in the record.
type namer struct{ known map[string]string }

var idForm = regexp.MustCompile(
	`\b(prod|variant|opt|optval|iitem|ilev|price|pcat|trans|sc|sloc|sp|img|pvitem|prpref|plist|store)_[0-9A-Za-z]+`,
)

// left out of the record: times, raw numbers, and members that the adapter never asks for.
var noise = regexp.MustCompile(
	`^(.*_at|raw_.*|rank|variant_rank|mpath|limit|code|variant_id|incoming_quantity|reserved_quantity|` +
		`available_quantity|inventory_item)$`,
)

func (n *namer) normal(value any) any {
	switch v := value.(type) {
	case map[string]any:
		m := map[string]any{}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if !noise.MatchString(name) {
				m[name] = n.normal(v[name])
			}
		}
		return m
	case []any:
		// Medusa answers lists in no order that can be relied on.
		list := make([]any, 0, len(v))
		slices.SortStableFunc(v, func(a, b any) int { return strings.Compare(order(a), order(b)) })
		for _, one := range v {
			list = append(list, n.normal(one))
		}
		return list
	case string:
		return idForm.ReplaceAllStringFunc(v, func(id string) string {
			if n.known[id] == "" {
				prefix, _, _ := strings.Cut(id, "_")
				count := 1
				for known := range n.known {
					if strings.HasPrefix(known, prefix+"_") {
						count++
					}
				}
				n.known[id] = fmt.Sprintf("%s#%d", prefix, count)
			}
			return n.known[id]
		})
	}
	return value
}

// order is what a list is sorted by: the words of a member, never its id.
func order(value any) string {
	m, _ := value.(map[string]any)
	var b strings.Builder
	for _, name := range []string{"sku", "title", "value", "locale_code", "handle", "currency_code", "amount", "url"} {
		fmt.Fprint(&b, m[name], " ")
	}
	return b.String()
}

// lacks lists where got does not hold what is wanted.
func lacks(path string, got, want any) (differences []string) {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for name, value := range w {
			if _, there := g[name]; !there && value != nil {
				differences = append(differences, fmt.Sprintf("%s.%s is missing", path, name))
				continue
			}
			differences = append(differences, lacks(path+"."+name, g[name], value)...)
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			return []string{fmt.Sprintf("%s has %d members, recorded were %d", path, len(g), len(w))}
		}
		for i := range w {
			differences = append(differences, lacks(fmt.Sprintf("%s.%d", path, i), g[i], w[i])...)
		}
	default:
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return []string{fmt.Sprintf("%s is %v, recorded was %v", path, got, want)}
		}
	}
	return differences
}
