package woocommerce

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const (
	// requestTimeout bounds one request: slow hosting takes a minute or two for a hundred variations.
	requestTimeout = 5 * time.Minute
	mostParallel   = 4
	userAgent      = "pubsync (+https://github.com/pubsync/pubsync)"
	root           = "/wp-json/wc/v3"
	// perPage is the most that the API lists, or takes in a batch.
	perPage = 100
)

// A client makes one shop's requests. WooCommerce takes Basic credentials over https only; over plain http each
// request is signed with OAuth 1.0a.
type client struct {
	base        string // without a slash at its end
	key, secret string
	known       *wire.Client // sends the credentials
	public      *wire.Client // sends none
	turns       *semaphore.Weighted
	logger      *slog.Logger
	told        sync.Map // see first
}

func newClient(base, key, secret string, with *http.Client, logger *slog.Logger) *client {
	both := base64.StdEncoding.EncodeToString([]byte(key + ":" + secret))
	o := wire.Options{
		Endpoint: base, Peer: "the shop", Transport: with.Transport, UserAgent: userAgent, Timeout: requestTimeout,
		Secrets: func() []string { return []string{key, secret, both} },
	}
	c := &client{
		base: strings.TrimRight(base, "/"), key: key, secret: secret, public: wire.New(o),
		turns: semaphore.NewWeighted(mostParallel), logger: logger,
	}
	if !c.signs() {
		o.Authorize = func(r *http.Request) { r.SetBasicAuth(key, secret) }
	}
	c.known = wire.New(o)
	return c
}

// limits allow for a batch of a hundred with eighty fields each, and for plugins a few times that.
var limits = wire.Limits{Bytes: 8 << 20, Elements: 100_000}

// call returns the context's error, or a shopadapter.Error with a *refusal in its chain where the shop answered with
// a fault.
func (c *client) call(
	ctx context.Context, method, path string, query url.Values, in, out any,
) error {
	got, err := c.send(ctx, c.known, method, c.base+root+path, query, in, out)
	if err == nil && got.Status/100 != 2 {
		err = c.judge(got)
	}
	if r := refused(err); r != nil && (r.body == aPage || r.body == aBotCheck) && in != nil && path != nothing {
		e := shopadapter.Explain(err)
		if e.Kind == shopadapter.Blocked && c.writes(ctx) == nil {
			// A firewall objects to this request's content, not to the whole shop.
			e.ShopWide, e.Message = false, e.Message+"; it lets others through: something in this product's text offends it"
		}
		return e
	}
	return err
}

// nothing takes an empty batch, which needs the permission to write and changes no product.
const nothing = "/products/batch"

func (c *client) writes(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, nothing, nil, struct{}{}, new(json.RawMessage))
}

func (c *client) get(ctx context.Context, path string, out any, pairs ...string) error {
	return c.call(ctx, http.MethodGet, path, asking(pairs...), nil, out)
}

func readAll[T any](ctx context.Context, c *client, path string, query url.Values) (all []T, err error) {
	const mostPages = 100
	query.Set("per_page", strconv.Itoa(perPage))
	for page := 1; page <= mostPages; page++ {
		query.Set("page", strconv.Itoa(page))
		var some list[T]
		if err := c.call(ctx, http.MethodGet, path, query, nil, &some); err != nil {
			return nil, err
		}
		if all = append(all, some...); len(some) < perPage {
			break
		}
	}
	return all, nil
}

func asking(pairs ...string) url.Values {
	query := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		query.Set(pair[0], pair[1])
	}
	return query
}

// send reads a successful answer into out, which may be nil.
func (c *client) send(
	ctx context.Context, with *wire.Client, method, address string, query url.Values, in, out any,
) (*wire.Answer, error) {
	if err := c.turns.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.turns.Release(1)
	if with == c.known && c.signs() {
		query = signed(method, address, query, c.key, c.secret)
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	got, err := with.JSON(ctx, method, address, in, limits, out)
	lost, _ := errors.AsType[*wire.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return got, nil
	case lost == nil || !lost.Unreadable:
		return nil, &shopadapter.Error{Message: err.Error(), Err: err}
	case json.Unmarshal(trimmed(got.Body), out) != nil:
		return nil, c.judge(got)
	}
	return got, nil
}

// uncertain reports whether the request may have been carried out, or may still be.
func uncertain(err error) bool {
	lost, _ := errors.AsType[*wire.Error](err)
	r := refused(err)
	return err != nil && (lost == nil || !lost.Unsent) &&
		(r == nil || r.Status/100 == 2 || r.Status >= http.StatusInternalServerError)
}

// phpDied takes a 503 with a Retry-After for an intended pause.
func phpDied(err error) bool {
	r := refused(err)
	return r != nil && (r.Status == http.StatusInternalServerError || r.Status == http.StatusBadGateway ||
		r.Status == http.StatusServiceUnavailable && r.pause == 0)
}

// clean makes a text of the shop fit to be shown: one line without tags and secrets.
func (c *client) clean(foreign string) string {
	return c.known.Clean(html.UnescapeString(looksLikeTag.ReplaceAllString(foreign, "")))
}

// trimmed cuts the space and the byte order mark that badly written plugins put before an answer.
func trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
}

func (c *client) signs() bool { return strings.HasPrefix(strings.ToLower(c.base), "http:") }

// signed adds the parameters of OAuth 1.0a (RFC 5849, HMAC-SHA256, no token); address is without a query.
func signed(method, address string, query url.Values, key, secret string) url.Values {
	all := url.Values{
		"oauth_consumer_key": {key}, "oauth_nonce": {rand.Text()}, "oauth_signature_method": {"HMAC-SHA256"},
		"oauth_timestamp": {strconv.FormatInt(time.Now().Unix(), 10)},
	}
	maps.Copy(all, query)
	mac := hmac.New(sha256.New, []byte(secret+"&"))
	mac.Write([]byte(signatureBase(method, address, all)))
	all.Set("oauth_signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return all
}

func signatureBase(method, address string, parameters url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		for _, value := range slices.Sorted(slices.Values(parameters[name])) {
			pairs = append(pairs, wire.Percent(name)+"="+wire.Percent(value))
		}
	}
	return method + "&" + wire.Percent(address) + "&" + wire.Percent(strings.Join(pairs, "&"))
}
