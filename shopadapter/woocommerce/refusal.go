package woocommerce

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// The codes of WooCommerce's faults that are told apart.
const (
	codeNoProduct   = "woocommerce_rest_product_invalid_id"
	codeNoVariation = "woocommerce_rest_product_variation_invalid_id"
	codeTrashed     = "woocommerce_rest_already_trashed"
	codeSKU         = "product_invalid_sku"
	codeNotCreated  = "woocommerce_rest_product_not_created" // as a rule: the SKU is in the lookup table
	codeUpload      = "woocommerce_product_image_upload_error"
	codeNoImage     = "woocommerce_product_invalid_image_id"
	codeCannotView  = "woocommerce_rest_cannot_view"
	codeWrongSecret = "woocommerce_rest_authentication_error" //nolint:gosec // the name of an error
	codeNoRoute     = "rest_no_route"
)

// A refusal is an answer that is no success.
type refusal struct {
	status   int
	code     string // WooCommerce's, "" where the answer is not WooCommerce's
	message  string // fit to be shown
	resource int64  // the product that stands in the way; 0: none was named
	page     bool   // the body is a web page
}

func (r *refusal) Error() string { return r.message }

// refused is the refusal in err's chain, or nil.
func refused(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// hasCode tells whether the shop refused with one of the codes.
func hasCode(err error, codes ...string) bool {
	r := refused(err)
	return r != nil && slices.Contains(codes, r.code)
}

// gone tells whether the shop says that there is no such product.
func gone(err error) bool {
	r := refused(err)
	return r != nil && (r.code == codeNoProduct || r.code == codeTrashed || r.status == http.StatusGone && r.code != "")
}

// read is the refusal that an answer holds.
func (a *adapter) read(got *answer) *refusal {
	r := &refusal{status: got.status, page: isPage(got.body)}
	var f fault
	if !r.page && jsonObject(got.body, &f) {
		return a.refusalOf(f, got.status)
	}
	return r
}

// refusalOf is a fault of the shop's, in an answer of its own or in the answer to a batch.
func (a *adapter) refusalOf(f fault, status int) *refusal {
	r := &refusal{status: status, code: string(f.Code), message: a.clean(string(f.Message)), resource: int64(f.Data.Resource)}
	if len(f.Data.Params) > 0 {
		var why []string
		for name, reason := range f.Data.Params {
			why = append(why, a.clean(name+": "+string(reason)))
		}
		slices.Sort(why)
		r.message += " (" + strings.Join(why, "; ") + ")"
	}
	if r.message == "" {
		r.message = a.clean(r.code)
	}
	return r
}

// classify says who can mend an answer that is no success.
func (a *adapter) classify(r request, got *answer) *shopadapter.Error {
	why := a.read(got)
	e := a.judge(r, got, why)
	e.Err = why
	return e
}

func (a *adapter) judge(r request, got *answer, why *refusal) *shopadapter.Error {
	wait, _ := shopadapter.ParseRetryAfter(got.header, time.Now())
	switch status := got.status; {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return shopadapter.Retry("the shop asks for a pause (HTTP %d%s)", status, said(why)).Everywhere().After(wait)
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return shopadapter.Retry("the shop cannot answer now (HTTP %d%s)", status, said(why)).After(wait)
	case status/100 == 3:
		return shopadapter.Block("the shop redirects to %s: set PUBSYNC_WOOCOMMERCE_URL to where it really is", a.redirected(got)).Everywhere()
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotAcceptable:
		return a.denied(r, status, why)
	case status == http.StatusNotFound && (why.code == "" || why.code == codeNoRoute), status == http.StatusMethodNotAllowed:
		return a.nowhere(r, status, why)
	case status == http.StatusRequestEntityTooLarge:
		return shopadapter.Reject("the product is too large for the shop (HTTP 413%s)", said(why))
	case why.code == "":
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", status)
	}
	return shopadapter.Reject("the shop refuses the product: %s", why.message)
}

// denied is the error of an answer that asks for other credentials, or that a firewall gave.
func (a *adapter) denied(r request, status int, why *refusal) *shopadapter.Error {
	var e *shopadapter.Error
	switch {
	case why.code == codeWrongSecret && r.method != http.MethodGet:
		e = shopadapter.Block("the key may not write, or its secret is wrong: give the key read and write permission in WooCommerce > "+
			"Settings > Advanced > REST API, and check PUBSYNC_WOOCOMMERCE_SECRET%s", said(why))
	case why.code == codeWrongSecret:
		e = shopadapter.Block("the shop refuses the secret: check PUBSYNC_WOOCOMMERCE_SECRET%s", said(why))
	case why.code == codeCannotView:
		e = shopadapter.Block("the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY; where it is right, the web server keeps the "+
			"Authorization header from WordPress%s", said(why))
	case strings.HasPrefix(why.code, "woocommerce_"):
		e = shopadapter.Block("the user of the key may not manage products: make the key for an administrator or shop manager%s", said(why))
	case why.code != "":
		e = shopadapter.Block("something in the shop blocks the REST API, a security plugin as a rule: let %s through (HTTP %d%s)", apiPath, status, said(why))
	default:
		e = shopadapter.Block("a firewall before the shop refuses the request: let %s through for the user agent pubsync (HTTP %d)", apiPath, status)
	}
	return e.Everywhere()
}

// nowhere is the error of an answer that says there is no API at the address.
func (a *adapter) nowhere(r request, status int, why *refusal) *shopadapter.Error {
	switch {
	case status == http.StatusMethodNotAllowed:
		return shopadapter.Block("the web server does not let %s requests through to the shop: allow GET, POST, PUT and DELETE below %s",
			r.method, apiPath).Everywhere()
	case why.code == codeNoRoute:
		return shopadapter.Block("WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce").Everywhere()
	}
	return shopadapter.Block("there is no WooCommerce REST API at the address (HTTP %d): check PUBSYNC_WOOCOMMERCE_URL, and in WordPress that "+
		"Settings > Permalinks is not on Plain", status).Everywhere()
}

// said is the shop's own words, to be put behind ours.
func said(why *refusal) string {
	if why.message == "" {
		return ""
	}
	return ": " + why.message
}

// redirected is where an answer leads, as far as the shop's address goes.
func (a *adapter) redirected(got *answer) string {
	target, err := url.Parse(got.header.Get("Location"))
	if err != nil || target.Host == "" {
		return "another address"
	}
	target.RawQuery, target.Fragment, target.User = "", "", nil
	if shop, _, ok := strings.Cut(target.Path, "/wp-json"); ok {
		target.Path, target.RawPath = shop, ""
	}
	return a.clean(target.String())
}
