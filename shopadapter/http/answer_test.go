package httpshop

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

func twoVariants() shopadapter.Product {
	return shopadapter.Product{
		ID:       "p1",
		Variants: []shopadapter.Variant{{ID: "v1"}, {ID: "v2"}},
		Images:   []string{"https://i/1", "https://i/2", "https://i/1"},
	}
}

func TestListings(t *testing.T) {
	none, unnamed := map[string]string{}, []shopadapter.ListedVariant{}
	for _, tt := range []struct {
		name string
		body string
		want shopadapter.Listing
	}{
		{
			"whole", `{"id":"7","url":"https://shop.example.com/p/7?a=b#c","variants":{"v1":"71","v2":"72"}}`,
			shopadapter.Listing{
				ID: "7", URL: "https://shop.example.com/p/7?a=b#c",
				Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "71"}, {ID: "v2", ShopID: "72"}},
				Refused:  none,
			},
		},
		{
			"numbers", `{"id":12345678901234567890,"url":"http://localhost:8080/7","variants":{"v1":71,"v2":72}}`,
			shopadapter.Listing{
				ID: "12345678901234567890", URL: "http://localhost:8080/7",
				Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "71"}, {ID: "v2", ShopID: "72"}}, Refused: none,
			},
		},
		{"an id alone", `{"id":"7"}`, shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none}},
		{
			"null for nothing", `{"id":"7","url":null,"variants":null,"refused":null}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none},
		},
		{
			"lists for empty objects", `{"id":"7","variants":[],"refused":[]}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none},
		},
		{
			"one refused", `{"id":"7","variants":{"v1":"71"},"refused":{"v2":"too\n\u001b[31mheavy"}}`,
			shopadapter.Listing{
				ID: "7", Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "71"}},
				Refused: map[string]string{"v2": "too [31mheavy"},
			},
		},
		{
			"refused and listed is refused", `{"id":"7","variants":{"v1":"71","v2":"72"},"refused":{"v2":""}}`,
			shopadapter.Listing{
				ID: "7", Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "71"}},
				Refused: map[string]string{"v2": "refused by the shop without a reason"},
			},
		},
		{
			"null is not refused", `{"id":"7","refused":{"v1":null,"v2":null}}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none},
		},
		{
			"unknown variants", `{"id":"7","variants":{"v9":"79"},"refused":{"v8":"no"}}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none},
		},
		{
			"pictures missing",
			`{"id":"7","missing":[7,null,{"url":"https://i/2","reason":"no\nanswer","later":true},` +
				`{"url":"https://i/1","reason":{}},{"url":"https://i/3"}]}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none, Missing: []shopadapter.Picture{
				{URL: "https://i/1", Reason: "not shown by the shop, which gives no reason"}, {
					URL: "https://i/2", Reason: "no answer", Later: true,
				},
			}},
		},
		{
			"more members", `{"id":"7","message":"well done","price":{"a":[1]}}`,
			shopadapter.Listing{ID: "7", Variants: unnamed, Refused: none},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := &scripted{code: http.StatusCreated, body: tt.body}
			got, err := shop.open(t).
				Publish(t.Context(), shopadapter.Ref{Publication: "p1"}, twoVariants(), shopadapter.AllFields)
			if err != nil {
				t.Fatal(err)
			}
			got.State = nil // what was sent
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswersThatAreNoListing(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		kind shopadapter.Kind
		id   shopadapter.ListingID
		want string
	}{
		{"empty", ``, shopadapter.Transient, "", "without the id of a listing: 200 OK"},
		{"a page", `<!doctype html><p>back soon`, shopadapter.Transient, "", "200 OK: an HTML page"},
		{"text", `stored`, shopadapter.Transient, "", "200 OK: stored"},
		{"half", `{"id":"7","url":"https://shop`, shopadapter.Transient, "", "without the id"},
		{"followed by more", `{"id":"7"}{"id":"8"}`, shopadapter.Transient, "", "without the id"},
		{"a list", `[{"id":"7"}]`, shopadapter.Transient, "", "without the id"},
		{"null", `null`, shopadapter.Transient, "", "without the id"},
		{"no id", `{"url":"https://shop.example.com/7"}`, shopadapter.Transient, "", "without the id"},
		{"an empty id", `{"id":""}`, shopadapter.Transient, "", "without the id"},
		{"null as id", `{"id":null}`, shopadapter.Transient, "", "without the id"},
		{"true as id", `{"id":true}`, shopadapter.Transient, "", "without the id"},
		{"an object as id", `{"id":{"value":"7"}}`, shopadapter.Transient, "", "without the id"},
		{
			"all refused", `{"id":"7","refused":{"v1":"too heavy","v2":"too light"}}`, shopadapter.Rejected, "7",
			"refuses every variant: too light",
		},
		{"a relative address", `{"id":"7","url":"/p/7"}`, shopadapter.Blocked, "7", `"/p/7"`},
		{"an address without a scheme", `{"id":"7","url":"shop.example.com/7"}`, shopadapter.Blocked, "7", "absolute"},
		{"another scheme", `{"id":"7","url":"javascript:alert(1)"}`, shopadapter.Blocked, "7", "absolute"},
		{
			"an address with a password", `{"id":"7","url":"https://a:b@shop.example.com/7"}`, shopadapter.Blocked, "7",
			"absolute",
		},
		{"an address with a space", `{"id":"7","url":"https://shop.example.com/a b"}`, shopadapter.Blocked, "7", "absolute"},
		{"an address of two lines", `{"id":"7","url":"https://shop.example.com/\n7"}`, shopadapter.Blocked, "7", "absolute"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := &scripted{code: http.StatusOK, body: tt.body}
			got, err := shop.open(t).
				Publish(t.Context(), shopadapter.Ref{Publication: "p1"}, twoVariants(), shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tt.kind || e.ShopWide || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("error %+v, want %s with %q", e, tt.kind, tt.want)
			}
			if got.ID != tt.id || got.URL != "" {
				t.Errorf("beside the error stands the listing %+v, want the id %q and no address", got, tt.id)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	long := strings.Repeat("é", 1000)
	for _, tt := range []struct {
		name string
		code int
		body string
		want string
	}{
		{"title and detail", 422, `{"title":"EAN","detail":"8711 is short"}`, "the shop refused the product: 422 " +
			"Unprocessable Entity: EAN: 8711 is short"},
		{"detail alone", 400, `{"detail":"no"}`, "the shop refused the product: 400 Bad Request: no"},
		{"title alone", 409, `{"title":"twice"}`, "the shop refused the product: 409 Conflict: twice"},
		{"text", 413, "too\r\n\tlarge\x00\x1b[2J\u202e ", "the shop refused the product: 413 Request Entity Too " +
			"Large: too large[2J"},
		{"other JSON", 422, `{"error":"nope"}`, `the shop refused the product: 422 Unprocessable Entity: {"error":"nope"}`},
		{"nothing", 422, ``, "the shop refused the product: 422 Unprocessable Entity"},
		{"a page", 500, "\n <html>secret stack trace</html>", "the shop's endpoint cannot answer now: 500 Internal " +
			"Server Error: an HTML page"},
		{"not UTF-8", 500, "caf\xe9", "the shop's endpoint cannot answer now: 500 Internal Server Error: caf\uFFFD"},
		{"long", 422, long, "the shop refused the product: 422 Unprocessable Entity: " + long[:2*maxShown] + "…"},
		{"a number nobody knows", 499, "x", "the shop's endpoint cannot answer now: 499: x"},
		{
			"wrong types", 422, `{"title":["a"],"detail":{"b":1}}`,
			`the shop refused the product: 422 Unprocessable Entity: {"title":["a"],"detail":{"b":1}}`,
		},
		{"unauthorized", 401, ``, "the shop's endpoint refused the token: check PUBSYNC_HTTP_TOKEN (401 Unauthorized)"},
		{"wrong address", 404, `page not found`, "the shop's endpoint is not there, the address is wrong: check " +
			"PUBSYNC_HTTP_URL (404 Not Found: page not found)"},
		{
			"moved", 301, ``,
			`the shop's endpoint redirects: set PUBSYNC_HTTP_URL to where it really is ` +
				`(301 Moved Permanently: to https://www.example.com/ 7)`,
		},
		{"slow down", 429, ``, "the shop's endpoint asks for a pause: 429 Too Many Requests"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := &scripted{
				code:   tt.code,
				body:   tt.body,
				header: map[string]string{"Location": "https://www.example.com/ 7"},
			}
			err := shop.open(t).verbs()["PUT"](t.Context())
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestCheckSpeaksOfNoProduct(t *testing.T) {
	shop := &scripted{code: 422, body: `{"detail":"the database is locked"}`}
	_, err := shop.open(t).Check(t.Context())
	if want := "the shop's endpoint is not well: 422 Unprocessable Entity: the database is locked"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A body of any language's making: a removal needs none.
func TestRemovalsBody(t *testing.T) {
	for body, failed := range map[string]bool{"": false, "ok": false, `{"done":true}`: false, " \n<html>back soon": true} {
		shop := &scripted{code: 200, body: body, header: map[string]string{"Content-Type": "text/html"}}
		_, err := shop.open(t).Unpublish(t.Context(), shopadapter.Ref{Publication: "p1"}, shopadapter.Delete)
		if (err != nil) != failed {
			t.Errorf("%q: got %v, want an error: %t", body, err, failed)
		}
	}
}

func FuzzListing(f *testing.F) {
	for _, seed := range []string{
		`{"id":"7","url":"https://shop.example.com/7","variants":{"v1":"71"},"refused":{"v2":"no"}}`,
		`{"id":7,"variants":[],"refused":{"v1":null}}`, `{"id":"7","refused":{"v1":"a","v2":"b"}}`, `{"id":"7","url":"//x"}`,
		`<html>`, `null`,
		`{"id":"7","url":"https://` + sentToken + `"}`,
	} {
		f.Add([]byte(seed), 200)
	}
	f.Add([]byte(`{"title":"a","detail":"b"}`), 422)
	a, err := open(shopadapter.Options{
		Settings: map[string]string{
			"URL":   "http://localhost",
			"TOKEN": sentToken,
		}, HTTPClient: &http.Client{Transport: &scripted{}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, code int) {
		shown := func(text string) {
			if !utf8.ValidString(text) || strings.Contains(text, sentToken) ||
				utf8.RuneCountInString(text) > 3*maxShown ||
				strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("got %q, want a text that is fit to be shown", text)
			}
		}
		resp := &wire.Answer{Status: code, Header: http.Header{}, Body: body}
		shown(a.classify(resp).Error())
		l, err := a.listing(resp, twoVariants())
		if e := shopadapter.Explain(err); e != nil {
			shown(e.Error())
		} else if l.ID == "" || len(l.Refused) == 2 {
			t.Errorf("got the listing %+v, want none", l)
		}
		if l.URL != "" && !strings.HasPrefix(strings.ToLower(l.URL), "http") {
			t.Errorf("got the address %q, want none", l.URL)
		}
		for id, reason := range l.Refused {
			shown(reason)
			if reason == "" || l.ShopIDs()[id] != "" {
				t.Errorf("variant %s: got %+v, want it of the product", id, l)
			}
		}
	})
}

// maxShown bounds what is shown of a text from the endpoint, in characters.
const maxShown = 200
