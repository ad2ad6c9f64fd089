package woocommerce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const (
	codeNoProduct   = "woocommerce_rest_product_invalid_id"
	codeNoVariation = "woocommerce_rest_product_variation_invalid_id"
	codeTrashed     = "woocommerce_rest_already_trashed"
	codeSKU         = "product_invalid_sku"
	codeNotCreated  = "woocommerce_rest_product_not_created" // mostly: the SKU is in the lookup table
	codeUpload      = "woocommerce_product_image_upload_error"
	codeNoImage     = "woocommerce_product_invalid_image_id"
	codeCannotView  = "woocommerce_rest_cannot_view"
	codeWrongSecret = "woocommerce_rest_authentication_error" //nolint:gosec // the name of an error
	codeNoRoute     = "rest_no_route"
	codeTermExists  = "term_exists"
	codeEAN         = "product_invalid_global_unique_id" // also with "woocommerce_" before it
)

// A refusal is an answer other than the one asked for.
type refusal struct {
	Status   int
	Code     string // WooCommerce's, "" where the answer is not WooCommerce's
	Message  string // fit to be shown
	Resource int64  // the product or term in the way; 0: not named

	body  form
	pause time.Duration
}

func (r *refusal) Error() string { return r.Message }

type form int

const (
	other form = iota
	aPage      // of the web, in place of data
	aBotCheck
	noisy // data after other text
)

func refused(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

func hasCode(err error, codes ...string) bool {
	r := refused(err)
	return r != nil && slices.Contains(codes, r.Code)
}

func gone(err error) bool { return hasCode(err, codeNoProduct, codeTrashed) }

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

const (
	blocked, passing = shopadapter.Blocked, shopadapter.Transient

	permalinks = "choose Post name in WordPress > Settings > Permalinks, and see that the web server (nginx: " +
		"try_files … /index.php?$args) passes addresses on to index.php"
	noAPI = "check PUBSYNC_WOOCOMMERCE_URL, which is the address of the shop's front page (where WordPress is installed " +
		"in a folder, the folder belongs to it); where it is right, " + permalinks
)

func (r *refusal) means() (who shopadapter.Kind, says string) {
	denied := r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden ||
		r.Status == http.StatusNotAcceptable
	switch fine := r.Status/100 == 2; {
	case fine && r.body == aBotCheck:
		return blocked, "a bot check stands before the shop's REST API and answers with a web page: have the firewall, the " +
			"host or its CDN let " + root + " through for the user agent pubsync"
	case fine && r.body == noisy:
		return passing, "the shop writes a text before its answers, which makes them unreadable, PHP's notices as a rule: " +
			"set WP_DEBUG_DISPLAY to false in wp-config.php, or display_errors to Off"
	case fine && r.body == aPage:
		return passing, "the shop answered a web page in place of data; where it always does, " + noAPI
	case fine:
		return passing, "the shop answered something that cannot be read in place of data"
	case r.Status == http.StatusServiceUnavailable:
		return passing, "the shop asks for a pause, as it does in maintenance, while WordPress updates itself"
	case r.Code == codeWrongSecret: // also of a read-only key; over plain http of an unknown one
		return blocked, "the shop refuses the secret, or what the key may do: check PUBSYNC_WOOCOMMERCE_KEY and _SECRET, " +
			"and give the key the permission Read/Write in WooCommerce > Settings > Advanced > REST API; over plain http " +
			"the clocks have to agree, and PUBSYNC_WOOCOMMERCE_URL has to be letter for letter the Site Address in " +
			"WordPress > Settings > General"
	case denied && strings.HasPrefix(r.Code, "woocommerce_"):
		return blocked, "the shop does not know the key, or its user may not manage products: check " +
			"PUBSYNC_WOOCOMMERCE_KEY; where it is right, make it for an administrator or a shop manager, and see that the " +
			"web server passes the Authorization header on to WordPress"
	case denied:
		return blocked, "something blocks the shop's REST API, a firewall or a security plugin as a rule: let " + root +
			" through for the user agent pubsync"
	case r.Status == http.StatusNotFound && r.Code == codeNoRoute:
		return blocked, "WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce"
	case r.Status == http.StatusNotFound && r.Code == "":
		return blocked, "there is no WooCommerce REST API at the address: " + noAPI
	case r.Status == http.StatusMethodNotAllowed:
		return blocked, "the web server does not let this kind of request through to the shop: allow GET, POST, PUT and " +
			"DELETE below " + root
	case r.Code == "":
		return passing, "the shop answers without a reason that can be read"
	}
	return shopadapter.Rejected, "the shop refuses the product"
}

func (c *client) judge(got *wire.Answer) *shopadapter.Error {
	why, noise := &refusal{Status: got.Status}, cutNoise(got.Body)
	var f fault
	switch isPage := wire.IsPage(got.Body); {
	case got.Status/100 == 2 && noise != "":
		why.body, why.Message = noisy, c.clean(noise)
	case isPage && botCheck.Match(got.Body):
		why.body = aBotCheck
	case isPage:
		why.body = aPage
	case got.Status/100 != 2 && object(got.Body, &f):
		why = c.refusalOf(f, got.Status)
	}
	why.pause = got.RetryAfter
	e := got.StatusError("")
	switch means := got.Means(); {
	case means == wire.Moved: // not followed: the key goes to no other address
		to, _, _ := strings.Cut(got.Header.Get("Location"), "?")
		e = got.StatusError("the shop leads the requests of its REST API to «" + c.clean(to) + "»: set " +
			"PUBSYNC_WOOCOMMERCE_URL to the part before /wp-json where that is another shop; where visitors log in " +
			"there, have the plugin let what lies below " + root + " through; else " + permalinks)
	case got.Status != http.StatusServiceUnavailable && (means == wire.Pause || means == wire.Failure ||
		means == wire.TooLarge):
	default:
		kind, says := why.means()
		e.Kind, e.Message = kind, fmt.Sprintf("%s (HTTP %d)", says, got.Status)
		e.ShopWide = kind == blocked || got.Status == http.StatusServiceUnavailable
	}
	if why.Message != "" {
		e.Message += ": " + why.Message
	}
	e.Err = why
	return e
}

// botCheck matches the pages, with status 200, that hosts and firewalls show to bots. It ignores captchas and
// Cloudflare's scripts, which a shop's own pages may hold.
var botCheck = regexp.MustCompile(
	`(?i)cf-chl|chl_page|<title>just a moment|sgcaptcha|imunify360|sucuri_cloudproxy|<title>ddos-guard|` +
		`checking your browser`,
)

// cutNoise returns the text before the data, "" without such text or without data.
func cutNoise(body []byte) string {
	const mostBraces = 16 // a notice quotes a few
	body = trimmed(body)
	for at, tries := 0, 0; tries < mostBraces; at, tries = at+1, tries+1 {
		next := bytes.IndexAny(body[at:], "{[")
		if next < 0 {
			return ""
		}
		if at += next; json.Valid(body[at:]) {
			return string(body[:at])
		}
	}
	return ""
}

// lasting returns the error of a first request. A web page or noise, elsewhere transient, is the merchant's to mend,
// since nothing has worked yet.
func lasting(err error) error {
	if r := refused(err); r != nil && r.Status/100 == 2 && (r.body == noisy || r.body == aPage) {
		return &shopadapter.Error{Kind: shopadapter.Blocked, ShopWide: true, Message: err.Error(), Err: r}
	}
	return err
}
