package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
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
	"undefinedField", "undefinedType", "argumentNotAccepted", "missingRequiredArguments",
	"missingRequiredInputObjectAttribute",
	"argumentLiteralsIncompatible", "variableMismatch", "selectionMismatch", "undefinedDirective",
	"fragmentOnNonCompositeType",
}

// A graphError is one error of an answer.
type graphError struct {
	Message    string `json:"message"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

func (e *graphError) Error() string { return e.Message }

// codeOf is the code of the top-level error that err comes from, "" where there is none.
func codeOf(err error) string {
	if e := (*graphError)(nil); errors.As(err, &e) {
		return e.Extensions.Code
	}
	return ""
}

func isThrottled(err error) bool { return codeOf(err) == codeThrottled }

// lacksDefinition tells whether the shop refuses because the metafield definition is not there, or
// not of type id.
func lacksDefinition(err error) bool {
	var e *graphError
	return errors.As(err, &e) && e.Extensions.Code == codeNotFound &&
		strings.Contains(strings.ToLower(e.Message), "metafield definition")
}

// classify is the error that an answer means, nil for one that can be used. err is the GraphQL
// library's; read tells that the body was decoded.
func (a *Adapter) classify(ctx context.Context, x *exchange.Exchange, err error, answer envelope, read bool) error {
	if lost := x.Lost(ctx, err, a.scrub); lost != nil {
		return lost
	}
	if e := a.classifyStatus(x); e != nil {
		return e
	}
	if !read {
		return shopadapter.Retry("the shop's answer is not GraphQL (HTTP %d)", x.Status)
	}
	if e := a.classifyErrors(answer.Errors); e != nil {
		return e
	}
	if len(answer.Data) == 0 || string(answer.Data) == "null" {
		return shopadapter.Retry("the shop's answer holds no data (HTTP %d)", x.Status)
	}
	return nil
}

// statusBot is how Shopify answers clients that it takes for a bot: with the meaning of 429.
const statusBot = 430

// classifyStatus judges an answer by its HTTP status, nil when the body tells more.
func (a *Adapter) classifyStatus(x *exchange.Exchange) *shopadapter.Error {
	switch x.Status {
	case statusBot:
		return httpstatus.Error(http.StatusTooManyRequests, x.Header, "")
	case http.StatusPaymentRequired:
		return shopadapter.Block("the store is frozen (HTTP 402): its owner has to settle the bill with Shopify").
			Everywhere()
	case http.StatusLocked:
		return shopadapter.Block("the store is locked (HTTP 423): its owner has to ask Shopify's support").Everywhere()
	case http.StatusForbidden:
		return shopadapter.Block("Shopify denies access (HTTP 403): check the app's scopes (%s) and that TOKEN "+
			"belongs to the store in STORE",
			strings.Join(scopes(), ", ")).
			Everywhere()
	}
	switch httpstatus.Of(x.Status, x.Header) {
	case httpstatus.Done, httpstatus.Refused, httpstatus.Unknown:
		return nil
	}
	return httpstatus.Words{
		httpstatus.Denied: "Shopify refuses the access token: check TOKEN, and that its app is still installed",
		httpstatus.Absent: fmt.Sprintf(
			"there is no store %s.myshopify.com with API version %s: check STORE", a.store, apiVersion,
		),
		httpstatus.Moved: "the address is redirected: check STORE, which must be the permanent .myshopify.com name",
	}.Error(x.Status, x.Header)
}

// classifyErrors judges an answer by the most telling of its top-level errors, nil when it has
// none.
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

// verdict gives a top-level error its kind: who can mend it.
func verdict(g *graphError) *shopadapter.Error {
	e := &shopadapter.Error{Err: g}
	switch code := g.Extensions.Code; {
	case code == codeThrottled:
		e.Message = "the shop's budget of points is used up"
	case code == codeDenied:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the app may not do this: give it the missing scope and install it again (needed: " + strings.Join(
			scopes(),
			", ",
		) + "); " + g.Message
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
		e.Message = "Shopify does not know what pubsync asks for, install a newer pubsync: " + g.Message
	default:
		e.Message = "the shop reports an error: " + g.Message
	}
	return e
}

// longestQuote bounds what is shown of a text that the shop sent, in characters.
const longestQuote = 300

// scrub makes a text from the shop fit to be shown: one line, of bounded length, without the token.
func (a *Adapter) scrub(text string) string {
	return quote.Line(text, longestQuote, func(shown string) string {
		return quote.Hider("***", a.token).Replace(shown)
	})
}
