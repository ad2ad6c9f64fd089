// Package httpshop publishes to a shop in any language that offers one idempotent endpoint: the way to
// write an adapter without writing Go. openapi.yaml describes each request to the letter:
//
//	PUT    {base}/products/{publication id}        make the listing equal to the body
//	PATCH  {base}/products/{publication id}        optional: prices and stock alone
//	DELETE {base}/products/{publication id}?mode=  unpublish: take it out of sale; delete: delete it
//	GET    {base}/health                           200 when all is well, with what the endpoint offers
//	GET    {base}/products?after=                  optional: what the shop holds, 404 where there is no list
//
// The endpoint does behind one request what the other adapters do in many. What stands in front of it
// may answer in its place: a web page is a bot check, a login or a page of maintenance, and never a
// listing, a refusal or a shop that is well.
package httpshop

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Name is what the adapter is registered as.
const Name = "http"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "a shop in any language behind one idempotent HTTP endpoint",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return open(o) },
	})
}

type settings struct {
	URL    shopadapter.URL        `env:"URL, required" meaning:"base address of the endpoint: PUT {URL}/products/{id}"`
	Token  shopadapter.Token      `env:"TOKEN" secret:"true" meaning:"sent to the endpoint as Authorization: Bearer {token}"`
	Prices shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: gross, an endpoint does not say"`
}

const (
	mostPlaces = 4                // decimals of a price without tax: a visitor's cent comes out of them
	believed   = 10 * time.Minute // what an endpoint says of itself, unless an answer contradicts it
)

// An adapter speaks the http shop protocol. What is published is known to the endpoint alone.
type adapter struct {
	Client
	health   *memo.Memo[Answer]
	prices   shopadapter.Prices
	unpriced error // why no prices can be entered
}

func open(o shopadapter.Options) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	a := &adapter{Client: NewClient(string(set.URL), string(set.Token), o.HTTPClient)}
	a.prices, a.unpriced = shopadapter.ChoosePrices(Name, set.Prices, o.VATPercent, mostPlaces, nil)
	a.health = memo.New(believed, func(ctx context.Context) (is Answer, err error) {
		resp, err := a.Send(ctx, http.MethodGet, "/health", nil, limits)
		if err == nil {
			err = a.unwell(resp)
		}
		if err == nil {
			is, _ = Read(resp.Body) // an endpoint may answer anything, and then it says nothing
		}
		return is, err
	})
	return a, nil
}

// Check asks the endpoint for its health. How prices are entered is what the setting says: an endpoint
// does not tell.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	health, err := a.health.Get(ctx, true)
	if err == nil {
		err = a.unpriced
	}
	return shopadapter.Info{
		Currency: string(health.Currency), Version: a.Clean(string(health.Version)), Figures: health.Figures,
		Prices: a.prices,
	}, err
}

// Path is where a publication lies below the base address. Its id is one segment whatever it holds: all
// but RFC 3986's unreserved characters are percent-encoded, and the dot too where the segment would
// otherwise mean this folder or the one above.
func Path(id shopadapter.PublicationID) string {
	segment := wire.Percent(string(id))
	if segment == "." || segment == ".." {
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return "/products/" + segment
}

// limits bound what is read of an answer. A listing of 10,000 variants fits: each is an element of
// variants and another of refused.
var limits = wire.Limits{Bytes: 1 << 20, Elements: 40_000}

// A Client sends requests to one endpoint.
type Client struct {
	*wire.Client
	base string
}

// NewClient makes the client of an endpoint with a token, "" for none. It makes no request.
func NewClient(base, token string, through *http.Client) Client {
	base = strings.TrimRight(base, "/")
	return Client{base: base, Client: wire.New(wire.Options{
		Endpoint: base, Peer: "it", Transport: through.Transport, Timeout: through.Timeout,
		Secrets: func() []string { return []string{token} },
		Authorize: func(r *http.Request) {
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		},
	})}
}

// Send makes one request below the base address. Each flag is a header that is set to true. An error is
// one that time mends: there was no answer, or one beyond the limits.
func (c Client) Send(
	ctx context.Context, method, path string, body []byte, l wire.Limits, flags ...string,
) (*wire.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("make request: " + c.Clean(err.Error()))
	}
	request.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, name := range flags {
		request.Header.Set(name, "true")
	}
	got, err := c.Do(request, l, nil)
	if err != nil {
		return nil, shopadapter.Retry("no answer from the shop's endpoint that can be used: %w", err)
	}
	return got, nil
}
