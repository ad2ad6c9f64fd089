package woocommerce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// upkeepPause is what WordPress asks for during an update, which takes seconds as a rule.
const upkeepPause = 10 * time.Minute

// refuse says who can mend an answer that is no success.
func (c *client) refuse(method string, got *wire.Answer) *shopadapter.Error {
	why := &refusal{Status: got.Status}
	var f fault
	if object(got.Body, &f) {
		why = c.refusalOf(f, got.Status)
	}
	why.writes, why.signed = method != http.MethodGet, c.signs()
	said := "" // the shop's own words, behind ours
	if why.Message != "" {
		said = ": " + why.Message
	}
	e := httpstatus.Error(got.Status, got.Header, "")
	e.Message += said
	switch means := httpstatus.Of(got.Status, got.Header); {
	case got.Status == http.StatusServiceUnavailable:
		e.Message = "the shop asks for a pause (HTTP 503)" + said
		if quote.IsPage(got.Body) && e.RetryAfter == upkeepPause {
			e.Message = "the shop is in maintenance, as it is while WordPress updates itself (HTTP 503)"
		}
		e.ShopWide = true
	case means == httpstatus.Pause, means == httpstatus.Failure, means == httpstatus.TooLarge:
	case means == httpstatus.Moved:
		e = c.moved(got.Header.Get("Location"))
	default:
		e = judge(why, said)
	}
	e.Err = why
	return e
}

func judge(why *refusal, said string) *shopadapter.Error {
	for _, w := range blocked {
		if w.fits(why) {
			return shopadapter.Block("%s (HTTP %d)%s", w.says, why.Status, said).Everywhere()
		}
	}
	if why.Code == "" {
		return shopadapter.Retry("the shop answers HTTP %d without a reason that can be read", why.Status)
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
	{denied, codeCannotView, signedAnd(""), "the shop knows the key, and its user may not see products: make the key " +
		"for an administrator or a shop manager, in WooCommerce > Settings > Advanced > REST API"},
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

// diagnose finds out why a first request fails, by what WordPress says of itself to anybody. err is
// what is said when nothing more can be found.
func (a *adapter) diagnose(ctx context.Context, err error) error {
	r, e := refused(err), shopadapter.Explain(err)
	signature := r != nil && r.Code == codeWrongSecret && strings.Contains(e.Message, "the signature")
	moved := r != nil && r.Status/100 == 3
	page := errors.Is(err, errPage)
	switch {
	case r == nil && !page && strings.Contains(e.Message, unreadable):
		return &shopadapter.Error{Kind: shopadapter.Blocked, ShopWide: true, Message: e.Message, Err: err}
	case !signature && !moved && !page && (r == nil || r.Status != http.StatusNotFound):
		return err
	}
	site, wordPress, failed := a.index(ctx)
	if failed != nil {
		return failed
	}
	there := len(site.Namespaces) > 0
	switch elsewhere := a.elsewhere(site.Home); {
	case elsewhere != "":
		err = shopadapter.Block("the WordPress at this address is the site %s: set PUBSYNC_WOOCOMMERCE_URL to that",
			elsewhere).Everywhere()
	case signature, moved, page && !there && !wordPress: // it names its target; an unknown page may be a proxy's
	case there && !slices.Contains(site.Namespaces, "wc/v3"):
		err = shopadapter.Block(noWooCommerce).Everywhere()
	case there && !site.pretty, !there && wordPress:
		err = shopadapter.Block(noPermalinks).Everywhere()
	case !there:
		err = shopadapter.Block("there is no WordPress at the address: check PUBSYNC_WOOCOMMERCE_URL, which is the address " +
			"of the shop's front page; where WordPress is installed in a folder, the folder belongs to it").Everywhere()
	}
	return err
}

// An index is what WordPress says of itself and of its REST API to anybody.
type index struct {
	Namespaces list[text] `json:"namespaces"`
	Home       text       `json:"home"` // the site's address, as its settings name it
	pretty     bool       // it was found under the address that needs pretty permalinks
}

// index asks the address for the index, with pretty permalinks and without, and tells whether
// its page is one of WordPress. The zero index: there is none.
func (a *adapter) index(ctx context.Context) (site index, wordPress bool, err error) {
	for _, path := range []string{"/wp-json/?_fields=namespaces,home", "/?rest_route=/"} {
		got, err := a.send(ctx, a.public, http.MethodGet, a.base+path, nil, nil, nil)
		if err != nil {
			return site, false, err
		}
		if got.Status == http.StatusTooManyRequests || got.Status >= http.StatusInternalServerError {
			return site, false, a.refuse(http.MethodGet, got)
		}
		data := trimmed(got.Body)[len(cutNoise(got.Body)):]
		if got.Status == http.StatusOK && object(data, &site) && len(site.Namespaces) > 0 {
			site.pretty = strings.HasPrefix(path, "/wp-json/")
			return site, true, nil
		}
		site, wordPress = index{}, wordPress || quote.IsPage(got.Body) && wordPressFile.Match(got.Body)
	}
	return site, wordPress, nil
}

// wordPressFile is in the address of a file that a page of WordPress names.
var wordPressFile = regexp.MustCompile(`/wp-(?:content|includes)/`)

// elsewhere is WordPress' own address where it is another than the one that is configured, "" where
// it is not, or is not known. A proxy may take https and pass http on.
func (a *adapter) elsewhere(home text) string {
	u, err := url.Parse(string(home))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if site := shopAddress(u.Scheme + "://" + u.Host + u.EscapedPath()); bare(site) != bare(a.base) {
		return a.clean(site)
	}
	return ""
}

// bare is an address without its scheme.
func bare(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return rest
}

// moved is the error of an answer that leads elsewhere. A redirect is not followed: the key goes to
// no other address.
func (c *client) moved(to string) *shopadapter.Error {
	base, failed := url.Parse(c.base)
	target, err := url.Parse(to)
	if failed != nil || err != nil || to == "" {
		return httpstatus.Error(http.StatusFound, nil, "")
	}
	target = base.ResolveReference(target)
	target.RawQuery, target.Fragment, target.User = "", "", nil
	site, _, isAPI := strings.Cut(target.Path, "/wp-json")
	target.Path, target.RawPath = strings.TrimRight(site, "/"), ""
	here := target.Scheme == base.Scheme && strings.EqualFold(target.Host, base.Host)
	home := here && target.Path == base.Path
	says := "the shop redirects to " + c.clean(target.String()) + ": set PUBSYNC_WOOCOMMERCE_URL to where it really is"
	switch {
	case home && isAPI:
		says = "the web server redirects the addresses of the shop's API: see that it passes what lies below " + root +
			" on as it is"
	case home:
		says = noPermalinks
	case !isAPI && (here || loginPage.MatchString(target.Path)):
		says = "something in the shop leads the requests of its REST API to the page " + c.clean(target.String()) +
			", a plugin that asks visitors to log in as a rule: have it let " + root + " through"
	}
	return shopadapter.Block("%s", says).Everywhere()
}

// loginPage is the path of a page where a visitor logs in.
var loginPage = regexp.MustCompile(`(?i)/(?:wp-login\.php|wp-admin|log-?in|sign-?in|sso|auth)\b`)

// errPage is in the chain of the error of a web page with a status of success.
var errPage = errors.New("a web page in place of data")

// unreadable is the error of an answer that has a status of success and is not the data asked for.
// The shop may have carried the request out.
func (c *client) unreadable(got *wire.Answer) *shopadapter.Error {
	noise := cutNoise(got.Body)
	switch {
	case noise != "":
		return shopadapter.Retry("%s", noiseSays(c.clean(noise)))
	case quote.IsPage(got.Body) && botCheck.Match(got.Body):
		return shopadapter.Block("a bot check stands before the shop's REST API and answers with a web page (HTTP %d): "+
			"have the firewall, the host or its CDN let %s through for the user agent pubsync", got.Status, root).Everywhere()
	case quote.IsPage(got.Body):
		return shopadapter.Retry("the shop answered %w (HTTP %d)", errPage, got.Status)
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
