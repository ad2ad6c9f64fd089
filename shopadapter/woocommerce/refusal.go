package woocommerce

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/quote"
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

// died reports whether PHP ended in the middle of a request. What it had stored stays, and it
// stores nothing more. Some web servers answer 503 for a worker that was killed. A 503 with a
// Retry-After is a pause that somebody asked for.
func died(err error) bool {
	r := refused(err)
	if r == nil {
		return false
	}
	switch r.status {
	case http.StatusInternalServerError, http.StatusBadGateway:
		return true
	case http.StatusServiceUnavailable:
		return shopadapter.Explain(err).RetryAfter == 0
	}
	return false
}

// read is the refusal that an answer holds.
func (c *client) read(got *answer) *refusal {
	r := &refusal{status: got.status, page: quote.IsPage(got.body)}
	var f fault
	if !r.page && jsonObject(got.body, &f) {
		return c.refusalOf(f, got.status)
	}
	return r
}

// refusalOf is a fault of the shop's, in an answer of its own or in the answer to a batch.
func (c *client) refusalOf(f fault, status int) *refusal {
	r := &refusal{
		status:   status,
		code:     string(f.Code),
		message:  c.clean(string(f.Message)),
		resource: int64(f.Data.Resource),
	}
	if len(f.Data.Params) > 0 {
		var why []string
		for name, reason := range f.Data.Params {
			why = append(why, c.clean(name+": "+string(reason)))
		}
		slices.Sort(why)
		r.message += " (" + strings.Join(why, "; ") + ")"
	}
	if r.message == "" {
		r.message = c.clean(r.code)
	}
	return r
}

// classify says who can mend an answer that is no success.
func (c *client) classify(r request, got *answer) *shopadapter.Error {
	why := c.read(got)
	e := c.judge(r, got, why)
	e.Err = why
	return e
}

// upkeepPause is what WordPress asks for during an update, which takes seconds as a rule.
const upkeepPause = 10 * time.Minute

func (c *client) judge(r request, got *answer, why *refusal) *shopadapter.Error {
	e := httpstatus.Error(got.status, got.header, "")
	e.Message += said(why)
	switch status, means := got.status, httpstatus.Of(got.status, got.header); {
	case status == http.StatusServiceUnavailable && why.page && e.RetryAfter == upkeepPause:
		e.Message = "the shop is in maintenance, as it is while WordPress updates itself (HTTP 503)"
		return e
	case status == http.StatusServiceUnavailable:
		e.Message = fmt.Sprintf("the shop asks for a pause (HTTP 503%s)", said(why))
		return e.Everywhere()
	case means == httpstatus.Pause, means == httpstatus.Failure, means == httpstatus.TooLarge:
		return e
	case means == httpstatus.Moved:
		return c.redirect(got)
	case means == httpstatus.Denied, status == http.StatusNotAcceptable:
		return c.denied(r, status, why)
	case status == http.StatusNotFound && (why.code == "" || why.code == codeNoRoute),
		status == http.StatusMethodNotAllowed:
		return c.nowhere(r, status, why)
	case why.code == "":
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", status)
	}
	return shopadapter.Reject("the shop refuses the product: %s", why.message)
}

// denied is the error of an answer that asks for other credentials, or that a firewall gave.
func (c *client) denied(r request, status int, why *refusal) *shopadapter.Error {
	var e *shopadapter.Error
	switch {
	case why.code == codeWrongSecret && c.signs():
		e = unsigned(why)
	case why.code == codeWrongSecret && r.method != http.MethodGet:
		e = shopadapter.Block(
			"the key may not write, or its secret is wrong: give the key read and write permission in WooCommerce > "+
				"Settings > Advanced > REST API, and check PUBSYNC_WOOCOMMERCE_SECRET%s",
			said(why),
		)
	case why.code == codeWrongSecret:
		e = shopadapter.Block("the shop refuses the secret: check PUBSYNC_WOOCOMMERCE_SECRET%s", said(why))
	case why.code == codeCannotView:
		e = shopadapter.Block(
			"the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY; where it is right, the web server keeps "+
				"the "+
				"Authorization header from WordPress%s",
			said(why),
		)
	case strings.HasPrefix(why.code, "woocommerce_"):
		e = shopadapter.Block(
			"the user of the key may not manage products: make the key for an administrator or shop manager%s",
			said(why),
		)
	case why.code != "":
		e = shopadapter.Block(
			"something in the shop blocks the REST API, a security plugin as a rule: let %s through (HTTP %d%s)",
			apiPath,
			status,
			said(why),
		)
	default:
		e = shopadapter.Block(
			"a firewall before the shop refuses the request: let %s through for the user agent pubsync (HTTP %d)",
			apiPath,
			status,
		)
	}
	return e.Everywhere()
}

// signatureOf is what a refusal of a signed request is about. One code stands for a key that is not
// known, a wrong secret, a clock that differs and a key that may not write; what tells them apart
// is a text that WordPress may have translated. What cannot be read is about the signature, which
// most are.
func signatureOf(why *refusal) string {
	message := strings.ToLower(why.message)
	for _, about := range []string{"permission", "consumer key", "timestamp"} {
		if strings.Contains(message, about) {
			return about
		}
	}
	return "signature"
}

// unsigned is the error of a signature that is refused.
func unsigned(why *refusal) *shopadapter.Error {
	switch signatureOf(why) {
	case "permission":
		return shopadapter.Block(
			"the key may not be used for this: give it the permission Read/Write in WooCommerce > Settings > "+
				"Advanced > REST API%s",
			said(why),
		)
	case "consumer key":
		return shopadapter.Block("the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY%s", said(why))
	case "timestamp":
		return shopadapter.Block(
			"this machine's clock and the shop's differ by more than a quarter of an hour: set up time "+
				"synchronisation%s",
			said(why),
		)
	}
	return shopadapter.Block(
		"the shop refuses the signature: check PUBSYNC_WOOCOMMERCE_SECRET and the key that it belongs to, and that "+
			"PUBSYNC_WOOCOMMERCE_URL "+
			"is letter for letter the Site Address in WordPress > Settings > General%s",
		said(why),
	)
}

// nowhere is the error of an answer that says there is no API at the address.
func (c *client) nowhere(r request, status int, why *refusal) *shopadapter.Error {
	switch {
	case status == http.StatusMethodNotAllowed:
		return shopadapter.Block("the web server does not let %s requests through to the shop: allow GET, POST, PUT "+
			"and DELETE below %s",
			r.method, apiPath).
			Everywhere()
	case why.code == codeNoRoute:
		return shopadapter.Block("WordPress answers, and has no WooCommerce REST API: install and activate " +
			"WooCommerce").
			Everywhere()
	}
	return shopadapter.Block("there is no WooCommerce REST API at the address (HTTP %d): check "+
		"PUBSYNC_WOOCOMMERCE_URL, and in WordPress that "+
		"Settings > Permalinks is not on Plain", status).
		Everywhere()
}

// said is the shop's own words, to be put behind ours.
func said(why *refusal) string {
	if why.message == "" {
		return ""
	}
	return ": " + why.message
}

// redirect is the error of an answer that leads elsewhere.
func (c *client) redirect(got *answer) *shopadapter.Error {
	base, _ := url.Parse(c.base)
	target, err := url.Parse(got.header.Get("Location"))
	if err != nil || base == nil || got.header.Get("Location") == "" {
		return shopadapter.Block("the shop redirects to another address: set PUBSYNC_WOOCOMMERCE_URL to where it " +
			"really is").
			Everywhere()
	}
	target = base.ResolveReference(target)
	target.RawQuery, target.Fragment, target.User = "", "", nil
	site, _, isAPI := strings.Cut(target.Path, "/wp-json")
	target.Path, target.RawPath = strings.TrimRight(site, "/"), ""
	switch same := target.Scheme == base.Scheme && strings.EqualFold(target.Host, base.Host) && target.Path == strings.TrimRight(base.Path, "/"); {
	case same && !isAPI:
		return noPermalinks().Everywhere()
	case same:
		return shopadapter.Block("the web server redirects the addresses of the shop's API: see that it passes what "+
			"lies below %s on as it is", apiPath).
			Everywhere()
	}
	return shopadapter.Block("the shop redirects to %s: set PUBSYNC_WOOCOMMERCE_URL to where it really is", c.clean(target.String())).
		Everywhere()
}

// noPermalinks is the error of a WordPress that takes the API's addresses for its front page, or
// knows none.
func noPermalinks() *shopadapter.Error {
	return shopadapter.Block(
		"the shop has no pretty permalinks, which its REST API needs: choose Post name in WordPress > Settings > " +
			"Permalinks, " +
			"and see that the web server (nginx: try_files … /index.php?$args) passes addresses on to index.php",
	)
}
