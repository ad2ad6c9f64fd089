package fakeshop

import (
	"bytes"
	_ "embed" // of the exchanges
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// recorded is what a real WooCommerce 11.0.1 answered, in this order: a request (method, path below the
// API's root, body), the status and as much of the answer as the adapter could go by. "$name" in an
// answer notes the value, or holds it to the one noted; in a request it is put in. null: the field is
// null or not there.
//
//go:embed testdata/exchanges.txt
var recorded string

// fields are all that a real product has, and a real variation.
//
//go:embed testdata/fields.txt
var fields string

// The fake answers each recorded request as the real one did, with no fields of its own.
func TestFakeAnswersAsRecorded(t *testing.T) {
	f := New(t)
	f.lenient = true
	known := map[string]any{"$101": strings.Repeat("1,", 100) + "1"}
	for exchange := range strings.SplitSeq(strings.TrimSpace(recorded), "\n\n") {
		request, answer, _ := strings.Cut(exchange, "\n")
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		status, got := f.ask(t, method, filled(path, known), filled(body, known))
		wantStatus, text, _ := strings.Cut(answer, " ")
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		why := lacks(got, want, known)
		if fmt.Sprint(status) != wantStatus {
			why = fmt.Sprintf("answered %d, recorded was %s: %v", status, wantStatus, got)
		}
		shown, _ := got.(map[string]any)
		for name := range shown {
			if shown["sku"] != nil && !slices.Contains(strings.Fields(fields), name) {
				why += " has the field " + name
			}
		}
		if why != "" {
			t.Errorf("%s\n%s", request, why)
		}
	}
}

// ask makes a request as anybody with the key could.
func (f *Shop) ask(t *testing.T, method, path, body string) (int, any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, f.Base+apiRoot+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(Key, Secret)
	req.Header.Set("User-Agent", "test")
	resp, err := f.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s %s answered %s", method, path, data)
	}
	return resp.StatusCode, got
}

// filled is a request with the values that were noted.
func filled(text string, known map[string]any) string {
	names := slices.Collect(maps.Keys(known))
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		text = strings.ReplaceAll(text, name, fmt.Sprint(known[name]))
	}
	return text
}

// lacks says what of the wanted answer is not in the one that came, "" where all of it is.
func lacks(got, want any, known map[string]any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%v is no object", got)
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if why := lacks(g[name], w[name], known); why != "" {
				return name + ": " + why
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Sprintf("%v is no list of %d", got, len(w))
		}
		for i := range w {
			if why := lacks(g[i], w[i], known); why != "" {
				return fmt.Sprintf("[%d]: %s", i, why)
			}
		}
		return ""
	case string:
		if strings.HasPrefix(w, "$") && known[w] == nil {
			known[w] = got
		}
		if strings.HasPrefix(w, "$") {
			want = known[w]
		} else {
			want = filled(w, known)
		}
	}
	if got != want {
		return fmt.Sprintf("%v, recorded was %v", got, want)
	}
	return ""
}
