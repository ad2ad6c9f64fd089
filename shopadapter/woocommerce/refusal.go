package woocommerce

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/wire"
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
	codeTermExists  = "term_exists"
	codeEAN         = "product_invalid_global_unique_id" // also with "woocommerce_" before it
)

// A refusal is an answer that is no success.
type refusal struct {
	Status   int
	Code     string // WooCommerce's, "" where the answer is not WooCommerce's
	Message  string // fit to be shown
	Resource int64  // the product or term that stands in the way; 0: none was named

	writes, signed bool // the request wrote; it was signed
}

func (r *refusal) Error() string { return r.Message }

func refused(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

func hasCode(err error, codes ...string) bool {
	r := refused(err)
	return r != nil && slices.Contains(codes, r.Code)
}

// gone reports whether the shop says that there is no such product.
func gone(err error) bool {
	r := refused(err)
	return hasCode(err, codeNoProduct, codeTrashed) || r != nil && r.Status == http.StatusGone && r.Code != ""
}

// refusalOf is a fault of the shop's, in an answer of its own or in the answer to a batch.
func (c *client) refusalOf(f fault, status int) *refusal {
	r := &refusal{
		Status: status, Code: string(f.Code), Message: c.clean(string(f.Message)), Resource: int64(f.Data.Resource),
	}
	var why []string
	for name, reason := range f.Data.Params {
		why = append(why, c.clean(name+": "+string(reason)))
	}
	if slices.Sort(why); len(why) > 0 {
		r.Message += " (" + strings.Join(why, "; ") + ")"
	}
	if r.Message == "" {
		r.Message = c.clean(r.Code)
	}
	return r
}

// said is the shop's own words, to be put behind ours.
func (r *refusal) said() string {
	if r.Message == "" {
		return ""
	}
	return ": " + r.Message
}

// refuse says who can mend an answer that is no success.
func (c *client) refuse(method string, got *wire.Answer) *shopadapter.Error {
	why := &refusal{Status: got.Status}
	var f fault
	if object(got.Body, &f) {
		why = c.refusalOf(f, got.Status)
	}
	why.writes, why.signed = method != http.MethodGet, c.signs()
	e := c.judge(got, why)
	e.Err = why
	return e
}

// upkeepPause is what WordPress asks for during an update, which takes seconds as a rule.
const upkeepPause = 10 * time.Minute

func (c *client) judge(got *wire.Answer, why *refusal) *shopadapter.Error {
	e := httpstatus.Error(got.Status, got.Header, "")
	e.Message += why.said()
	switch means := httpstatus.Of(got.Status, got.Header); {
	case got.Status == http.StatusServiceUnavailable:
		e.Message = "the shop asks for a pause (HTTP 503)" + why.said()
		if isPage(got.Body) && e.RetryAfter == upkeepPause {
			e.Message = "the shop is in maintenance, as it is while WordPress updates itself (HTTP 503)"
		}
		return e.Everywhere()
	case means == httpstatus.Pause, means == httpstatus.Failure, means == httpstatus.TooLarge:
		return e
	case means == httpstatus.Moved:
		return c.moved(got.Header.Get("Location"))
	}
	for _, w := range blocked {
		if w.fits(why) {
			return shopadapter.Block("%s (HTTP %d)%s", w.says, got.Status, why.said()).Everywhere()
		}
	}
	if why.Code == "" {
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", got.Status)
	}
	return shopadapter.Reject("the shop refuses the product: %s", why.Message)
}

// A row says what an answer means that the merchant mends, for every product. The first that fits
// counts.
type row struct {
	status int    // 0: any; denied: 401, 403 or 406
	code   string // "": none is said; with * at its end: one that begins so, or none for "*" alone
	when   func(*refusal) bool
	says   string // what the merchant has to do; the shop's own words follow
}

const denied = -1

func (w row) fits(r *refusal) bool {
	begin, open := strings.CutSuffix(w.code, "*")
	if r.Code != w.code && !(open && strings.HasPrefix(r.Code, begin)) || w.when != nil && !w.when(r) {
		return false
	}
	return w.status == 0 || w.status == r.Status || w.status == denied && slices.Contains(
		[]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotAcceptable}, r.Status)
}

func writing(r *refusal) bool { return r.writes }

// signedAnd is for a signed request of which the shop says a word. One code stands for a key that is
// not known, a wrong secret, a clock that differs and a key that may not write: what tells them
// apart is a text that WordPress may have translated.
func signedAnd(word string) func(*refusal) bool {
	return func(r *refusal) bool { return r.signed && strings.Contains(strings.ToLower(r.Message), word) }
}

const (
	readWrite     = "give it the permission Read/Write in WooCommerce > Settings > Advanced > REST API"
	noWooCommerce = "WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce"
	noPermalinks  = "the shop has no pretty permalinks, which its REST API needs: choose Post name in WordPress > " +
		"Settings > Permalinks, and see that the web server (nginx: try_files … /index.php?$args) passes addresses on " +
		"to index.php"
)

var blocked = []row{
	{0, codeWrongSecret, signedAnd("permission"), "the key may not be used for this: " + readWrite},
	{0, codeWrongSecret, signedAnd("consumer key"), "the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY"},
	{0, codeWrongSecret, signedAnd("timestamp"), "this machine's clock and the shop's differ by more than a quarter of " +
		"an hour: set up time synchronisation"},
	{0, codeWrongSecret, signedAnd(""), "the shop refuses the signature: check PUBSYNC_WOOCOMMERCE_SECRET and the key " +
		"that it belongs to, and that PUBSYNC_WOOCOMMERCE_URL is letter for letter the Site Address in WordPress > " +
		"Settings > General"},
	{0, codeWrongSecret, writing, "the key may not write, or its secret is wrong: " + readWrite + ", and check " +
		"PUBSYNC_WOOCOMMERCE_SECRET"},
	{0, codeWrongSecret, nil, "the shop refuses the secret: check PUBSYNC_WOOCOMMERCE_SECRET"},
	{denied, codeCannotView, signedAnd(""), "the shop knows the key, and its user may not see products: make the key for " +
		"an administrator or a shop manager, in WooCommerce > Settings > Advanced > REST API"},
	{denied, codeCannotView, nil, "the shop does not know the key, or its user may not see products: check " +
		"PUBSYNC_WOOCOMMERCE_KEY; where it is right, make it for an administrator or a shop manager, and see that the " +
		"web server passes the Authorization header on to WordPress"},
	{denied, "woocommerce_*", nil, "the user of the key may not manage products: make the key for an administrator or " +
		"shop manager"},
	{denied, "", nil, "a firewall before the shop refuses the request: let " + root + " through for the user agent " +
		"pubsync"},
	{denied, "*", nil, "something in the shop blocks the REST API, a security plugin as a rule: let " + root + " through"},
	{http.StatusNotFound, codeNoRoute, nil, noWooCommerce},
	{http.StatusNotFound, "", nil, "there is no WooCommerce REST API at the address: check PUBSYNC_WOOCOMMERCE_URL, " +
		"and in WordPress that Settings > Permalinks is not on Plain"},
	{http.StatusMethodNotAllowed, "*", nil, "the web server does not let this kind of request through to the shop: " +
		"allow GET, POST, PUT and DELETE below " + root},
	{http.StatusBadRequest, "", func(r *refusal) bool { return r.signed && !r.writes }, "the address refuses plain " +
		"http, as a port for https does: begin PUBSYNC_WOOCOMMERCE_URL with https://"},
}
