package httpshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	Prices shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: gross, an endpoint does not say"`
}

// An adapter speaks the http shop protocol. What is published is known to the endpoint alone.
type adapter struct {
	wire   *wire.Client
	base   string
	said   *memo.Memo[health]
	prices func() (shopadapter.Prices, error)
}

func open(o shopadapter.Options) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	a := &adapter{base: strings.TrimRight(string(set.URL), "/")}
	a.wire = wire.New(wire.Options{
		Endpoint: a.base, Peer: "it", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Secrets: func() []string { return []string{string(set.Token)} },
		Authorize: func(r *http.Request) {
			if set.Token != "" {
				r.Header.Set("Authorization", "Bearer "+string(set.Token))
			}
		},
	})
	const mostPlaces = 4 // decimals of a price without tax: a visitor's cent comes out of them
	a.prices = func() (shopadapter.Prices, error) {
		return shopadapter.ChoosePrices(Name, set.Prices, o.VATPercent, mostPlaces, nil)
	}
	// how long what an endpoint says of itself is believed, unless an answer contradicts it
	a.said = memo.New(10*time.Minute, a.health)
	return a, nil
}

// Close lets go of idle connections.
func (a *adapter) Close() error { return a.wire.Close() }

// recreate is the header that has the endpoint make a listing anew that somebody deleted.
const recreate = "Pubsync-Recreate"

// Publish puts the product. The endpoint finds its listing by the publication's id, so the hints in
// ref are not needed; without one everything is said to have changed, since the endpoint may have
// to make the listing. The groups in ref.Reset are named as changed.
//
// A listing that somebody deleted by hand is ErrGone where ref has a hint of it. Without the hint
// it is wanted, and made anew.
//
// Where every variant is refused the error is of kind Rejected, and the Listing beside it says why
// for each.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (listing shopadapter.Listing, err error) {
	prices, err := a.prices()
	if err != nil {
		return listing, err
	}
	if p.Figures {
		return a.restock(ctx, ref, prices.Product(p), changed)
	}
	if p.Draft {
		// An endpoint that overlooks the member would put the product on sale.
		said, err := a.said.Get(ctx, false)
		if err != nil {
			return listing, err
		}
		if !said.Drafts.is {
			a.said.Forget()
			return listing, shopadapter.Block("the shop's endpoint does not say that it makes drafts (GET /health " +
				"with \"drafts\": true), so that PUBSYNC_PUBLISH_AS=draft would put products on sale: have it say " +
				"so, or set PUBSYNC_PUBLISH_AS=live").Everywhere()
		}
	}
	if changed |= ref.Reset; ref.Listing == "" {
		changed = shopadapter.AllFields
	}
	p = whole(p, ref.State)
	body, err := encode(prices.Product(p), changed, ref)
	if err != nil {
		return listing, fmt.Errorf("encode product: %w", err)
	}
	put := func(flags ...string) (*wire.Answer, error) {
		return a.send(ctx, http.MethodPut, Path(ref.Publication), body, limits, flags...)
	}
	var resp *wire.Answer
	if ref.Listing == "" && ref.Asked { // a person wants it, whatever became of it
		resp, err = put(recreate)
	} else if resp, err = put(); err == nil && deletedByHand(resp) {
		if ref.Listing != "" {
			return listing, shopadapter.ErrGone
		}
		resp, err = put(recreate)
	}
	if err == nil {
		listing, err = a.readListing(ctx, resp, p)
	}
	if listing.ID != "" {
		listing.State = keep(p)
	}
	return listing, err
}

// restock has the endpoint hold other figures, by PATCH. Where it accepts no figures alone, or does
// not hold the product whole, the error is ErrWhole.
func (a *adapter) restock(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (none shopadapter.Listing, err error) {
	said, err := a.said.Get(ctx, false)
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || err != nil || !said.Figures.is {
		return none, shopadapter.ErrWhole
	}
	body, err := wire.Encode(struct {
		Variants  []shopadapter.Figures `json:"variants"`
		UpdatedAt string                `json:"updatedAt"`
		Changed   shopadapter.Fields    `json:"changed"`
	}{shopadapter.FiguresOf(p.Variants), p.UpdatedAt, changed})
	if err != nil {
		return none, err
	}
	resp, err := a.send(ctx, http.MethodPatch, Path(ref.Publication), body, limits)
	switch {
	case err != nil:
		return none, err
	case deletedByHand(resp):
		return none, shopadapter.ErrGone
	case resp.Status == http.StatusNotFound, resp.Status == http.StatusConflict:
		return none, shopadapter.ErrWhole
	case resp.Status == http.StatusMethodNotAllowed, resp.Status == http.StatusNotImplemented:
		a.said.Forget() // it accepts none any more
		return none, shopadapter.ErrWhole
	}
	listing, err := a.readListing(ctx, resp, p)
	if listing.ID != "" && listing.ID != ref.Listing {
		return none, errors.Join(shopadapter.ErrWhole, err) // another product: a PUT says which
	}
	listing.State = ref.State
	return listing, err
}

// deletedByHand reports whether the endpoint says that somebody deleted the listing. A 410 without
// these words is a wrong address.
func deletedByHand(resp *wire.Answer) bool {
	var said struct {
		Deleted lenient[bool] `json:"deleted"`
	}
	return resp.Status == http.StatusGone && json.Unmarshal(resp.Body, &said) == nil && said.Deleted.is
}

// Unpublish deletes the product, in the mode that how says.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	resp, err := a.send(ctx, http.MethodDelete, Path(ref.Publication)+"?mode="+how.String(), nil, limits)
	if err != nil || resp.Status == http.StatusNotFound {
		return "", err
	}
	return "", a.judge(ctx, resp)
}

// Check asks the endpoint for its health. How prices are entered is what the setting says: an endpoint
// does not tell.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	said, err := a.said.Get(ctx, true)
	if err == nil {
		is.Prices, err = a.prices()
	}
	is.Currency, is.Version = string(said.Currency), a.wire.Clean(string(said.Version))
	is.Figures = said.Figures.is
	return is, err
}

// A health is what an endpoint says of itself.
type health struct {
	Currency Text          `json:"currency"`
	Version  Text          `json:"version"`
	Figures  lenient[bool] `json:"figures"`
	Observed lenient[bool] `json:"observed"`
	Drafts   lenient[bool] `json:"drafts"`
}

func (a *adapter) health(ctx context.Context) (h health, err error) {
	resp, err := a.send(ctx, http.MethodGet, "/health", nil, limits)
	if err == nil {
		err = a.unwell(resp)
	}
	if err == nil {
		_ = json.Unmarshal(resp.Body, &h) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	return h, err
}

// Path is where a publication lies below the base address. Its id is one segment whatever it holds: all
// but RFC 3986's unreserved characters are percent-encoded, and the dot too where the segment would
// otherwise mean this folder or the one above.
func Path(id shopadapter.PublicationID) string {
	segment := wire.Percent(string(id))
	if segment == "." || segment == ".." {
		segment = strings.ReplaceAll(segment, ".", "%2E")
	}
	return products + segment
}

const products = "/products/"

// limits bound what is read of an answer. A listing of 10,000 variants fits: each is an element of
// variants and another of refused.
var limits = wire.Limits{Bytes: 1 << 20, Elements: 40_000, Depth: 20}

// send makes one request below the base address. Each flag is a header that is set to true. An error
// is one that time mends: there was no answer, or one beyond the limits.
func (a *adapter) send(
	ctx context.Context, method, path string, body []byte, l wire.Limits, flags ...string,
) (*wire.Answer, error) {
	if at, _, _ := strings.Cut(path, "?"); at == products { // a sloppy endpoint might take it for all of them
		return nil, errors.New("address product: the publication has no id")
	}
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("make request: " + a.wire.Clean(err.Error()))
	}
	request.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, name := range flags {
		request.Header.Set(name, "true")
	}
	got, err := a.wire.Do(request, l, nil)
	if err != nil {
		return nil, shopadapter.Retry("no answer from the shop's endpoint that can be used: %w", err)
	}
	return got, nil
}
