package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// An index is what WordPress says of itself and of its REST API to anybody.
type index struct {
	Namespaces List[Text] `json:"namespaces"`
	Home       Text       `json:"home"` // the site's address, as its settings name it
}

func (i *index) hasWooCommerce() bool { return i != nil && slices.Contains(i.Namespaces, "wc/v3") }

// Diagnose finds out why a first request fails, and says what to do. err is what is said when
// nothing more can be found.
func (c *Client) Diagnose(ctx context.Context, err error) error {
	var g *garbled
	r := Refused(err)
	switch {
	case errors.As(err, &g) && g.noise != "":
		return &shopadapter.Error{Kind: shopadapter.Blocked, ShopWide: true, Err: err, Message: g.Error()}
	case errors.As(err, &g) && g.check:
		return err
	case r != nil && r.Code == CodeCannotView && (c.signs() || c.knowsKey(ctx)):
		e := shopadapter.Block(
			"the shop knows the key, and its user may not see products: make the key for an administrator or a shop " +
				"manager, in WooCommerce > Settings > Advanced > REST API" + Said(r),
		)
		e.Err = r
		return e.Everywhere()
	case errors.As(err, &g) && g.page, r != nil && (r.Status == http.StatusNotFound || r.Status/100 == 3):
		return c.diagnoseAddress(ctx, err)
	case r != nil && r.Code == codeWrongSecret && c.signs() && signatureOf(r) == "signature":
		if i, failed := c.index(ctx, c.Base, "/wp-json/", nil); failed == nil && i != nil {
			if e := c.elsewhere(string(i.Home), err); e != nil { // the signature speaks of the address
				return e
			}
		}
	}
	return err
}

// knowsKey reports whether the shop knows the key. It answers a key that it does not know, and one
// whose user may do nothing, alike; of a key that it knows it looks at the secret first.
func (c *Client) knowsKey(ctx context.Context) bool {
	other := *c
	other.secret = "cs_" + strings.Repeat("0", 40)
	var some List[Product]
	err := other.Get(ctx, KindRead, "/products", &some, "per_page", "1", "_fields", "id")
	return HasCode(err, codeWrongSecret)
}

// signs reports whether requests are signed, as they are over plain http.
func (c *Client) signs() bool { return strings.HasPrefix(c.Base, "http:") }

// diagnoseAddress finds out why there is no API at the address.
func (c *Client) diagnoseAddress(ctx context.Context, err error) error {
	pretty, prettyErr := c.index(ctx, c.Base, "/wp-json/", nil)
	if prettyErr != nil {
		return prettyErr
	}
	plainly, plainErr := c.index(ctx, c.Base, "/", url.Values{"rest_route": {"/"}})
	if plainErr != nil {
		return plainErr
	}
	for _, i := range []*index{pretty, plainly} {
		if i != nil {
			if e := c.elsewhere(string(i.Home), err); e != nil {
				return e
			}
		}
	}
	var wordpress bool
	if pretty == nil {
		wordpress = c.isWordPress(ctx)
	}
	var e *shopadapter.Error
	switch r := Refused(err); {
	case pretty == nil && r != nil && r.Status/100 == 3:
		return err // it names its target
	case pretty == nil && plainly == nil && r == nil && !wordpress:
		return err // an unknown page may be a proxy's, and gone soon
	case pretty == nil && plainly == nil && wordpress:
		e = noPermalinks()
	case pretty == nil && plainly == nil:
		e = shopadapter.Block(
			"there is no WordPress at the address: check PUBSYNC_WOOCOMMERCE_URL, which is the address of the shop's " +
				"front page; where WordPress is installed in a folder, the folder belongs to it",
		)
	case !pretty.hasWooCommerce() && !plainly.hasWooCommerce():
		e = shopadapter.Block("WordPress answers, and has no WooCommerce REST API: install and activate WooCommerce")
	case pretty == nil:
		e = noPermalinks()
	default:
		return err
	}
	e.Err = err
	return e.Everywhere()
}

// parsed is an address, or false where it cannot be read.
func parsed(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	return u, err == nil
}

// elsewhere is the error of a WordPress whose own address is another than the one that is
// configured; nil where it is not, or is not known.
func (c *Client) elsewhere(home string, err error) error {
	u, ok := parsed(home)
	if !ok || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil
	}
	own, ok := parsed(c.Base)
	site := ShopAddress(u.Scheme + "://" + u.Host + u.EscapedPath())
	if s, good := parsed(site); !ok || !good || s.Host == own.Host && s.Path == own.Path {
		return nil // a proxy may take https and pass http on
	}
	e := shopadapter.Block("the WordPress at this address is the site %s: set PUBSYNC_WOOCOMMERCE_URL to that",
		c.Clean(site)).
		Everywhere()
	e.Err = err
	return e
}

// isWordPress reports whether the page at the address is one of WordPress.
func (c *Client) isWordPress(ctx context.Context) bool {
	got, err := c.Send(ctx, Request{Method: http.MethodGet, Kind: kindIndex}, c.Base+"/", false)
	return err == nil &&
		(bytes.Contains(got.Body, []byte("/wp-content/")) || bytes.Contains(got.Body, []byte("/wp-includes/")))
}

// index asks an address, without credentials, whether it is a WordPress. nil: it is not.
func (c *Client) index(ctx context.Context, base, path string, query url.Values) (*index, error) {
	if query == nil {
		query = url.Values{}
	}
	query.Set("_fields", "namespaces,home")
	got, err := c.Send(ctx, Request{Method: http.MethodGet, Query: query, Kind: kindIndex}, base+path, false)
	switch {
	case err != nil:
		return nil, err
	case got.Status == http.StatusTooManyRequests || got.Status >= http.StatusInternalServerError:
		return nil, c.classify(Request{Method: http.MethodGet}, got)
	}
	var i index
	body := got.Body
	if _, after, noisy := cutNoise(body); noisy {
		body = after
	}
	if got.Status != http.StatusOK || !Object(body, &i) || len(i.Namespaces) == 0 {
		return nil, nil
	}
	return &i, nil
}

// pasted begins the path of what may have been copied along from a browser: the API's, the back
// office's.
var pasted = regexp.MustCompile(`/(?:wp-json|wp-admin|wp-login\.php|index\.php)(?:/.*)?$`)

// ShopAddress is the address without a slash, and without the API's path or the back office's for
// those who have copied that along. Its host is in the form in which WordPress signs it: lower
// case, without the scheme's own port.
func ShopAddress(value string) string {
	if u, err := url.Parse(value); err == nil {
		u.Host = strings.ToLower(u.Host)
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		value = u.String()
	}
	return strings.TrimRight(pasted.ReplaceAllString(strings.TrimRight(value, "/"), ""), "/")
}
