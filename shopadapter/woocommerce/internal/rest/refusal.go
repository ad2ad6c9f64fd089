package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// The codes of WooCommerce's faults that are told apart.
const (
	codeNoProduct   = "woocommerce_rest_product_invalid_id"
	CodeNoVariation = "woocommerce_rest_product_variation_invalid_id"
	codeTrashed     = "woocommerce_rest_already_trashed"
	CodeSKU         = "product_invalid_sku"
	CodeNotCreated  = "woocommerce_rest_product_not_created" // as a rule: the SKU is in the lookup table
	CodeUpload      = "woocommerce_product_image_upload_error"
	CodeNoImage     = "woocommerce_product_invalid_image_id"
	CodeCannotView  = "woocommerce_rest_cannot_view"
	codeWrongSecret = "woocommerce_rest_authentication_error" //nolint:gosec // the name of an error
	CodeNoRoute     = "rest_no_route"
)

// A Refusal is an answer that is no success.
type Refusal struct {
	Status   int
	Code     string // WooCommerce's, "" where the answer is not WooCommerce's
	Message  string // fit to be shown
	Resource int64  // the product that stands in the way; 0: none was named
	page     bool   // the body is a web page
}

func (r *Refusal) Error() string { return r.Message }

// Refused is the refusal in err's chain, or nil.
func Refused(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// HasCode reports whether the shop refused with one of the codes.
func HasCode(err error, codes ...string) bool {
	r := Refused(err)
	return r != nil && slices.Contains(codes, r.Code)
}

// Gone reports whether the shop says that there is no such product.
func Gone(err error) bool {
	r := Refused(err)
	return r != nil && (r.Code == codeNoProduct || r.Code == codeTrashed || r.Status == http.StatusGone && r.Code != "")
}

// Died reports whether PHP ended in the middle of a request. What it had stored stays, and it
// stores nothing more. Some web servers answer 503 for a worker that was killed. A 503 with a
// Retry-After is a pause that somebody asked for.
func Died(err error) bool {
	r := Refused(err)
	if r == nil {
		return false
	}
	switch r.Status {
	case http.StatusInternalServerError, http.StatusBadGateway:
		return true
	case http.StatusServiceUnavailable:
		return shopadapter.Explain(err).RetryAfter == 0
	}
	return false
}

// read is the refusal that an answer holds.
func (c *Client) read(got *rest.Answer) *Refusal {
	r := &Refusal{Status: got.Status, page: quote.IsPage(got.Body)}
	var f Fault
	if !r.page && Object(got.Body, &f) {
		return c.RefusalOf(f, got.Status)
	}
	return r
}

// RefusalOf is a fault of the shop's, in an answer of its own or in the answer to a batch.
func (c *Client) RefusalOf(f Fault, status int) *Refusal {
	r := &Refusal{
		Status: status, Code: string(f.Code), Message: c.Clean(string(f.Message)), Resource: int64(f.Data.Resource),
	}
	if len(f.Data.Params) > 0 {
		var why []string
		for name, reason := range f.Data.Params {
			why = append(why, c.Clean(name+": "+string(reason)))
		}
		slices.Sort(why)
		r.Message += " (" + strings.Join(why, "; ") + ")"
	}
	if r.Message == "" {
		r.Message = c.Clean(r.Code)
	}
	return r
}

// classify says who can mend an answer that is no success.
func (c *Client) classify(r Request, got *rest.Answer) *shopadapter.Error {
	why := c.read(got)
	e := c.judge(r, got, why)
	e.Err = why
	return e
}

// upkeepPause is what WordPress asks for during an update, which takes seconds as a rule.
const upkeepPause = 10 * time.Minute

func (c *Client) judge(r Request, got *rest.Answer, why *Refusal) *shopadapter.Error {
	e := httpstatus.Error(got.Status, got.Header, "")
	e.Message += Said(why)
	switch status, means := got.Status, httpstatus.Of(got.Status, got.Header); {
	case status == http.StatusServiceUnavailable && why.page && e.RetryAfter == upkeepPause:
		e.Message = "the shop is in maintenance, as it is while WordPress updates itself (HTTP 503)"
		return e
	case status == http.StatusServiceUnavailable:
		e.Message = fmt.Sprintf("the shop asks for a pause (HTTP 503%s)", Said(why))
		return e.Everywhere()
	case means == httpstatus.Pause, means == httpstatus.Failure, means == httpstatus.TooLarge:
		return e
	case means == httpstatus.Moved:
		return c.redirect(got)
	case means == httpstatus.Denied, status == http.StatusNotAcceptable:
		return c.denied(r, status, why)
	case status == http.StatusNotFound && (why.Code == "" || why.Code == CodeNoRoute),
		status == http.StatusMethodNotAllowed:
		return c.nowhere(r, status, why)
	case status == http.StatusBadRequest && why.Code == "" && c.signs() && r.Method == http.MethodGet:
		return shopadapter.Block("the address refuses plain http (HTTP 400), as a port for https does: begin " +
			"PUBSYNC_WOOCOMMERCE_URL with https://").
			Everywhere()
	case why.Code == "":
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", status)
	}
	return shopadapter.Reject("the shop refuses the product: %s", why.Message)
}

// denied is the error of an answer that asks for other credentials, or that a firewall gave.
func (c *Client) denied(r Request, status int, why *Refusal) *shopadapter.Error {
	var e *shopadapter.Error
	switch {
	case why.Code == codeWrongSecret && c.signs():
		e = unsigned(why)
	case why.Code == codeWrongSecret && r.Method != http.MethodGet:
		e = shopadapter.Block(
			"the key may not write, or its secret is wrong: give the key read and write permission in WooCommerce > "+
				"Settings > Advanced > REST API, and check PUBSYNC_WOOCOMMERCE_SECRET%s",
			Said(why),
		)
	case why.Code == codeWrongSecret:
		e = shopadapter.Block("the shop refuses the secret: check PUBSYNC_WOOCOMMERCE_SECRET%s", Said(why))
	case why.Code == CodeCannotView:
		e = shopadapter.Block(
			"the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY; where it is right, the web server keeps "+
				"the Authorization header from WordPress%s",
			Said(why),
		)
	case strings.HasPrefix(why.Code, "woocommerce_"):
		e = shopadapter.Block(
			"the user of the key may not manage products: make the key for an administrator or shop manager%s", Said(why),
		)
	case why.Code != "":
		e = shopadapter.Block(
			"something in the shop blocks the REST API, a security plugin as a rule: let %s through (HTTP %d%s)",
			Root,
			status,
			Said(why),
		)
	default:
		e = shopadapter.Block(
			"a firewall before the shop refuses the request: let %s through for the user agent pubsync (HTTP %d)", Root, status,
		)
	}
	return e.Everywhere()
}

// signatureOf is what a refusal of a signed request is about. One code stands for a key that is not
// known, a wrong secret, a clock that differs and a key that may not write; what tells them apart
// is a text that WordPress may have translated. What cannot be read is about the signature, which
// most are.
func signatureOf(why *Refusal) string {
	message := strings.ToLower(why.Message)
	for _, about := range []string{"permission", "consumer key", "timestamp"} {
		if strings.Contains(message, about) {
			return about
		}
	}
	return "signature"
}

// unsigned is the error of a signature that is refused.
func unsigned(why *Refusal) *shopadapter.Error {
	switch signatureOf(why) {
	case "permission":
		return shopadapter.Block(
			"the key may not be used for this: give it the permission Read/Write in WooCommerce > Settings > "+
				"Advanced > REST API%s",
			Said(why),
		)
	case "consumer key":
		return shopadapter.Block("the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY%s", Said(why))
	case "timestamp":
		return shopadapter.Block(
			"this machine's clock and the shop's differ by more than a quarter of an hour: set up time synchronisation%s",
			Said(why),
		)
	}
	return shopadapter.Block(
		"the shop refuses the signature: check PUBSYNC_WOOCOMMERCE_SECRET and the key that it belongs to, and that "+
			"PUBSYNC_WOOCOMMERCE_URL is letter for letter the Site Address in WordPress > Settings > General%s",
		Said(why),
	)
}

// nowhere is the error of an answer that says there is no API at the address.
func (c *Client) nowhere(r Request, status int, why *Refusal) *shopadapter.Error {
	switch {
	case status == http.StatusMethodNotAllowed:
		return shopadapter.Block("the web server does not let %s requests through to the shop: allow GET, POST, PUT "+
			"and DELETE below %s",
			r.Method, Root).
			Everywhere()
	case why.Code == CodeNoRoute:
		return shopadapter.Block("WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce").
			Everywhere()
	}
	return shopadapter.Block("there is no WooCommerce REST API at the address (HTTP %d): check "+
		"PUBSYNC_WOOCOMMERCE_URL, and in WordPress that Settings > Permalinks is not on Plain", status).
		Everywhere()
}

// Said is the shop's own words, to be put behind ours.
func Said(why *Refusal) string {
	if why.Message == "" {
		return ""
	}
	return ": " + why.Message
}

// redirect is the error of an answer that leads elsewhere.
func (c *Client) redirect(got *rest.Answer) *shopadapter.Error {
	base, _ := url.Parse(c.Base)
	target, err := url.Parse(got.Header.Get("Location"))
	if err != nil || base == nil || got.Header.Get("Location") == "" {
		return shopadapter.Block("the shop redirects to another address: set PUBSYNC_WOOCOMMERCE_URL to where it really is").
			Everywhere()
	}
	target = base.ResolveReference(target)
	target.RawQuery, target.Fragment, target.User = "", "", nil
	site, _, isAPI := strings.Cut(target.Path, "/wp-json")
	target.Path, target.RawPath = strings.TrimRight(site, "/"), ""
	here := target.Scheme == base.Scheme && strings.EqualFold(target.Host, base.Host)
	switch home := target.Path == strings.TrimRight(base.Path, "/"); {
	case here && home && !isAPI:
		return noPermalinks().Everywhere()
	case here && home:
		return shopadapter.Block("the web server redirects the addresses of the shop's API: see that it passes what "+
			"lies below %s on as it is", Root).
			Everywhere()
	case !isAPI && (here || loginPage.MatchString(target.Path)):
		return shopadapter.Block("something in the shop leads the requests of its REST API to the page %s, a plugin that "+
			"asks visitors to log in as a rule: have it let %s through", c.Clean(target.String()), Root).
			Everywhere()
	}
	return shopadapter.Block("the shop redirects to %s: set PUBSYNC_WOOCOMMERCE_URL to where it really is",
		c.Clean(target.String())).
		Everywhere()
}

// loginPage is the path of a page where a visitor logs in.
var loginPage = regexp.MustCompile(`(?i)/(?:wp-login\.php|wp-admin|log-?in|sign-?in|sso|auth)\b`)

// noPermalinks is the error of a WordPress that takes the API's addresses for its front page, or
// knows none.
func noPermalinks() *shopadapter.Error {
	return shopadapter.Block(
		"the shop has no pretty permalinks, which its REST API needs: choose Post name in WordPress > Settings > " +
			"Permalinks, and see that the web server (nginx: try_files … /index.php?$args) passes addresses on to index.php",
	)
}
