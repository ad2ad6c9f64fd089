package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// The codes of top-level errors that the adapter tells apart (errors[].extensions.code).
const (
	codeThrottled       = "THROTTLED"
	codeDenied          = "ACCESS_DENIED"
	codeTooExpensive    = "MAX_COST_EXCEEDED"
	codeInactive        = "SHOP_INACTIVE"
	codeVariable        = "INVALID_VARIABLE"
	codeVariantThrottle = "VARIANT_THROTTLE_EXCEEDED"
	codeNotFound        = "NOT_FOUND"
)

// schemaCodes are those of a document that the shop's schema does not fit.
var schemaCodes = []string{
	"undefinedField", "undefinedType", "argumentNotAccepted", "missingRequiredArguments", "missingRequiredInputObjectAttribute",
	"argumentLiteralsIncompatible", "variableMismatch", "selectionMismatch", "undefinedDirective", "fragmentOnNonCompositeType",
}

// A graphError is one error of an answer.
type graphError struct {
	Message    string `json:"message"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

func (e *graphError) Error() string { return e.Message }

func hasCode(err error, code string) bool {
	var e *graphError
	return errors.As(err, &e) && e.Extensions.Code == code
}

func isThrottled(err error) bool { return hasCode(err, codeThrottled) }

// lacksDefinition tells whether the shop refuses because the metafield definition is not there, or not of type id.
func lacksDefinition(err error) bool {
	var e *graphError
	return errors.As(err, &e) && e.Extensions.Code == codeNotFound && strings.Contains(strings.ToLower(e.Message), "metafield definition")
}

// classify says who can mend what came back, nil when it can be used. err is the GraphQL library's; read tells that the body is JSON of the right
// outer form.
func (a *Adapter) classify(ctx context.Context, x *exchange, err error, answer envelope, read bool) error {
	switch {
	case ctx.Err() != nil && (err != nil || !read):
		return ctx.Err()
	case x.status == 0:
		return &shopadapter.Error{Kind: shopadapter.Transient, Message: "the shop cannot be reached: " + a.scrub(cause(err)), Err: err}
	case x.body == nil:
		return &shopadapter.Error{Kind: shopadapter.Transient, Message: "the shop's answer broke off", Err: err}
	}
	if e := a.classifyStatus(x); e != nil {
		return e
	}
	if !read {
		return shopadapter.Retry("the shop's answer is not GraphQL (HTTP %d)", x.status)
	}
	if e := a.classifyErrors(answer.Errors); e != nil {
		return e
	}
	if len(answer.Data) == 0 || string(answer.Data) == "null" {
		return shopadapter.Retry("the shop's answer holds no data (HTTP %d)", x.status)
	}
	return nil
}

// cause is the innermost text of a transport's error: the layers around it repeat the address.
func cause(err error) string {
	var list graphql.Errors
	if errors.As(err, &list) && len(list) > 0 {
		if inner := list[0].Unwrap(); inner != nil {
			err = inner
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if err == nil {
		return "no answer"
	}
	return err.Error()
}

// classifyStatus judges an answer by its HTTP status, nil when the body tells more.
func (a *Adapter) classifyStatus(x *exchange) *shopadapter.Error {
	wait, said := retryAfter(x.header)
	switch status := x.status; {
	case status == http.StatusTooManyRequests, status == 430, status == http.StatusServiceUnavailable && said:
		return shopadapter.Retry("the shop asks to come back later (HTTP %d)", status).After(wait).Everywhere()
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return shopadapter.Retry("the shop answers HTTP %d", status).After(wait)
	case status == http.StatusUnauthorized:
		return shopadapter.Block("Shopify refuses the access token (HTTP 401): check TOKEN, and that its app is still installed").Everywhere()
	case status == http.StatusForbidden:
		return shopadapter.Block("Shopify denies access (HTTP 403): check the app's scopes (%s) and that TOKEN belongs to the store in STORE",
			strings.Join(scopes(), ", ")).Everywhere()
	case status == http.StatusPaymentRequired:
		return shopadapter.Block("the store is frozen (HTTP 402): its owner has to settle the bill with Shopify").Everywhere()
	case status == http.StatusLocked:
		return shopadapter.Block("the store is locked (HTTP 423): its owner has to ask Shopify's support").Everywhere()
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusMethodNotAllowed:
		return shopadapter.Block("there is no store %s.myshopify.com with API version %s (HTTP %d): check STORE and API_VERSION",
			a.store, a.version, status).Everywhere()
	case status >= 300 && status < 400:
		return shopadapter.Block("the address is redirected (HTTP %d): check STORE, which must be the permanent .myshopify.com name", status).Everywhere()
	case status == http.StatusRequestEntityTooLarge:
		return shopadapter.Reject("the product is too large for the shop (HTTP %d)", status)
	}
	return nil
}

// retryAfter reads the Retry-After header. Shopify writes seconds with a decimal place, which HTTP does not know.
func retryAfter(h http.Header) (d time.Duration, ok bool) {
	if d, ok = shopadapter.ParseRetryAfter(h, time.Now()); ok {
		return d, true
	}
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds >= 0) || seconds > 1e6 {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// classifyErrors judges an answer by the most telling of its top-level errors, nil when it has none.
func (a *Adapter) classifyErrors(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "[]" {
		return nil
	}
	var list []*graphError
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		var text string // some refusals are a bare text
		_ = json.Unmarshal(raw, &text)
		return shopadapter.Retry("the shop reports an error: %s", a.scrub(text))
	}
	first := list[0]
	for _, code := range []string{codeThrottled, codeDenied} {
		if i := slices.IndexFunc(list, func(e *graphError) bool { return e != nil && e.Extensions.Code == code }); i >= 0 {
			first = list[i]
			break
		}
	}
	if first == nil {
		return shopadapter.Retry("the shop reports an error without a word")
	}
	first.Message = a.scrub(first.Message)
	return verdict(first)
}

// verdict says who can mend a top-level error.
func verdict(g *graphError) *shopadapter.Error {
	e := &shopadapter.Error{Err: g}
	switch code := g.Extensions.Code; {
	case code == codeThrottled:
		e.Message = "the shop's budget of points is used up"
	case code == codeDenied:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the app may not do this: give it the missing scope and install it again (needed: " + strings.Join(scopes(), ", ") + "); " + g.Message
	case code == codeInactive:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the store is not active: " + g.Message
	case code == codeTooExpensive:
		e.Kind, e.Message = shopadapter.Rejected, "the product is too large for one request: "+g.Message
	case code == codeVariable:
		e.Kind, e.Message = shopadapter.Rejected, "the shop refuses it: "+g.Message
	case code == codeVariantThrottle, strings.Contains(strings.ToLower(g.Message), "daily variant creation limit"):
		e.RetryAfter = time.Hour
		e.Message = "the store's daily limit of new variants is reached: " + g.Message
	case slices.Contains(schemaCodes, code):
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the API version does not know what pubsync asks for, set API_VERSION to " + defaultVersion + ": " + g.Message
	default:
		e.Message = "the shop reports an error: " + g.Message
	}
	return e
}

// longestQuote bounds what is shown of a text that the shop sent, in characters.
const longestQuote = 300

// scrub makes a foreign text fit to be shown.
func (a *Adapter) scrub(text string) string {
	return quote.Line(text, longestQuote, func(shown string) string { return strings.ReplaceAll(shown, a.token, "***") })
}
