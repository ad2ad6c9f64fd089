package httpshop

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const sentToken = `t0ken/with"quotes"&more`

// A scripted endpoint answers every request alike, in process, and keeps the last one.
type scripted struct {
	code   int
	header map[string]string
	body   string
	err    error
	health string // what GET /health answers, where that is another answer

	req   *http.Request
	sent  string
	asked int // times that health was asked for, where that is another answer
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.health != "" && strings.HasSuffix(req.URL.Path, "/health") {
		s.asked++
		return &http.Response{
			StatusCode: http.StatusOK,
			Body:       io.NopCloser(strings.NewReader(s.health)),
			Request:    req,
		}, nil
	}
	s.req, s.sent = req, ""
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		s.sent = string(data)
	}
	if s.err != nil {
		return nil, s.err
	}
	header := http.Header{}
	for name, value := range s.header {
		header.Set(name, value)
	}
	return &http.Response{
		StatusCode: s.code,
		Header:     header,
		Body:       io.NopCloser(strings.NewReader(s.body)),
		Request:    req,
	}, nil
}

func (s *scripted) open(t *testing.T) *adapter {
	t.Helper()
	a, err := open(shopadapter.Options{
		Settings:   map[string]string{"URL": "https://shop.example.com/pubsync", "TOKEN": sentToken},
		HTTPClient: &http.Client{Transport: s},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// verbs are the three requests. A PUT is of a listing that is known.
func (a *adapter) verbs() map[string]func(context.Context) error {
	ref := shopadapter.Ref{Publication: "p1", Listing: "7"}
	return map[string]func(context.Context) error{
		"PUT": func(ctx context.Context) error {
			_, err := a.Publish(
				ctx, ref, shopadapter.Product{ID: "p1", Variants: []shopadapter.Variant{{ID: "v1"}}},
				shopadapter.FieldPrice,
			)
			return err
		},
		"DELETE": func(ctx context.Context) error {
			_, err := a.Unpublish(ctx, ref, shopadapter.TakeOffline)
			return err
		},
		"GET": a.checked,
	}
}

func TestPut(t *testing.T) {
	full := shopadapter.Product{
		ID: "p/1", ListingID: "l1", ProductID: "s1", Language: "en", Title: `Tom & "Jerry" <3`, Description: "<p>Hello</p>",
		Translations: map[string]shopadapter.Translation{"en": {Title: "Tom", Description: "<p>Hello</p>"}},
		Category:     shopadapter.Category{Path: "TOYS", Name: "Toys"}, Options: []string{"Color"},
		Variants: []shopadapter.Variant{{
			ID: "v1", Title: "Red", SKU: "S1", EAN: "871", Options: []shopadapter.Option{{Name: "Color", Value: "Red"}},
			Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12, Backorders: true,
		}},
		Images: []string{"https://images.example.com/1.jpg"},
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
		},
		Returns: "true", UpdatedAt: "2026-11-01T08:00:00Z",
	}
	const fullJSON = `{"id":"p/1","listingId":"l1","productId":"s1","language":"en",` +
		`"title":"Tom & \"Jerry\" <3","description":"<p>Hello</p>",` +
		`"translations":{"en":{"title":"Tom","description":"<p>Hello</p>"}},` +
		`"category":{"path":"TOYS","name":"Toys"},"options":["Color"],` +
		`"variants":[{"id":"v1","title":"Red","sku":"S1","ean":"871",` +
		`"options":[{"name":"Color","value":"Red"}],"price":"19.95","cost":"10.00",` +
		`"msrp":"19.95","quantity":12,"backorders":true}],"images":["https://images.example.com/1.jpg"],` +
		`"shipping":[{"countryGroup":"NL","fixedCosts":"4.95","variableCosts":"0.50","estimatedDays":"3"}],` +
		`"returns":"true","updatedAt":"2026-11-01T08:00:00Z","changed":`
	const bareJSON = `{"id":"p/1","listingId":"","productId":"","language":"",` +
		`"title":"","description":"","translations":{},` +
		`"category":{"path":"","name":""},"options":[],` +
		`"variants":[{"id":"","title":"","sku":"","ean":"","options":[],"price":"","cost":"","msrp":"",` +
		`"quantity":0,"backorders":false}],"images":[],"shipping":[],"returns":"","updatedAt":"","changed":`
	const everything = `["title","description","images","category","variants","price","stock","shipping",` +
		`"brand","details"]}`
	bare := shopadapter.Product{ID: "p/1", Variants: make([]shopadapter.Variant, 1)}
	for _, tt := range []struct {
		name    string
		ref     shopadapter.Ref
		product shopadapter.Product
		changed shopadapter.Fields
		body    string
	}{
		{
			"an update",
			shopadapter.Ref{Listing: "7"},
			full, shopadapter.FieldPrice | shopadapter.FieldStock,
			fullJSON + `["price","stock"]}`,
		},
		{"nothing changed", shopadapter.Ref{Listing: "7"}, full, 0, fullJSON + `[]}`},
		{"a creation", shopadapter.Ref{}, full, shopadapter.FieldPrice, fullJSON + everything},
		{
			"a group given back",
			shopadapter.Ref{Listing: "7", Reset: shopadapter.FieldTitle},
			full, shopadapter.FieldStock,
			fullJSON + `["title","stock"],"reset":["title"]}`,
		},
		{
			"variants are switched on again",
			shopadapter.Ref{Listing: "7", Revive: true},
			full, shopadapter.FieldVariants,
			fullJSON + `["variants"],"revive":true}`,
		},
		{"no list is null", shopadapter.Ref{}, bare, shopadapter.AllFields, bareJSON + everything},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop := &scripted{code: 200, body: `{"id":"7"}`}
			tt.ref.Publication = "p/1"
			if _, err := shop.open(t).Publish(t.Context(), tt.ref, tt.product, tt.changed); err != nil {
				t.Fatal(err)
			}
			if got := shop.req.Method + " " + shop.req.URL.String(); got != "PUT "+
				"https://shop.example.com/pubsync/products/p%2F1" {
				t.Error(got)
			}
			if diff := cmp.Diff(tt.body, shop.sent); diff != "" {
				t.Error(diff)
			}
			want := http.Header{
				"Authorization": {
					"Bearer " + sentToken,
				}, "Content-Type": {"application/json"}, "Accept": {"application/json, application/problem+json"},
			}
			if diff := cmp.Diff(want, shop.req.Header); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A product arrives as it was given, through a real client and a real server.
func TestAnyIDArrives(t *testing.T) {
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { got = req.RequestURI }))
	defer srv.Close()
	a, err := open(
		shopadapter.Options{Settings: map[string]string{"URL": srv.URL + "/base/"}, HTTPClient: srv.Client()},
	)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[shopadapter.PublicationID]string{
		"plain-1_a~b.c":   "plain-1_a~b.c",
		".":               "%2E",
		"..":              "%2E%2E",
		"...":             "...",
		"../x":            "..%2Fx",
		"a/b?c#d":         "a%2Fb%3Fc%23d",
		"a%2Fb":           "a%252Fb",
		"a b+c":           "a%20b%2Bc",
		`"'\;:@&=$,!*()`:  "%22%27%5C%3B%3A%40%26%3D%24%2C%21%2A%28%29",
		"line\n\x00\x7f":  "line%0A%00%7F",
		"é日":              "%C3%A9%E6%97%A5",
		"\xff not UTF-8 ": "%FF%20not%20UTF-8%20",
	} {
		if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: id}, shopadapter.Delete); err != nil {
			t.Error(err)
		}
		if want = "/base/products/" + want + "?mode=delete"; got != want {
			t.Errorf("%q arrived as %s, want %s", id, got, want)
		}
	}
}

func TestNoTokenNoHeader(t *testing.T) {
	shop := &scripted{code: 200}
	a, err := open(
		shopadapter.Options{
			Settings:   map[string]string{"URL": "http://localhost"},
			HTTPClient: &http.Client{Transport: shop},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, set := shop.req.Header["Authorization"]; set || shop.req.URL.String() != "http://localhost/health" {
		t.Errorf("got %s with %v, want no token", shop.req.URL, shop.req.Header)
	}
}

// A status means to each of the three requests what wire.Meaning says, but for a DELETE of what is
// not there, and for a check, which is of no product. No redirect is followed.
func TestStatuses(t *testing.T) {
	for code := 200; code < 600; code++ {
		header := map[string]string{"Location": "https://elsewhere.example.net/"}
		shop := &scripted{code: code, body: `{"id":"7"}`, header: header}
		want := (&wire.Answer{Status: code}).StatusError("")
		for verb, call := range shop.open(t).verbs() {
			got := shopadapter.Explain(call(t.Context()))
			switch {
			case code == 404 && verb == "DELETE", code == 200, code < 300 && verb != "GET":
				if got != nil {
					t.Errorf("%s answered %d: got %v, want nil", verb, code, got)
				}
			case got == nil, got.ShopWide != want.ShopWide,
				got.Kind != want.Kind && (verb != "GET" || want.Kind != shopadapter.Rejected || got.Kind != shopadapter.Transient):
				t.Errorf("%s answered %d: got %+v, want %+v", verb, code, got, want)
			}
			if shop.req.URL.Host != "shop.example.com" {
				t.Fatalf("%s answered %d: got a request of %s, want none after the redirect", verb, code, shop.req.URL)
			}
		}
	}
}

func TestNoWholeAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		shop scripted
		want string
	}{
		{"no connection", scripted{err: errors.New("connection refused")}, "no answer from the shop's " +
			"endpoint that can be used: no answer: " +
			"connection refused"},
		{"too long", scripted{code: 200, body: strings.Repeat(" ", int(limits.Bytes)) + `{"id":"7"}`}, "longer than 1048576"},
		{
			"too many",
			scripted{code: 200, body: `{"id":"7","refused":[{}` + strings.Repeat(",{}", 100_000) + `]}`},
			"more than 40000 elements",
		},
	} {
		for verb, call := range tt.shop.open(t).verbs() {
			e := shopadapter.Explain(call(t.Context()))
			if e == nil || e.Kind != shopadapter.Transient || e.ShopWide || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%s, %s: got %+v, want %+v", tt.name, verb, e, tt)
			}
		}
	}
	almost := scripted{code: 200, body: strings.Repeat(" ", int(limits.Bytes)-10) + `{"id":"7"}`}
	if err := almost.open(t).verbs()["PUT"](t.Context()); err != nil {
		t.Errorf("an answer of 1 MiB: got %v, want nil", err)
	}
}

func TestSettings(t *testing.T) {
	if a, err := shopadapter.Open(Name, shopadapter.Options{}); a != nil || err == nil ||
		!strings.Contains(err.Error(), "PUBSYNC_HTTP_URL: is required") {
		t.Errorf("without an address: got %v, %v", a, err)
	}
	factory, ok := shopadapter.Lookup("http")
	if list := factory.List(); !ok || len(list) != 3 || !list[0].Required || list[0].Secret || !list[1].Secret {
		t.Errorf("registered: got %+v, want a summary and the settings", factory)
	}
}

// checked is the error of a check.
func (a *adapter) checked(ctx context.Context) error {
	_, err := a.Check(ctx)
	return err
}
