// Package myshop publishes to myshop. It speaks to the toy shop: replace what you find in product,
// find and call by your shop's API.
package myshop

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Name is the value of PUBSYNC_SHOP_ADAPTER that selects this adapter.
const Name = "myshop"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "myshop, over its API",
		Settings: settings{},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			var set settings
			o, err := o.Complete(Name, &set)
			if err != nil {
				return nil, err
			}
			return &adapter{
				client: o.HTTPClient,
				base:   strings.TrimRight(string(set.URL), "/"),
				token:  string(set.Token),
			}, nil
		},
	})
}

// settings are the environment variables of the adapter, PUBSYNC_MYSHOP_URL and
// PUBSYNC_MYSHOP_TOKEN.
type settings struct {
	URL   shopadapter.URL   `env:"URL, default=http://127.0.0.1:9470" meaning:"address of the shop"`
	Token shopadapter.Token `env:"TOKEN, required" secret:"true" meaning:"token of the shop's API"`
}

type adapter struct {
	client      *http.Client
	base, token string
}

// product is a product as the shop's API has it.
type product struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Category    string            `json:"category"`
	Images      []string          `json:"images"`
	Variants    []variant         `json:"variants"`
	OnSale      bool              `json:"onSale"`
	Note        string            `json:"note"`
	Refused     map[string]string `json:"refused"`
}

type variant struct {
	ID         string            `json:"id"`
	Reference  string            `json:"reference"`
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

// A note is the stamp that the shop keeps with the product, where no merchant edits it: what was
// written last of each text.
type note struct {
	stamp.Head
	Title       stamp.Written `json:"title"`
	Description stamp.Written `json:"description"`
	Category    stamp.Written `json:"category"`
	Images      stamp.Written `json:"images"`
}

const noteVersion = 1 // counts the rules by which the hashes in a note are made

// Publish makes the shop's product equal to p, and leaves the texts that the merchant edited. The
// key comes with the same request as the product, so that a call whose answer was lost finds what
// it made.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	have, err := a.find(ctx, ref.Publication)
	switch {
	case err != nil:
		return shopadapter.Listing{}, err
	case have == nil && ref.Listing != "":
		return shopadapter.Listing{}, shopadapter.ErrGone
	case have != nil && ref.OnSale && !have.OnSale:
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	merge := stamp.NewMerge(ref, changed)
	method, path := http.MethodPost, "/api/products"
	if have == nil {
		have = &product{}
		merge.Changed, merge.Own = shopadapter.AllFields, true
	} else {
		method, path = http.MethodPatch, path+"/"+url.PathEscape(have.ID)
	}
	n := stamp.Decode[note](have.Note, noteVersion)
	n.Head = stamp.Head{Version: noteVersion, ID: string(ref.Publication)}
	write := map[string]any{
		"key":      stamp.Key(ref.Publication),
		"variants": variants(have.Variants, p.Variants, merge.Changed),
		"onSale":   true,
	}
	if merge.Decide(shopadapter.FieldTitle, stamp.HashText(have.Title), stamp.HashText(p.Title), &n.Title) {
		write["title"] = p.Title
	}
	if merge.Decide(shopadapter.FieldDescription, stamp.HashMarkup(have.Description), stamp.HashMarkup(p.Description),
		&n.Description) {
		write["description"] = p.Description
	}
	if merge.Decide(shopadapter.FieldCategory, stamp.HashText(have.Category), stamp.HashText(p.Category.Name),
		&n.Category) {
		write["category"] = p.Category.Name
	}
	if merge.Decide(shopadapter.FieldImages, stamp.HashList(have.Images), stamp.HashList(p.Images), &n.Images) {
		write["images"] = p.Images
	}
	write["note"] = stamp.Encode(n)
	var made product
	if err := a.call(ctx, method, path, write, &made); err != nil {
		return shopadapter.Listing{}, err
	}
	if made.ID == "" {
		return shopadapter.Listing{}, shopadapter.Retry("the shop answered without a product")
	}
	listing := shopadapter.Listing{
		ID: shopadapter.ListingID(made.ID), URL: a.base + "/p/" + url.PathEscape(made.ID), Variants: map[string]string{},
		Refused: made.Refused, Kept: merge.Kept(),
	}
	for _, v := range made.Variants {
		listing.Variants[v.Reference] = v.ID
	}
	if len(made.Variants) == 0 {
		return listing, shopadapter.Reject("the shop refuses every variant")
	}
	return listing, nil
}

// variants is the shop's variants after the supplier's change. What did not change stays as the
// shop has it.
func variants(have []variant, want []shopadapter.Variant, changed shopadapter.Fields) []variant {
	byReference := map[string]variant{}
	for _, v := range have {
		byReference[v.Reference] = v
	}
	out := make([]variant, len(want))
	for i, w := range want {
		v, there := byReference[w.ID]
		if v.Reference = w.ID; !there || changed.Has(shopadapter.FieldVariants) {
			v.SKU, v.Options = w.SKU, map[string]string{}
			for _, o := range w.Options {
				v.Options[o.Name] = o.Value
			}
		}
		if !there || changed.Has(shopadapter.FieldPrice) {
			v.Price = w.Price
		}
		if !there || changed.Has(shopadapter.FieldStock) {
			v.Stock, v.Backorders = w.Quantity, w.Backorders
		}
		out[i] = v
	}
	return out
}

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	have, err := a.find(ctx, ref.Publication)
	if err != nil || have == nil {
		return err
	}
	path := "/api/products/" + url.PathEscape(have.ID)
	if how == shopadapter.Delete {
		return a.call(ctx, http.MethodDelete, path, nil, nil)
	}
	return a.call(ctx, http.MethodPatch, path, map[string]any{"onSale": false}, have)
}

// find is the product of a publication; nil where there is none. stamp.Key makes an id that every
// shop finds again, whatever it trims or folds.
func (a *adapter) find(ctx context.Context, id shopadapter.PublicationID) (*product, error) {
	var found []product
	err := a.call(ctx, http.MethodGet, "/api/products?key="+url.QueryEscape(stamp.Key(id)), nil, &found)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// limits bound what is read of an answer.
var limits = jsonlimit.Limits{Bytes: 4 << 20, Elements: 100_000, Depth: 20}

// call makes one request. Its errors say who can mend them.
func (a *adapter) call(ctx context.Context, method, path string, send, into any) error {
	body, err := json.Marshal(send)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := jsonlimit.Read(resp.Body, limits)
	if err != nil {
		return err
	}
	if httpstatus.Of(resp.StatusCode, resp.Header) != httpstatus.Done {
		var said struct{ Error string }
		_ = json.Unmarshal(data, &said) // another body says nothing
		return httpstatus.Error(resp.StatusCode, resp.Header, quote.Line(said.Error, 200, a.redact))
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return shopadapter.Retry("the shop's answer cannot be read: %w", err)
	}
	return nil
}

// redact takes the token out of a text that the shop sent.
func (a *adapter) redact(text string) string { return strings.ReplaceAll(text, a.token, "…") }
