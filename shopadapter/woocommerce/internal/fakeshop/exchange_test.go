package fakeshop

import (
	"bytes"
	_ "embed" // of the exchanges
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
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

// The fake answers each recorded request as the real one did.
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
		if why != "" {
			t.Errorf("%s\n%s", request, why)
		}
	}
}

// The fake's answers have no fields but those that were recorded.
func TestFakeAnswersInTheRecordedForm(t *testing.T) {
	f := New(t)
	f.lenient = true
	f.ask(t, "POST", "/products",
		`{"name":"A tee","sku":"TEE","type":"variable","images":[{"src":"https://img.example.com/red.jpg"}],
		"attributes":[{"name":"Color","variation":true,"options":["Red"]},{"id":1,"options":["Wool"]}],
		  "meta_data":[{"key":"k","value":{"a":1}}]}`,
	)
	_, tee := f.ask(t, "GET", "/products?sku=TEE", "")
	id := tee.([]any)[0].(map[string]any)["id"]
	f.ask(t, "POST", fmt.Sprintf("/products/%v/variations", id),
		`{"sku":"TEE-R","regular_price":"5","sale_price":"4","attributes":[{"name":"Color","option":"Red"}]}`,
	)
	for request, form := range map[string]string{
		`POST /products {"name":"plain","status":"draft"}`:                                                "answer product",
		`POST /products {"name":"priced","regular_price":"3","manage_stock":true,"stock_quantity":2}`:     "answer product",
		`GET /products?context=edit`:                                                                      "answer product",
		fmt.Sprintf(`GET /products/%v?context=edit`, id):                                                  "answer product",
		fmt.Sprintf(`PUT /products/%v {"name":"Another"}`, id):                                            "answer product",
		fmt.Sprintf(`GET /products/%v/variations`, id):                                                    "answer variation",
		fmt.Sprintf(`POST /products/%v/variations {"sku":"TEE-S"}`, id):                                   "answer variation",
		fmt.Sprintf(`POST /products/%v/variations/batch {"create":[{"sku":"TEE-T","menu_order":7}]}`, id): "answer variation",
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		status, got := f.ask(t, method, path, body)
		if batch, ok := got.(map[string]any); ok && batch["create"] != nil {
			got = batch["create"]
		}
		list, ok := got.([]any)
		if !ok {
			list = []any{got}
		}
		for _, answer := range list {
			fields := answer.(map[string]any)
			delete(fields, "parent_id") // the two tell a product from a variation
			delete(fields, "type")
			for _, complaint := range unfit(form, &argument{Fields: schema()[form]}, fields) {
				t.Errorf("%s (HTTP %d): %s", request, status, complaint)
			}
		}
		if len(list) == 0 {
			t.Errorf("%s: nothing was answered", request)
		}
	}
}

// A request that no route takes is found out, also where a real shop is silent.
func TestComplaints(t *testing.T) {
	for request, want := range map[string]string{
		`POST /products {"name":"x","nme":"y"}`:                               "has no nme to be set",
		`PUT /products/7 {"status":"hidden"}`:                                 "status is not one of",
		`PUT /products/7 {"images":[{"adress":"x"}]}`:                         "images has no adress to be set",
		`GET /products?meta_key=x`:                                            "has no meta_key to be set",
		`GET /products/categories?orderby=count&hide_empty=true`:              "",
		`POST /products/7/variations/batch {"create":[{"status":"trash"}]}`:   "status is not one of",
		`PUT /products/7?_fields=id {"meta_data":[{"key":"k","value":null}]}`: "",
	} {
		method, rest, _ := strings.Cut(request, " ")
		address, text, _ := strings.Cut(rest, " ")
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if text != "" {
			if err := json.Unmarshal([]byte(text), &body); err != nil {
				t.Fatal(err)
			}
		}
		all := strings.Join(complaints(method, u.Path, u.Query(), body), "\n")
		if want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%s: %q, want %q", request, all, want)
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
