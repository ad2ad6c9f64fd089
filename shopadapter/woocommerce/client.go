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
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/percent"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const (
	// requestTimeout bounds one request: a hundred variations on slow hosting take a minute or two.
	requestTimeout = 5 * time.Minute
	// mostParallel is how many requests are under way at a time.
	mostParallel = 4
	userAgent    = "pubsync (+https://github.com/pubsync/pubsync)"
	// root is where the API is below the shop's address.
	root = "/wp-json/wc/v3"
	// maxQuoted bounds what is shown of a text from the shop, in characters.
	maxQuoted = 300
)

// A client makes the requests of one shop. Over https key and secret are Basic credentials. Over
// plain http WooCommerce takes none, so each request is signed with OAuth 1.0a.
type client struct {
	base        string // the shop's address, without a slash at its end
	key, secret string
	wire        *wire.Client
	redact      *strings.Replacer
	turns       chan struct{}
}

func newClient(base, key, secret string, with *http.Client) *client {
	both := base64.StdEncoding.EncodeToString([]byte(key + ":" + secret))
	return &client{
		base: base, key: key, secret: secret, turns: make(chan struct{}, mostParallel),
		wire: wire.New(wire.Options{
			Endpoint: base, Peer: "the shop", Transport: with.Transport, UserAgent: userAgent, Timeout: requestTimeout,
			Secrets: func() []string { return []string{key, secret, both} },
		}),
		redact: quote.Hider("[secret]", key, secret, both),
	}
}

// limits are the most that an answer may hold: a list has a hundred elements at the most, and so
// does a batch, of which each has eighty fields, with plugins a few times that.
var limits = jsonlimit.Limits{Bytes: 8 << 20, Elements: 100_000, Depth: 64}

// call makes a request of the API and reads what it answers into out. Its error is the context's,
// or a shopadapter.Error, with a *refusal in its chain where the shop answered with a fault.
func (c *client) call(
	ctx context.Context, method, path string, query url.Values, in, out any,
) error {
	var content []byte
	if in != nil {
		var err error
		if content, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	got, err := c.send(ctx, method, c.base+root+path, query, content, true)
	if err != nil {
		return err
	}
	if got.Status/100 != 2 {
		e := c.refuse(method, got)
		walled := in != nil && path != nothing && quote.IsPage(got.Body) &&
			(got.Status == http.StatusForbidden || got.Status == http.StatusNotAcceptable)
		if walled && c.writes(ctx) == nil {
			// The firewall takes offence at what stands in the request. The shop as a whole is well.
			e.ShopWide = false
			e.Message = fmt.Sprintf("a firewall before the shop takes offence at this product's text (HTTP %d): have it "+
				"let %s through", got.Status, root)
		}
		return e
	}
	if err := jsonlimit.Unmarshal(trimmed(got.Body), limits, out); err != nil {
		return c.unreadable(got)
	}
	return nil
}

// nothing is where a batch of nothing goes: it needs the permission to write and changes nothing.
const nothing = "/products/batch"

// writes asks whether the shop accepts a write at all.
func (c *client) writes(ctx context.Context) error {
	var any json.RawMessage
	err := c.call(ctx, http.MethodPost, nothing, nil, struct{}{}, &any)
	return err
}

// get reads something into out. pairs are the names and values of the query.
func (c *client) get(ctx context.Context, path string, out any, pairs ...string) error {
	err := c.call(ctx, http.MethodGet, path, asking(pairs...), nil, out)
	return err
}

const mostPages = 100

// readAll reads a list to its end.
func readAll[T any](ctx context.Context, c *client, path string, query url.Values) (all []T, err error) {
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

// asking is a query of names and values in turn.
func asking(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return query
}

// send makes one request, with credentials or without, and reads the answer.
func (c *client) send(
	ctx context.Context, method, address string, query url.Values, content []byte, known bool,
) (*wire.Answer, error) {
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if known && c.signs() {
		query = signed(method, address, query, c.key, c.secret, strconv.FormatInt(time.Now().Unix(), 10), rand.Text())
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("the shop's address is none")
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if known && !c.signs() {
		request.SetBasicAuth(c.key, c.secret)
	}
	got, err := c.wire.Do(request, limits, nil)
	var lost *wire.Error
	switch errors.As(err, &lost); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case lost != nil && lost.Unsent:
		return nil, &shopadapter.Error{Message: lost.Message, Err: errNotSent}
	case err != nil:
		return nil, &shopadapter.Error{Message: err.Error(), Err: err}
	}
	return got, nil
}

// errNotSent is in the chain of the error of a request that cannot have arrived.
var errNotSent = errors.New("the shop was not reached")

// uncertain reports whether a request that ended in err may have been carried out, or may still be:
// PHP goes on working when its client is gone.
func uncertain(err error) bool {
	if err == nil || errors.Is(err, errNotSent) {
		return false
	}
	r := refused(err)
	return r == nil || r.Status >= http.StatusInternalServerError
}

// signs reports whether requests are signed, as they are over plain http.
func (c *client) signs() bool { return strings.HasPrefix(c.base, "http:") }

// signed is query with the parameters of OAuth 1.0a (RFC 5849, HMAC-SHA256, no token) for one
// request, which no other may use. address is the request's without a query.
func signed(method, address string, query url.Values, key, secret, timestamp, nonce string) url.Values {
	all := url.Values{
		"oauth_consumer_key": {key}, "oauth_nonce": {nonce}, "oauth_signature_method": {"HMAC-SHA256"},
		"oauth_timestamp": {timestamp},
	}
	maps.Copy(all, query)
	mac := hmac.New(sha256.New, []byte(secret+"&"))
	mac.Write([]byte(signatureBase(method, address, all)))
	all.Set("oauth_signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return all
}

// signatureBase is the text that is signed: the parameters stand in the order of their names,
// each encoded, and the whole is encoded once more.
func signatureBase(method, address string, parameters url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		for _, value := range slices.Sorted(slices.Values(parameters[name])) {
			pairs = append(pairs, percent.Encode(name)+"="+percent.Encode(value))
		}
	}
	return method + "&" + percent.Encode(address) + "&" + percent.Encode(strings.Join(pairs, "&"))
}

// clean makes a text from the shop fit to be shown: on one line, without tags, control characters
// and secrets, bounded.
func (c *client) clean(foreign string) string {
	return quote.Line(foreign, maxQuoted, func(shown string) string {
		return c.redact.Replace(html.UnescapeString(withoutTags(shown)))
	})
}

// trimmed is body without the space and the byte order mark that badly written plugins put before
// an answer.
func trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xef\xbb\xbf")))
}
