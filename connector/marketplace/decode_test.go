package marketplace

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	graphql "github.com/hasura/go-graphql-client"
)

// outer is the outer form of an answer, as the library and complaintsOf read it.
type outer struct {
	Data, Extensions string
	Complaints       []string // their messages
}

// readOuter reads body as the answer to a request. The error is the library's.
func readOuter(t *testing.T, body []byte) (outer, error) {
	t.Helper()
	wire := doer(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	})
	data, extensions, err := graphql.NewClient("https://market.test", wire).
		ExecRawWithExtensions(t.Context(), "{a}", nil)
	read := outer{Data: string(data), Extensions: string(extensions)}
	for _, c := range complaintsOf(err, body) {
		read.Complaints = append(read.Complaints, c.message)
	}
	return read, err
}

// doer is a function as the library's HTTP client.
type doer func(*http.Request) (*http.Response, error)

func (f doer) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheOuterFormOfAnAnswer(t *testing.T) {
	for body, want := range map[string]outer{
		`{"data":{"a":1},"errors":[],"extensions":{"x":1}}`: {Data: `{"a":1}`, Extensions: `{"x":1}`},
		`{"data":null,"more":[{"data":1}]}`:                 {Data: `null`},
		`{"data":1,"data":2}`:                               {Data: `2`},
		` {"data":1} {"errors":1}`:                          {Data: `1`},
		`{"data":1}x`:                                       {Data: `1`},
		`{}`:                                                {},
		`{"data":1,"errors":[{"message":"a","path":["b",0]},{"message":"c"}]}`: {
			Data: `1`, Complaints: []string{"a", "c"},
		},
		`{"data":1,"errors":"a","extensions":{"x":1}}`: {
			Data: `1`, Extensions: `{"x":1}`, Complaints: []string{"a"},
		},
		`{"data":1,"errors":["a","b"]}`:                              {Data: `1`, Complaints: []string{"a", "b"}},
		`{"data":1,"errors":{"message":"a"}}`:                        {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","extensions":[]}]}`:      {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","path":"b"}]}`:           {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":"a","locations":["here"]}]}`: {Data: `1`, Complaints: []string{"a"}},
		`{"data":1,"errors":[{"message":7}]}`:                        {Data: `1`, Complaints: []string{"7"}},
		`{"errors":[{"message":"a"}]}x`:                              {Complaints: []string{"a"}},
	} {
		got, _ := readOuter(t, []byte(body)) //nolint:errcheck // the complaints are the error
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	for _, body := range []string{
		``, ` `, `x`, `[]`, `7`, `{"data":1`, `{"data" {}}`, `{"data":{},}`, `{"data":[1,]}`, `{"data":01}`,
	} {
		got, err := readOuter(t, []byte(body))
		if err == nil {
			t.Errorf("got no error for %q, want one", body)
		}
		if diff := cmp.Diff(outer{}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// Half a throttle is none: a limit without what remains would be an empty bucket.
func TestAThrottleIsReadWholeOrNotAtAll(t *testing.T) {
	for extensions, want := range map[string]bool{
		`{"throttle":{"limit":"9","remaining":0,"restoreRate":5,"requestedCost":{}},"x":1}`: true,
		`{"throttle":{"limit":9,"remaining":[],"restoreRate":5}}`:                           false,
		`{"throttle":{"limit":9,"restoreRate":5}}`:                                          false,
		`{"throttle":[9,9,5]}`: false, `{"throttle":null}`: false, `[]`: false, `"x"`: false, `null`: false, ``: false,
	} {
		if got := parseThrottle(raw(extensions)); (got.status != nil) != want {
			t.Errorf("got %+v for %s, want a status: %v", got.status, extensions, want)
		}
	}
}

// A server that names a list twice means the second: nothing of a variant comes from another one.
func TestAListNamedTwiceMixesNoVariants(t *testing.T) {
	const (
		first = `[{"id":"a","dropshippingPrice":"1.00","msrp":"2.00","inventoryQuantity":7,` +
			`"options":[{"name":"x","value":"y"}]}]`
		second = `[{"id":"b","dropshippingPrice":"5.00","options":[{"name":"z"}]}]`
	)
	want := Variant{ID: "b", Cost: "5.00", Options: []Option{{Name: "z"}}}
	for _, variants := range []string{
		`"variants":{"nodes":` + first + `,"nodes":` + second + `}`,
		`"variants":{"nodes":` + first + `},"variants":{"nodes":` + second + `}`,
	} {
		w, err := decode(raw(`{"publication":{"listing":{` + variants + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		items := w.Listing.Variants.items()
		if len(items) != 1 {
			t.Fatalf("got %d variants of %s, want 1", len(items), variants)
		}
		if diff := cmp.Diff(want, items[0].variant()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variants, diff)
		}
	}
}

// FuzzDecode holds that no figure is made up: what is read of a variant, or of what shipping costs,
// stands digit by digit in one object of the answer.
func FuzzDecode(f *testing.F) {
	in := func(listing string) string { return `{"data":{"publication":{"listing":{` + listing + `}}}}` }
	for _, body := range []string{
		`{"data":` + contentAnswer() + `}`,
		in(`"variants":{"nodes":[null,{"id":1,"inventoryQuantity":"-3.5","options":[null,{"name":"a"}]}]}`),
		in(`"variants":{"edges":[{"node":{"id":"v","dropshippingPrice":10.10,"MSRP":1E400}}]}`),
		in(`"variants":{"nodes":[{"id":"a","msrp":1}],"nodes":[{"id":"b"}]}`),
		in(`"variants":{"nodes":[{"id":"a","msrp":1,"msrp":"2","ean":[3],"sku":true}]}`),
		in(`"variants":{"nodes":[{"id":"\ud83d\u00e9","dropshippingPrice":12345678901234567890.123456789}]}`),
		in(`"dropshippingShippingDetails":[{"fixedCosts":4.50,"variableCosts":null},7]`),
		in(`"dropshippingShippingDetails":{"countryGroup":"NL","fixedCosts":"4.5"}`),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read, err := readOuter(t, body)
		data := raw(read.Data)
		if err != nil || isNull(data) {
			return
		}
		w, err := decode(data)
		if err != nil || w == nil || w.Listing == nil {
			return
		}
		sent := objects(t, data)
		holds := func(what any, texts []scalar, units quantity) {
			if !slices.ContainsFunc(sent, func(o values) bool { return o.holds(texts, units) }) {
				t.Errorf("got %+v of %q, want what stands in one object of it", what, data)
			}
		}
		if w.Listing.Variants != nil {
			for _, v := range w.Listing.Variants.items() {
				holds(v, []scalar{v.ID, v.Title, v.Cost, v.MSRP, v.SKU, v.EAN.Value, v.Policy}, v.Quantity)
			}
		}
		for _, s := range w.Listing.Shipping.Items {
			holds(s, []scalar{s.CountryGroup, s.FixedCosts, s.VariableCosts, s.EstimatedDays}, quantity{})
		}
	})
}

// values are the texts of an object's own values that are neither objects nor lists.
type values []string

func (o values) holds(texts []scalar, units quantity) bool {
	for _, text := range texts {
		if text != "" && !slices.Contains(o, string(text)) {
			return false
		}
	}
	return !units.set || slices.ContainsFunc(o, func(text string) bool {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return err == nil && math.Floor(x) == float64(units.value)
	})
}

// objects are the values of each object in data, by the tokens that stand there.
func objects(t *testing.T, data []byte) []values {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []values
	var inside []int // objects, by their place in all; lists have one too, of which nothing is asked
	add := func(text string) {
		if len(inside) > 0 {
			i := inside[len(inside)-1]
			all[i] = append(all[i], cut(text))
		}
	}
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				inside, all = append(inside, len(all)), append(all, nil)
			} else {
				inside = inside[:len(inside)-1]
			}
		case json.Number:
			add(v.String())
		case string:
			add(v)
		case bool:
			add(strconv.FormatBool(v))
		}
	}
}
