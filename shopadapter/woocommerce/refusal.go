package woocommerce

import (
	"bytes"
	"encoding/json"
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
	"github.com/pubsync/pubsync/shopadapter/quote"
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
	codeEAN         = "product_invalid_global_unique_id"
)

// A refusal is an answer that is no success.
type refusal struct {
	Status   int
	Code     string // WooCommerce's, "" where the answer is not WooCommerce's
	Message  string // fit to be shown
	Resource int64  // the product or term that stands in the way; 0: none was named

	page, writes, signed bool // the body is a web page; the request wrote; it was signed
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
	return r != nil && (r.Code == codeNoProduct || r.Code == codeTrashed || r.Status == http.StatusGone && r.Code != "")
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

// upkeepPause is what WordPress asks for during an update, which takes seconds as a rule.
const upkeepPause = 10 * time.Minute

// A row says what an answer that is no success means. The first one that fits counts.
type row struct {
	status int    // 0: any
	code   string // "": none is said; with * at its end: one that begins so, or none for "*" alone
	when   func(*refusal) bool
	says   string // what the merchant has to do; the shop's own words follow
}

// blocked are the answers that the merchant mends, each for every product.
func blocked() []row {
	signed := func(word string) func(*refusal) bool {
		return func(r *refusal) bool { return r.signed && strings.Contains(strings.ToLower(r.Message), word) }
	}
	writes := func(r *refusal) bool { return r.writes }
	denied := func(r *refusal) bool {
		return r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden ||
			r.Status == http.StatusNotAcceptable
	}
	const readWrite = "give it the permission Read/Write in WooCommerce > Settings > Advanced > REST API"
	return []row{
		// One code stands for a key that is not known, a wrong secret, a clock that differs and a key
		// that may not write. What tells them apart is a text that WordPress may have translated.
		{0, codeWrongSecret, signed("permission"), "the key may not be used for this: " + readWrite},
		{0, codeWrongSecret, signed("consumer key"), "the shop does not know the key: check PUBSYNC_WOOCOMMERCE_KEY"},
		{0, codeWrongSecret, signed("timestamp"), "this machine's clock and the shop's differ by more than a quarter of " +
			"an hour: set up time synchronisation"},
		{0, codeWrongSecret, signed(""), "the shop refuses the signature: check PUBSYNC_WOOCOMMERCE_SECRET and the key " +
			"that it belongs to, and that PUBSYNC_WOOCOMMERCE_URL is letter for letter the Site Address in WordPress > " +
			"Settings > General"},
		{0, codeWrongSecret, writes, "the key may not write, or its secret is wrong: " + readWrite + ", and check " +
			"PUBSYNC_WOOCOMMERCE_SECRET"},
		{0, codeWrongSecret, nil, "the shop refuses the secret: check PUBSYNC_WOOCOMMERCE_SECRET"},
		{0, codeCannotView, func(r *refusal) bool { return denied(r) && r.signed }, "the shop knows the key, and its user " +
			"may not see products: make the key for an administrator or a shop manager, in WooCommerce > Settings > " +
			"Advanced > REST API"},
		{0, codeCannotView, denied, "the shop does not know the key, or its user may not see products: check " +
			"PUBSYNC_WOOCOMMERCE_KEY; where it is right, make it for an administrator or a shop manager, and see that the " +
			"web server passes the Authorization header on to WordPress"},
		{0, "woocommerce_*", denied, "the user of the key may not manage products: make the key for an administrator or " +
			"shop manager"},
		{0, "", denied, "a firewall before the shop refuses the request: let " + root + " through for the user agent " +
			"pubsync"},
		{0, "*", denied, "something in the shop blocks the REST API, a security plugin as a rule: let " + root + " through"},
		{http.StatusNotFound, codeNoRoute, nil, noWooCommerce},
		{http.StatusNotFound, "", nil, "there is no WooCommerce REST API at the address: check PUBSYNC_WOOCOMMERCE_URL, " +
			"and in WordPress that Settings > Permalinks is not on Plain"},
		{http.StatusMethodNotAllowed, "*", nil, "the web server does not let this kind of request through to the shop: " +
			"allow GET, POST, PUT and DELETE below " + root},
		{http.StatusBadRequest, "", func(r *refusal) bool { return r.signed && !r.writes }, "the address refuses plain " +
			"http, as a port for https does: begin PUBSYNC_WOOCOMMERCE_URL with https://"},
	}
}

const (
	noWooCommerce = "WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce"
	noPermalinks  = "the shop has no pretty permalinks, which its REST API needs: choose Post name in WordPress > " +
		"Settings > Permalinks, and see that the web server (nginx: try_files … /index.php?$args) passes addresses on " +
		"to index.php"
)

func (w row) fits(r *refusal) bool {
	begin, open := strings.CutSuffix(w.code, "*")
	code := r.Code == w.code || open && strings.HasPrefix(r.Code, begin)
	return code && (w.status == 0 || w.status == r.Status) && (w.when == nil || w.when(r))
}

// refuse says who can mend an answer that is no success.
func (c *client) refuse(method string, got *wire.Answer) *shopadapter.Error {
	why := &refusal{Status: got.Status, page: quote.IsPage(got.Body)}
	var f fault
	if !why.page && object(got.Body, &f) {
		why = c.refusalOf(f, got.Status)
	}
	why.writes, why.signed = method != http.MethodGet, c.signs()
	e := c.judge(got, why)
	e.Err = why
	return e
}

func (c *client) judge(got *wire.Answer, why *refusal) *shopadapter.Error {
	e := httpstatus.Error(got.Status, got.Header, "")
	e.Message += why.said()
	switch means := httpstatus.Of(got.Status, got.Header); {
	case got.Status == http.StatusServiceUnavailable && why.page && e.RetryAfter == upkeepPause:
		e.Message = "the shop is in maintenance, as it is while WordPress updates itself (HTTP 503)"
		return e
	case got.Status == http.StatusServiceUnavailable:
		e.Message = "the shop asks for a pause (HTTP 503)" + why.said()
		return e.Everywhere()
	case means == httpstatus.Pause, means == httpstatus.Failure, means == httpstatus.TooLarge:
		return e
	case means == httpstatus.Moved:
		return c.moved(got.Header.Get("Location"))
	}
	for _, w := range blocked() {
		if w.fits(why) {
			return shopadapter.Block("%s (HTTP %d)%s", w.says, got.Status, why.said()).Everywhere()
		}
	}
	if why.Code == "" {
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", got.Status)
	}
	return shopadapter.Reject("the shop refuses the product: %s", why.Message)
}

// said is the shop's own words, to be put behind ours.
func (r *refusal) said() string {
	if r.Message == "" {
		return ""
	}
	return ": " + r.Message
}

// moved is the error of an answer that leads elsewhere. A redirect is not followed: the key goes to
// no other address.
func (c *client) moved(to string) *shopadapter.Error {
	base, _ := url.Parse(c.base)
	target, err := url.Parse(to)
	if err != nil || base == nil || to == "" {
		return shopadapter.Block("the shop redirects to another address: set PUBSYNC_WOOCOMMERCE_URL to where it really is").
			Everywhere()
	}
	target = base.ResolveReference(target)
	target.RawQuery, target.Fragment, target.User = "", "", nil
	site, _, isAPI := strings.Cut(target.Path, "/wp-json")
	target.Path, target.RawPath = strings.TrimRight(site, "/"), ""
	here := target.Scheme == base.Scheme && strings.EqualFold(target.Host, base.Host)
	home := target.Path == strings.TrimRight(base.Path, "/")
	switch shown := c.clean(target.String()); {
	case here && home && !isAPI:
		return shopadapter.Block(noPermalinks).Everywhere()
	case here && home:
		return shopadapter.Block("the web server redirects the addresses of the shop's API: see that it passes what "+
			"lies below %s on as it is", root).Everywhere()
	case !isAPI && (here || loginPage.MatchString(target.Path)):
		return shopadapter.Block("something in the shop leads the requests of its REST API to the page %s, a plugin that "+
			"asks visitors to log in as a rule: have it let %s through", shown, root).Everywhere()
	default:
		return shopadapter.Block("the shop redirects to %s: set PUBSYNC_WOOCOMMERCE_URL to where it really is", shown).
			Everywhere()
	}
}

// loginPage is the path of a page where a visitor logs in.
var loginPage = regexp.MustCompile(`(?i)/(?:wp-login\.php|wp-admin|log-?in|sign-?in|sso|auth)\b`)

// errPage is in the chain of the error of a web page with a status of success.
var errPage = errors.New("a web page in place of data")

// unreadable is the error of an answer that has a status of success and is not the data asked for.
// The shop may have carried the request out.
func (c *client) unreadable(got *wire.Answer) *shopadapter.Error {
	switch noise := cutNoise(got.Body); {
	case noise != "":
		return shopadapter.Retry("%s", noiseSays(c.clean(noise)))
	case quote.IsPage(got.Body) && botCheck.Match(got.Body):
		return shopadapter.Block("a bot check stands before the shop's REST API and answers with a web page (HTTP %d): "+
			"have the firewall, the host or its CDN let %s through for the user agent pubsync", got.Status, root).Everywhere()
	case quote.IsPage(got.Body):
		return &shopadapter.Error{
			Message: fmt.Sprintf("the shop answered a web page in place of data (HTTP %d)", got.Status), Err: errPage,
		}
	case len(bytes.TrimSpace(got.Body)) == 0:
		return shopadapter.Retry("the shop answered nothing in place of data (HTTP %d)", got.Status)
	}
	return shopadapter.Retry("the shop answered something that cannot be read in place of data (HTTP %d)", got.Status)
}

// botCheck is what the pages say that hosts and firewalls answer with, status 200, to what they
// take for a bot. A shop's own pages may hold a captcha, and Cloudflare's scripts.
var botCheck = regexp.MustCompile(
	`(?i)cf-chl|chl_page|<title>just a moment|sgcaptcha|imunify360|sucuri_cloudproxy|<title>ddos-guard|` +
		`checking your browser`,
)

// mostBraces bounds how many opening braces are tried as the beginning of the data. A notice quotes
// a few at most.
const mostBraces = 16

// cutNoise is the text before the data of an answer, "" where there is none, or no data.
func cutNoise(body []byte) string {
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

// phpNotice is a notice of PHP's, with the plugin or theme that it comes from.
var phpNotice = regexp.MustCompile(`(?i)\b(?:notice|warning|deprecated|strict standards|fatal error|parse error)\s*:` +
	`(?:.*/wp-content/((?:plugins|themes|mu-plugins)/[^/\s:]+))?`)

// unreadable is in each message about a text before the data.
const unreadable = "which makes them unreadable"

// noiseSays says what to do about a text before the data.
func noiseSays(noise string) string {
	found := phpNotice.FindStringSubmatch(noise)
	if found == nil {
		return "something in the shop writes a text before its answers, a plugin or the theme's functions.php, " +
			unreadable + ": " + noise
	}
	from := ""
	if found[1] != "" {
		from = "; this one comes from " + found[1]
	}
	return "PHP writes its notices before the shop's answers, " + unreadable + ": set WP_DEBUG_DISPLAY to " +
		"false in wp-config.php, or display_errors to Off" + from + ": " + noise
}
