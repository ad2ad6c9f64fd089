package medusa

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// limits bound an answer. A variant has some fifty elements, so a product of two thousand fits.
var limits = jsonlimit.Limits{Bytes: 8 << 20, Elements: 100_000, Depth: 20}

// An input is a request's JSON object. A member that is left out stays as it is in the shop.
type input map[string]any

// A query is the part of an address behind the question mark.
type query map[string]string

// An answer is one of Medusa's. Each holds the members that its request is about.
type answer struct {
	Product      product       `json:"product"`
	Products     []product     `json:"products"`
	Category     category      `json:"product_category"`
	Categories   []category    `json:"product_categories"`
	Translations []translation `json:"translations"`
	Stores       []store       `json:"stores"`
	Channels     []place       `json:"sales_channels"`
	Locations    []place       `json:"stock_locations"`
	Profiles     []id          `json:"shipping_profiles"`
	Preferences  []struct {
		Inclusive bool `json:"is_tax_inclusive"`
	} `json:"price_preferences"`
	Flags struct {
		Translation bool `json:"translation"`
	} `json:"feature_flags"`
}

// get reads something. doing names the step in an error.
func (a *Adapter) get(ctx context.Context, doing, path string, q query) (answer, error) {
	return a.call(ctx, doing, http.MethodGet, path, q, nil)
}

// post writes something.
func (a *Adapter) post(ctx context.Context, doing, path string, q query, in input) (answer, error) {
	return a.call(ctx, doing, http.MethodPost, path, q, in)
}

func (a *Adapter) call(ctx context.Context, doing, method, path string, q query, in input) (got answer, err error) {
	var body any
	if in != nil {
		body = in
	}
	err = a.api.Call(ctx, method, path, q, body, &got)
	if refusal := (*rest.Refusal)(nil); errors.As(err, &refusal) {
		err = a.classify(refusal)
	}
	return got, step.Within(doing, err)
}

// classify says who can mend a refusal.
func (a *Adapter) classify(refusal *rest.Refusal) error {
	e := httpstatus.Error(refusal.Status, refusal.Header, "")
	e.Err = refusal
	switch httpstatus.Of(refusal.Status, refusal.Header) {
	case httpstatus.Refused:
		e.Message = "Medusa refuses it: " + refusal.Message
	case httpstatus.TooLarge:
		e.Message = "Medusa takes no request of this length: " + refusal.Message
	case httpstatus.Denied:
		e.Message = "Medusa refuses the API key: check PUBSYNC_MEDUSA_TOKEN, which must be a secret key, and the rights of who made it"
	case httpstatus.Moved:
		e.Message = "the address is redirected: set PUBSYNC_MEDUSA_URL to where Medusa really is"
	case httpstatus.Absent:
		if refusal.Type == "not_found" {
			return &shopadapter.Error{Message: "Medusa does not find it any more: " + refusal.Message, Err: refusal} // deleted while the call went on
		}
		e.Message = "there is no Medusa 2.17 or later at this address: check PUBSYNC_MEDUSA_URL"
	default:
		e.Message = fmt.Sprintf("Medusa cannot answer now: %s (HTTP %d)", refusal.Message, refusal.Status)
	}
	if e.Kind == shopadapter.Blocked {
		a.known.Store(nil)
	}
	return e
}

// taken reports whether Medusa refuses because the value of a unique field belongs to something else: handle, sku, ean. "" stands for any field.
func taken(err error, field string) bool {
	var refusal *rest.Refusal
	if !step.Rejected(err) || !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "already exists") {
		return false
	}
	return field == "" || strings.Contains(refusal.Message, "with "+field+": ")
}
