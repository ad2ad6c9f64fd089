package shopify_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// coded is an answer with one top-level error.
func coded(code, message string) func(string) *http.Response {
	return func(string) *http.Response {
		return respond(http.StatusOK, `{"errors":[{"message":"`+message+`","extensions":{"code":"`+code+`"}}]}`, nil)
	}
}

func status(status int, header http.Header) func(string) *http.Response {
	return func(string) *http.Response { return respond(status, `{"errors":"some words"}`, header) }
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answer   func(operation string) *http.Response
		kind     shopadapter.Kind
		shopWide bool
		after    time.Duration
		says     string
	}{
		{"401", status(401, nil), shopadapter.Blocked, true, 0, "TOKEN"},
		{"402", status(402, nil), shopadapter.Blocked, true, 0, "frozen"},
		{"403", status(403, nil), shopadapter.Blocked, true, 0, "write_products"},
		{"404", status(404, nil), shopadapter.Blocked, true, 0, "lamps.myshopify.com"},
		{"301", status(301, http.Header{"Location": {"https://elsewhere.example"}}), shopadapter.Blocked, true, 0, "STORE"},
		{"413", status(413, nil), shopadapter.Rejected, false, 0, "too large"},
		{"423", status(423, nil), shopadapter.Blocked, true, 0, "locked"},
		{"429", status(429, nil), shopadapter.Transient, true, 0, "later"},
		{
			"429 with Shopify's form of Retry-After", status(429, http.Header{"Retry-After": {"2.5"}}), shopadapter.Transient,
			true,
			2500 * time.Millisecond, "later",
		},
		{
			"429 with Retry-After", status(429, http.Header{"Retry-After": {"30"}}), shopadapter.Transient, true,
			30 * time.Second, "later",
		},
		{"430", status(430, nil), shopadapter.Transient, true, 0, "later"},
		{"500", status(500, nil), shopadapter.Transient, false, 0, "500"},
		{
			"503 with Retry-After", status(503, http.Header{"Retry-After": {"9"}}), shopadapter.Transient, true, 9 * time.Second,
			"later",
		},
		{"202", status(202, nil), shopadapter.Transient, false, 0, "some words"},
		{"a bare text as errors", status(200, nil), shopadapter.Transient, false, 0, "some words"},
		{
			"ACCESS_DENIED", coded("ACCESS_DENIED", "Access denied for locations field. Required access: "+
				"`read_locations` access scope."),
			shopadapter.Blocked, true, 0, "`read_locations`",
		},
		{"SHOP_INACTIVE", coded("SHOP_INACTIVE", "inactive"), shopadapter.Blocked, true, 0, "not active"},
		{
			"INTERNAL_SERVER_ERROR", coded("INTERNAL_SERVER_ERROR", "Looks like something went wrong on our end."),
			shopadapter.Transient, false, 0, "our end",
		},
		{
			"a schema that lacks something", coded("undefinedField", "Field 'x' doesn't exist"), shopadapter.Blocked, true, 0,
			"install a newer pubsync",
		},
		{"INVALID_VARIABLE", coded("INVALID_VARIABLE", "price is invalid"), shopadapter.Rejected, false, 0, "price " +
			"is invalid"},
		{"MAX_COST_EXCEEDED", coded("MAX_COST_EXCEEDED", "cost 1200"), shopadapter.Rejected, false, 0, "too large"},
		{
			"the daily limit of variants", coded("VARIANT_THROTTLE_EXCEEDED", "limit"), shopadapter.Transient, false, time.Hour,
			"daily limit",
		},
		{
			"null", func(string) *http.Response { return respond(200, `{"data":null}`, nil) }, shopadapter.Transient, false, 0,
			"no data",
		},
		{
			"another form", func(string) *http.Response { return respond(200, `{"data":{"product":[1]}}`, nil) },
			shopadapter.Transient, false, 0, "unknown form",
		},
		{
			"too many elements", func(string) *http.Response {
				return respond(200, `{"data":{"product":{"variants":{"nodes":[{}`+strings.Repeat(",{}", 100_000)+`]}}}}`, nil)
			}, shopadapter.Transient, false, 0, "more than 20000 elements",
		},
		{
			"too many errors", func(string) *http.Response {
				return respond(200, `{"errors":[{}`+strings.Repeat(",{}", 100_000)+`]}`, nil)
			},
			shopadapter.Transient, false, 0, "more than 20000 elements",
		},
		{
			"too deep", func(string) *http.Response {
				return respond(200, strings.Repeat(`{"data":`, 100)+`1`+strings.Repeat(`}`, 100), nil)
			},
			shopadapter.Transient, false, 0, "deeper than 20",
		},
		{
			"too long", func(string) *http.Response {
				return respond(200, `{"data":{"product":{"title":"`+strings.Repeat("x", 4<<20)+`"}}}`, nil)
			},
			shopadapter.Transient, false, 0, "longer than 4 MiB",
		},
		{
			"an array", func(string) *http.Response { return respond(200, `[1,2]`, nil) }, shopadapter.Transient, false, 0,
			"not GraphQL",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			ref, _ := publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
			fake.answer = tc.answer
			_, err := a.Publish(t.Context(), ref, lamp("p", 1), shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tc.kind || e.ShopWide != tc.shopWide || e.RetryAfter != tc.after ||
				!strings.Contains(e.Error(), tc.says) {
				t.Errorf("the error is %+v, want %s, shop-wide %t, after %s, %q", e, tc.kind, tc.shopWide, tc.after, tc.says)
			}
		})
	}
}

func TestUserErrors(t *testing.T) {
	for _, tc := range []struct {
		code, field string
		message     string
		kind        shopadapter.Kind
		says        string
	}{
		{"GENERIC_ERROR", `["input"]`, "Something went wrong", shopadapter.Transient, "went wrong"},
		{"PRODUCT_VARIANT_DOES_NOT_EXIST", `["input","variants","0","id"]`, "gone", shopadapter.Transient, "gone"},
		{"CAPABILITY_VIOLATION", `["input","metafields","0"]`, "Value must be unique", shopadapter.Transient, "unique"},
		{"PRODUCT_SUSPENDED", `["input"]`, "suspended", shopadapter.Blocked, "suspended"},
		{
			"INVALID_INPUT", `["input","variants","0","inventoryQuantities","0","locationId"]`, "not stocked",
			shopadapter.Blocked, "LOCATION",
		},
		{"INVALID_PRODUCT", `["input","title"]`, "Title is odd", shopadapter.Rejected, "Title is odd"},
		{"INVALID_INPUT", `null`, "Odd", shopadapter.Rejected, "Odd"},
		{"INVALID_VARIANT", `["input","variants","0","price"]`, "Price is odd", shopadapter.Rejected, "no variant " +
			"can be sold: Price is odd"},
		{"INVALID_VARIANT", `["input","variants","many","price"]`, "Price is odd", shopadapter.Rejected, "Price is " +
			"odd"},
		{
			"INVALID_VARIANT", `["input","variants","0"]`, "Daily variant creation limit reached.", shopadapter.Transient,
			"daily limit",
		},
	} {
		t.Run(tc.code+" "+tc.field, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.answer = func(operation string) *http.Response {
				if operation != "Write" {
					return nil
				}
				return respond(
					200,
					`{"data":{"set":{"product":null,"productSetOperation":null,"userErrors":[{"code":"`+tc.code+`","field":`+tc.field+
						`,"message":"`+tc.message+`"}]}}}`,
					nil,
				)
			}
			_, err := fake.open(t).
				Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 1), shopadapter.AllFields)
			fails(t, err, tc.kind, tc.says)
		})
	}
}

// TestVariantsRefusedOneByOne: each answer refuses one more, and the call ends.
func TestVariantsRefusedOneByOne(t *testing.T) {
	fake := newFakeShop(t)
	fake.answer = func(operation string) *http.Response {
		if operation != "Write" {
			return nil
		}
		return respond(
			200,
			`{"data":{"set":{"userErrors":[{"code":"INVALID_VARIANT","field":["input","variants","0"],"message":"no"}]}}}`,
			nil,
		)
	}
	a := fake.open(t)
	_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 50), shopadapter.AllFields)
	fails(t, err, shopadapter.Rejected, "")
	if n := len(fake.took()); n > 20 {
		t.Errorf("%d requests", n)
	}
}

func TestAPublicationThatIsGone(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	channels := fake.publications
	fake.publications = fake.publications[:1]
	_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 1), shopadapter.AllFields)
	fails(t, err, shopadapter.Blocked, "Webshop")
	if fake.sole(t).onSale() {
		t.Error("it is on sale")
	}
	fake.publications = channels
	publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
	if !fake.sole(t).onSale() {
		t.Error("it is not on sale when the channel is back")
	}
}

// TestABackgroundOperationThatFails is judged like an answer.
func TestABackgroundOperationThatFails(t *testing.T) { inVirtualTime(failInTheBackground)(t) }

func failInTheBackground(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 250)
	fake.answer = func(operation string) *http.Response {
		if operation != "Operation" {
			return nil
		}
		fake.answer = nil
		fake.products = nil
		return respond(
			200,
			`{"data":{"productOperation":{"status":"COMPLETE","product":null,"userErrors":[{"code":"INVALID_VARIANT",`+
				`"field":["input","variants","7","sku"],"message":"SKU is odd"}]}}}`,
			nil,
		)
	}
	_, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := fake.sole(t); len(got.variants) != 249 || l.Refused[p.Variants[7].ID] != "SKU is odd" || !got.onSale() {
		t.Errorf("%d variants, refused %v", len(got.variants), l.Refused)
	}
}
