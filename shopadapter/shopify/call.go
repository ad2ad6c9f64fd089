package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// An input is a GraphQL input object. Fields that it lacks stay as they are.
type input map[string]any

type request struct {
	doing     string // for errors
	document  string // one named operation and its fragments
	variables input
	estimate  float64 // points
	priority  int
}

// idle is the priority of a request that no write waits for.
const idle = 1

// headroom returns the points that stay in the bucket when a request of a priority is granted.
func headroom(priority int, limit float64) float64 {
	if priority == idle {
		return limit / 2
	}
	return 0
}

// What inputs cost at most, in points, by the schema's descriptions: the answer tells the cost too late.
const (
	costMutation  = 16.0 // ten, and the product that it shows
	costVariant   = 0.2
	costMetafield = 0.4
	costFile      = 1.9
)

// An answer holds the answer to any of the documents.
type answer struct {
	Installation installation   `json:"currentAppInstallation"`
	Shop         about          `json:"shop"`
	Location     *place         `json:"location"`
	Locations    nodes[place]   `json:"locations"`
	Publications nodes[channel] `json:"publications"`
	Locales      []struct {
		Locale  string
		Primary bool
	} `json:"shopLocales"`
	Definition *struct {
		Metafields nodes[struct{ Owner *product }]
	} `json:"metafieldDefinition"`

	Product      *product   `json:"product"`
	Nodes        []*product `json:"nodes"`
	Translatable *product   `json:"translatableResource"`
	Operation    *operation `json:"productOperation"`

	Define    *payload `json:"metafieldDefinitionCreate"`
	Update    *payload `json:"update"`
	Set       *payload `json:"set"`
	Translate *payload `json:"translate"`
	Publish   *payload `json:"publish"`
	Delete    *payload `json:"productDelete"`

	version string // of the API that served it
}

// mostThrottles bounds how often a request finds the bucket empty.
const mostThrottles = 6

// call returns an empty answer beside an error. It makes the metafield definition where the shop lacks it: a new
// one finds the products that carry keys.
func (a *Adapter) call(ctx context.Context, r request) (*answer, error) {
	made := false
	for attempt := 1; ; attempt++ {
		got, err := a.send(ctx, r)
		switch lacks := lacksDefinition(err) && !made; {
		case err == nil:
			return got, nil
		case lacks:
			made = true
			if err := a.define(ctx); err != nil {
				return &answer{}, err
			}
		case attempt == mostThrottles || codeOf(err) != codeThrottled:
			return &answer{}, fmt.Errorf("%s: %w", r.doing, err)
		}
	}
}

func (a *Adapter) send(ctx context.Context, r request) (*answer, error) {
	reserved, err := a.pacer.Reserve(ctx, r.estimate, r.priority)
	if tooLarge := (*pace.TooLargeError)(nil); errors.As(err, &tooLarge) {
		// The estimate may be too high.
		reserved, err = a.pacer.Reserve(ctx, tooLarge.Limit, r.priority)
	}
	if err != nil {
		return nil, err
	}
	defer reserved.Lost() // no effect after the calls below

	_, name, _ := strings.Cut(r.document, " ") // Shopify refuses an operationName that the document lacks
	q := wire.Query{Name: name[:strings.IndexAny(name, "( {")], Text: r.document, Variables: r.variables}
	// A description may be half a megabyte, and a write shows it twice. Two hundred variants have some four
	// thousand elements, and each may be refused by itself.
	q.Limits.Bytes, q.Limits.Elements = 4<<20, 40_000
	var out answer
	got, err := a.wire.GraphQL(ctx, q, &out)
	actual, status := readBill(got.Extensions)
	if failed := a.classify(got, err); failed != nil {
		switch {
		case codeOf(failed) == codeThrottled:
			reserved.Throttled(0, status)
		case actual >= 0 && status != nil:
			reserved.Settle(actual, status)
		case got.Status >= 400 && got.Status < 500:
			reserved.Return() // refused before it ran
		}
		return nil, failed
	}
	reserved.Settle(actual, status)
	out.version = got.Header.Get("X-Shopify-Api-Version")
	return &out, nil
}

// readBill returns -1 for a cost that is not stated, which the pacer takes for the reserved one. It ignores a cost
// that it cannot decode whole: a missing field would read as an empty bucket.
func readBill(extensions []byte) (actual float64, status *pace.Status) {
	var said struct {
		Cost struct {
			Actual float64 `json:"actualQueryCost"`
			Status struct {
				Maximum   float64 `json:"maximumAvailable"`
				Available float64 `json:"currentlyAvailable"`
				Rate      float64 `json:"restoreRate"`
			} `json:"throttleStatus"`
		} `json:"cost"`
	}
	said.Cost.Actual = -1
	if json.Unmarshal(extensions, &said) != nil {
		return -1, nil
	}
	if s := said.Cost.Status; s.Maximum > 0 && s.Rate > 0 {
		status = &pace.Status{Limit: s.Maximum, Remaining: s.Available, RestoreRate: s.Rate}
	}
	return said.Cost.Actual, status
}

// Codes of top-level errors (errors[].extensions.code), then those of user errors, and a status.
const (
	codeThrottled    = "THROTTLED"
	codeDenied       = "ACCESS_DENIED"
	codeTooExpensive = "MAX_COST_EXCEEDED"

	codeSuspended     = "PRODUCT_SUSPENDED" // Shopify took the product out of sale
	codeTaken         = "TAKEN"
	operationComplete = "COMPLETE" // done, well or not
)

func codeOf(err error) string {
	if f, said := errors.AsType[*wire.Fault](err); said {
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
