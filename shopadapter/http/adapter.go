// Package httpshop publishes to a shop in any language that offers one idempotent endpoint, as openapi.yaml describes
// it:
//
//	PUT    {base}/products/{publication id}        make the listing equal to the body
//	PATCH  {base}/products/{publication id}        optional: prices and stock alone
//	DELETE {base}/products/{publication id}?mode=  unpublish: take it out of sale; delete: delete it
//	GET    {base}/health                           200 when all is well, with what the endpoint offers
//	GET    {base}/products?after=                  optional: what the shop holds, 404 where there is no list
//
// A web page with a 2xx or 400 is no answer: it is a bot check, a login or a page of maintenance.
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
	mostPlaces = 4                // decimals of a net price, enough for a visitor's cents
	believed   = 10 * time.Minute // for what an endpoint says of itself
)

// An adapter speaks the http shop protocol. It keeps nothing of what is published.
type adapter struct {
	Client
	health   *memo.Memo[Answer]
	prices   shopadapter.Prices
	unpriced error // why prices cannot be entered
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
			is, _ = Read(resp.Body) // an endpoint may answer anything: then it says nothing
		}
		return is, err
	})
	return a, nil
}

// Check asks for the endpoint's health. Only the setting says how prices are entered.
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

// Path is a publication's, below the base address. Its id is one segment: all but RFC 3986's unreserved characters
// are percent-encoded, as are dots that would mean a folder.
func Path(id shopadapter.PublicationID) string {
	segment := wire.Percent(string(id))
	if segment == "." || segment == ".." {
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return "/products/" + segment
}

// limits let a listing of 10,000 variants pass, each also named in refused.
var limits = wire.Limits{Bytes: 1 << 20, Elements: 40_000}

// A Client sends requests to one endpoint.
type Client struct {
	*wire.Client
	base string
}

// NewClient makes the client of an endpoint with a token, or "", without a request.
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

// Send makes a request below the base address; each flag is a header set to true. Time mends its errors.
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
