package shopify

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Codes of top-level errors (errors[].extensions.code).
const (
	codeThrottled    = "THROTTLED"
	codeDenied       = "ACCESS_DENIED"
	codeTooExpensive = "MAX_COST_EXCEEDED"
)

func codeOf(err error) string {
	if f := (*wire.Fault)(nil); errors.As(err, &f) {
		return f.Code
	}
	return ""
}

// lacksDefinition reports whether the metafield definition is missing, or not of type id.
func lacksDefinition(err error) bool {
	return codeOf(err) == "NOT_FOUND" && strings.Contains(strings.ToLower(err.Error()), "metafield definition")
}

// classify returns the error of an answer, or nil; err is the client's.
func (a *Adapter) classify(got *wire.Answer, err error) error {
	const bot = 430 // Shopify's 429 for clients that it takes for bots
	switch got.Status {
	case bot:
		got.Status = http.StatusTooManyRequests
	case http.StatusPaymentRequired, http.StatusLocked:
		return shopadapter.Block("the store is frozen or locked (HTTP %d): its owner has to settle the bill with Shopify, "+
			"or to ask its support", got.Status).Everywhere()
	}
	return kit.Unusable(got, err, wire.Words{
		wire.Denied: "Shopify denies access: check TOKEN, that its app is still installed in the store that STORE names, " +
			"and the app's scopes (" + strings.Join(scopes, ", ") + ")",
		wire.Absent: fmt.Sprintf(
			"there is no store %s.myshopify.com with API version %s: check STORE", a.set.Store, apiVersion,
		),
		wire.Moved: "the address is redirected: check STORE, which must be the permanent .myshopify.com name",
	}, a.verdict)
}

func (a *Adapter) verdict(all []wire.Fault) error {
	f := all[0]
	for _, code := range []string{codeDenied, codeThrottled} {
		if i := slices.IndexFunc(all, func(one wire.Fault) bool { return one.Code == code }); i >= 0 {
			f = all[i]
		}
	}
	f.Message = a.clean(f.Message)
	e := &shopadapter.Error{Err: &f, Message: "the shop reports an error: " + f.Message}
	block := func(words string) { e.Kind, e.ShopWide, e.Message = shopadapter.Blocked, true, words+f.Message }
	reject := func(words string) { e.Kind, e.Message = shopadapter.Rejected, words+f.Message }
	switch {
	case f.Code == codeThrottled:
		e.Message = "the shop's budget of points is used up"
	case f.Code == codeDenied:
		block("the app may not do this: give it the missing scope and install it again (needed: " +
			strings.Join(scopes, ", ") + "); ")
	case lacksDefinition(&f):
		block("the metafield definition pubsync.publication has another type than id: delete it under Settings, Custom " +
			"data in Shopify (keep its values), and it is made anew: ")
	case f.Code == "SHOP_INACTIVE":
		block("the store is not active: ")
	case f.Code == codeTooExpensive:
		reject("the product is too large for one request: ")
	case f.Code == "INVALID_VARIABLE":
		reject("the shop refuses it: ")
	case f.Code == "VARIANT_THROTTLE_EXCEEDED", dailyLimit(f.Message):
		e.RetryAfter, e.Message = time.Hour, "the store's daily limit of new variants is reached: "+f.Message
	}
	return e
}

func dailyLimit(said string) bool {
	return strings.Contains(strings.ToLower(said), "daily variant creation limit")
}

// A userError refuses an input in an otherwise good answer.
type userError struct {
	Code    string   `json:"code"`
	Field   []string `json:"field"`
	Message string   `json:"message"`
}

// index is a list index in the error's field path: 3 in input.variants.3.sku.
func (e userError) index(list string) (int, bool) {
	i := slices.Index(e.Field, list)
	if i < 0 || i+1 >= len(e.Field) {
		return 0, false
	}
	n, err := strconv.Atoi(e.Field[i+1])
	return n, err == nil && n >= 0
}

// passing are productSet codes that a later call may not meet: the product changed since it was read, or the shop
// failed.
var passing = []string{
	"GENERIC_ERROR", "JOB_ERROR", "NOT_FOUND", "PRODUCT_DOES_NOT_EXIST", "PRODUCT_VARIANT_DOES_NOT_EXIST",
	"OPTION_DOES_NOT_EXIST", "OPTION_VALUE_DOES_NOT_EXIST", "METAFIELD_MISMATCH", "CAPABILITY_VIOLATION",
}

// codeSuspended says that Shopify took the product out of sale.
const codeSuspended = "PRODUCT_SUSPENDED"

func (a *Adapter) refusal(e userError) *shopadapter.Error {
	said := a.clean(e.Message)
	switch {
	case slices.Contains(passing, e.Code),
		e.Code == "" && strings.HasSuffix(strings.TrimRight(said, "."), "does not exist"):
		return shopadapter.Retry("the shop has changed meanwhile, or failed: %s", said)
	case dailyLimit(said):
		return shopadapter.Retry("the store's daily limit of new variants is reached: %s", said).After(time.Hour)
	case e.Code == codeSuspended:
		return shopadapter.Block("Shopify has suspended the product: %s", said)
	case slices.Contains(e.Field, "inventoryQuantities"):
		return shopadapter.Block("the stock cannot be written to the location in LOCATION: stock the product there in "+
			"Shopify, or name the location that holds it: %s", said)
	}
	return shopadapter.Reject("the shop refuses it: %s", said)
}
