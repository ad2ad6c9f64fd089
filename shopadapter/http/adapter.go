package httpshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	hide   *strings.Replacer // takes the token out of texts
	said   *memo.Memo[health]
	prices func() (shopadapter.Prices, error)
}

func open(o shopadapter.Options) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	token := string(set.Token)
	a := &adapter{base: strings.TrimRight(string(set.URL), "/"), hide: wire.Hider("[token]", token)}
	a.wire = wire.New(wire.Options{
		Endpoint: a.base, Peer: "the shop's endpoint", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Authorize: func(r *http.Request) {
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		},
	})
	a.prices = func() (shopadapter.Prices, error) {
		return shopadapter.ChoosePrices(Name, set.Prices, o.VATPercent, mostPlaces, nil)
	}
	a.said = memo.New(saidAge, a.health)
	return a, nil
}

// Close lets go of idle connections.
func (a *adapter) Close() error { return a.wire.Close() }

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
) (shopadapter.Listing, error) {
	address, err := a.product(ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	prices, err := a.prices()
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if p.Figures {
		return a.restock(ctx, address, ref, p, prices, changed)
	}
	if err := a.mayDraft(ctx, p); err != nil {
		return shopadapter.Listing{}, err
	}
	if changed |= ref.Reset; ref.Listing == "" {
		changed = shopadapter.AllFields
	}
	p = whole(p, ref.State)
	body, err := encode(prices.Product(p), changed, ref)
	if err != nil {
		return shopadapter.Listing{}, fmt.Errorf("encode product: %w", err)
	}
	var flags []string
	if ref.Listing == "" && ref.Asked { // a person wants it, whatever became of it
		flags = []string{recreate}
	}
	resp, err := a.send(ctx, http.MethodPut, address, body, limits, flags...)
	if err == nil && deletedByHand(resp) {
		if ref.Listing != "" {
			return shopadapter.Listing{}, shopadapter.ErrGone
		}
		resp, err = a.send(ctx, http.MethodPut, address, body, limits, recreate)
	}
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if resp.Status/100 != 2 {
		return shopadapter.Listing{}, a.judge(ctx, resp)
	}
	listing, err := a.readListing(resp, p)
	listing.State = keep(p)
	return listing, err
}

// restock has the endpoint hold other figures, by PATCH. Where it accepts no figures alone, or does
// not hold the product whole, the error is ErrWhole.
func (a *adapter) restock(
	ctx context.Context, address string, ref shopadapter.Ref, p shopadapter.Product, prices shopadapter.Prices,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	said, err := a.said.Get(ctx, false)
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || err != nil || !bool(said.Figures) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	body, err := encodeFigures(shopadapter.FiguresOf(prices.Product(p).Variants), p.UpdatedAt, changed)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	resp, err := a.send(ctx, http.MethodPatch, address, body, limits)
	switch {
	case err != nil:
		return shopadapter.Listing{}, err
	case deletedByHand(resp):
		return shopadapter.Listing{}, shopadapter.ErrGone
	case resp.Status == http.StatusNotFound, resp.Status == http.StatusConflict:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case resp.Status == http.StatusMethodNotAllowed, resp.Status == http.StatusNotImplemented:
		a.said.Forget() // it accepts none any more
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case resp.Status/100 != 2:
		return shopadapter.Listing{}, a.judge(ctx, resp)
	}
	listing, err := a.readListing(resp, p)
	if listing.ID != "" && listing.ID != ref.Listing {
		return shopadapter.Listing{}, errors.Join(shopadapter.ErrWhole, err) // another product: a PUT says which
	}
	listing.State = ref.State
	return listing, err
}

// Unpublish deletes the product, in the mode that how says.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	address, err := a.product(ref.Publication)
	if err != nil {
		return "", err
	}
	resp, err := a.send(ctx, http.MethodDelete, address+"?mode="+url.QueryEscape(how.String()), nil, limits)
	switch {
	case err != nil:
		return "", err
	case resp.Status == http.StatusNotFound:
		return "", nil
	case resp.Status/100 != 2:
		return "", a.judge(ctx, resp)
	case wire.IsPage(resp.Body):
		return "", a.behindPage(resp)
	}
	return "", nil
}

// Check asks the endpoint for its health. How prices are entered is what the setting says: an endpoint
// does not tell.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	said, err := a.said.Get(ctx, true)
	if err == nil {
		is.Prices, err = a.prices()
	}
	is.Currency, is.Version, is.Figures = string(said.Currency), a.clean(string(said.Version)), bool(said.Figures)
	return is, err
}

// mostPlaces is the decimals of a price without tax: a visitor's cent comes out of them.
const mostPlaces = 4

// A health is what an endpoint says of itself.
type health struct {
	Currency Text `json:"currency"`
	Version  Text `json:"version"`
	Figures  flag `json:"figures"`
	Observed flag `json:"observed"`
	Drafts   flag `json:"drafts"`
}

// saidAge is how long the endpoint is believed that it accepts figures alone, and that it can be
// observed. An answer that contradicts it has the endpoint asked anew.
const saidAge = 10 * time.Minute

func (a *adapter) health(ctx context.Context) (h health, err error) {
	resp, err := a.send(ctx, http.MethodGet, "/health", nil, limits)
	if err != nil {
		return h, err
	}
	if resp.Status != http.StatusOK {
		return h, a.notWell(resp)
	}
	if wire.IsPage(resp.Body) {
		return h, a.behindPage(resp)
	}
	_ = json.Unmarshal(resp.Body, &h) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	return h, nil
}

// notWell is the error of an answer to a question that is about no product: there is none that a
// supplier could change.
func (a *adapter) notWell(resp *wire.Answer) error {
	e := a.classify(resp)
	switch {
	case wordless(resp) && strings.HasPrefix(a.base, "http://"):
		return shopadapter.Block("the shop's endpoint cannot read a request: PUBSYNC_HTTP_URL begins with http://, and "+
			"its port may be one for https:// (%s)", a.explain(resp)).Everywhere()
	case e.Kind == shopadapter.Rejected:
		return shopadapter.Retry("the shop's endpoint is not well: %s", a.explain(resp))
	}
	return e
}

// wordless reports whether an answer is a 400 that is not in the words of an endpoint, which speaks
// JSON: what stands in front of one answers so to every request.
func wordless(resp *wire.Answer) bool {
	return resp.Status == http.StatusBadRequest && !json.Valid(resp.Body)
}

// judge is the error of an answer to a product that is not a success. Where nothing shows that the
// endpoint itself refused the product, its health does.
func (a *adapter) judge(ctx context.Context, resp *wire.Answer) error {
	if wordless(resp) {
		if _, err := a.health(ctx); err != nil {
			return err
		}
	}
	return a.classify(resp)
}

// deletedByHand reports whether the endpoint says that somebody deleted the listing. A 410 without
// these words is a wrong address.
func deletedByHand(resp *wire.Answer) bool {
	var said struct {
		Deleted flag `json:"deleted"`
	}
	return resp.Status == http.StatusGone && json.Unmarshal(resp.Body, &said) == nil && bool(said.Deleted)
}

// recreate is the header that has the endpoint make a listing anew that somebody deleted.
const recreate = "Pubsync-Recreate"

// product is the path of a publication. The id is one segment of the path whatever it holds.
func (a *adapter) product(id shopadapter.PublicationID) (string, error) {
	if id == "" {
		return "", errors.New("address product: the publication has no id")
	}
	return Path(id), nil
}

// Path is where a publication lies below the base address: its id is one segment, whatever the id
// holds.
func Path(id shopadapter.PublicationID) string { return "/products/" + escapeSegment(string(id)) }

// escapeSegment percent-encodes everything but RFC 3986's unreserved characters, and the dot too
// where the segment would otherwise mean this folder or the one above.
func escapeSegment(segment string) string {
	if segment == "." || segment == ".." {
		return strings.ReplaceAll(segment, ".", "%2E")
	}
	return wire.Percent(segment)
}

// limits bound what is read of an answer. A listing of 10,000 variants fits: each is an element of
// variants and another of refused.
var limits = wire.Limits{Bytes: 1 << 20, Elements: 40_000, Depth: 20}

// send makes one request below the base address. Each flag is a header that is set to true. An error
// is one that time mends: there was no answer, or one beyond the limits.
func (a *adapter) send(
	ctx context.Context, method, path string, body []byte, l wire.Limits, flags ...string,
) (*wire.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, name := range flags {
		request.Header.Set(name, "true")
	}
	got, err := a.wire.Do(request, l, nil)
	switch {
	case err != nil && got.Status != 0:
		return nil, shopadapter.Retry("the shop's endpoint answered %d: %w", got.Status, err)
	case err != nil:
		cause := err
		if u, ok := errors.AsType[*url.Error](err); ok {
			cause = u.Err // what is around it repeats the address
		}
		return nil, &shopadapter.Error{
			Message: "no answer from the shop's endpoint: " + a.clean(cause.Error()), Err: cause,
		}
	}
	return got, nil
}

// maxText bounds what is shown of a text from the endpoint, in characters.
const maxText = 300

// clean makes a text from the endpoint fit to be shown: on one line, without control or invisible
// characters, without the token, bounded.
func (a *adapter) clean(foreign string) string { return wire.Line(foreign, maxText, a.hide.Replace) }

// mayDraft is why an endpoint is not asked for a draft: GET /health does not say with "drafts": true
// that it makes them, and one that overlooks the member would put the product on sale.
func (a *adapter) mayDraft(ctx context.Context, p shopadapter.Product) error {
	if !p.Draft {
		return nil
	}
	said, err := a.said.Get(ctx, false)
	if err != nil || bool(said.Drafts) {
		return err
	}
	a.said.Forget()
	return shopadapter.Block("the shop's endpoint does not say that it makes drafts (GET /health with \"drafts\": " +
		"true), so that PUBSYNC_PUBLISH_AS=draft would put products on sale: have it say so, or set PUBSYNC_PUBLISH_AS=live").
		Everywhere()
}
