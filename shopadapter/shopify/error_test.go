package shopify_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	transient = shopadapter.Transient
	blocked   = shopadapter.Blocked
	rejected  = shopadapter.Rejected
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

func body(text string) func(string) *http.Response {
	return func(string) *http.Response { return respond(http.StatusOK, text, nil) }
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
		{"401", status(401, nil), blocked, true, 0, "TOKEN"},
		{"402", status(402, nil), blocked, true, 0, "frozen"},
		{"403", status(403, nil), blocked, true, 0, "write_products"},
		{"404", status(404, nil), blocked, true, 0, "lamps.myshopify.com"},
		{"301", status(301, http.Header{"Location": {"https://elsewhere.example"}}), blocked, true, 0, "STORE"},
		{"413", status(413, nil), rejected, false, 0, "too large"},
		{"423", status(423, nil), blocked, true, 0, "locked"},
		{"429", status(429, nil), transient, true, 0, "later"},
		{
			"429 with Shopify's form of Retry-After", status(429, http.Header{"Retry-After": {"2.5"}}), transient, true,
			2500 * time.Millisecond, "later",
		},
		{"429 with Retry-After", status(429, http.Header{"Retry-After": {"30"}}), transient, true, 30 * time.Second, "later"},
		{"430", status(430, nil), transient, true, 0, "later"},
		{"500", status(500, nil), transient, false, 0, "500"},
		{"503 with Retry-After", status(503, http.Header{"Retry-After": {"9"}}), transient, true, 9 * time.Second, "later"},
		{"202", status(202, nil), transient, false, 0, "some words"},
		{"a bare text as errors", status(200, nil), transient, false, 0, "some words"},
		{
			"ACCESS_DENIED", coded("ACCESS_DENIED", "Access denied for locations field. Required access: "+
				"`read_locations` access scope."),
			blocked, true, 0, "`read_locations`",
		},
		{"SHOP_INACTIVE", coded("SHOP_INACTIVE", "inactive"), blocked, true, 0, "not active"},
		{
			"INTERNAL_SERVER_ERROR", coded("INTERNAL_SERVER_ERROR", "Looks like something went wrong on our end."),
			transient, false, 0, "our end",
		},
		{"INVALID_VARIABLE", coded("INVALID_VARIABLE", "price is invalid"), rejected, false, 0, "price is invalid"},
		{"MAX_COST_EXCEEDED", coded("MAX_COST_EXCEEDED", "cost 1200"), rejected, false, 0, "too large"},
		{
			"the daily limit of variants", coded("VARIANT_THROTTLE_EXCEEDED", "limit"), transient, false, time.Hour,
			"daily limit",
		},
		{"null", body(`{"data":null}`), transient, false, 0, "no data"},
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
		{"GENERIC_ERROR", `["input"]`, "Something went wrong", transient, "went wrong"},
		{"PRODUCT_VARIANT_DOES_NOT_EXIST", `["input","variants","0","id"]`, "gone", transient, "gone"},
		{"CAPABILITY_VIOLATION", `["input","metafields","0"]`, "Value must be unique", transient, "unique"},
		{"PRODUCT_SUSPENDED", `["input"]`, "suspended", blocked, "suspended"},
		{
			"INVALID_INPUT", `["input","variants","0","inventoryQuantities","0","locationId"]`, "not stocked",
			blocked, "LOCATION",
		},
		{"INVALID_PRODUCT", `["input","title"]`, "Title is odd", rejected, "Title is odd"},
		{"INVALID_INPUT", `null`, "Odd", rejected, "Odd"},
		{
			"INVALID_VARIANT", `["input","variants","0","price"]`, "Price is odd", rejected,
			"no variant can be sold: Price is odd",
		},
		{"INVALID_VARIANT", `["input","variants","many","price"]`, "Price is odd", rejected, "Price is odd"},
		{
			"INVALID_VARIANT", `["input","variants","0"]`, "Daily variant creation limit reached.", transient,
			"daily limit",
		},
	} {
		t.Run(tc.code+" "+tc.field, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.answer = forOperation("Write", body(`{"data":{"set":{"product":null,"productSetOperation":null,"userErrors":`+
				`[{"code":"`+tc.code+`","field":`+tc.field+`,"message":"`+tc.message+`"}]}}}`))
			p := lamp("p", 1)
			_, err := fake.open(t).Publish(t.Context(), shopadapter.Ref{Publication: "p"}, p, shopadapter.AllFields)
			fails(t, err, tc.kind, tc.says)
		})
	}
}

// TestVariantsRefusedOneByOne: each answer refuses one more, and the call ends.
func TestVariantsRefusedOneByOne(t *testing.T) {
	fake := newFakeShop(t)
	fake.answer = forOperation("Write",
		body(`{"data":{"set":{"userErrors":[{"code":"INVALID_VARIANT","field":["input","variants","0"],"message":"no"}]}}}`))
	a := fake.open(t)
	_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 50), shopadapter.AllFields)
	fails(t, err, rejected, "")
	if n := len(fake.took()); n > 20 {
		t.Errorf("%d requests", n)
	}
}

// TestABackgroundOperationThatFails is judged like an answer.
func TestABackgroundOperationThatFails(t *testing.T) { inVirtualTime(failInTheBackground)(t) }

func failInTheBackground(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 250)
	fake.answer = forOperation("Operation", func(operation string) *http.Response {
		fake.answer, fake.products = nil, nil
		return body(`{"data":{"productOperation":{"status":"COMPLETE","product":null,"userErrors":[{` +
			`"code":"INVALID_VARIANT","field":["input","variants","7","sku"],"message":"SKU is odd"}]}}}`)(operation)
	})
	_, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := fake.sole(t); len(got.variants) != 249 || l.Refused[p.Variants[7].ID] != "SKU is odd" || !got.onSale() {
		t.Errorf("%d variants, refused %v", len(got.variants), l.Refused)
	}
}
