package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A listed is one product in the endpoint's list. Where health says "observed", it has its variants
// as they stand in the shop.
type listed struct {
	Publication shopadapter.PublicationID `json:"publication"`
	ID          httpshop.Text             `json:"id"`
	URL         httpshop.Text             `json:"url"`
	OnSale      bool                      `json:"onSale"`
	Edited      json.RawMessage           `json:"edited"` // texts that the merchant edited; nil: it does not tell
	Variants    []struct {
		ID         string            `json:"id"`
		SKU        string            `json:"sku"`
		Options    map[string]string `json:"options"` // optional: what a visitor chooses to get it
		Price      httpshop.Text     `json:"price"`
		Quantity   int               `json:"quantity"`
		Backorders bool              `json:"backorders"`
		OnSale     *bool             `json:"onSale"`
	} `json:"variants"`
}

const maxPages = 1000

// publications names the publication of each entry of the endpoint's list.
func (d *driver) publications(ctx context.Context, found func(shopadapter.PublicationID)) error {
	_, err := d.list(ctx, maxPages, func(l listed) { found(l.Publication) })
	return err
}

// list reads as many pages of the list, and says whether that was all of it.
func (d *driver) list(ctx context.Context, pages int, entry func(listed)) (all bool, err error) {
	seen := map[string]bool{}
	for after := ""; !seen[after]; {
		if len(seen) == pages {
			return false, nil
		}
		seen[after] = true
		r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/products?after=" + url.QueryEscape(after)})
		if err != nil {
			return false, err
		}
		none := r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed ||
			r.Status == http.StatusNotImplemented
		if after == "" && none {
			return false, shopadapter.ErrNoList
		}
		var page struct {
			Products []listed `json:"products"`
			After    string   `json:"after"`
		}
		if r.Status != http.StatusOK {
			return false, fmt.Errorf("the status of the list: got %d, want 200, or 404 where there is no list", r.Status)
		}
		if err := json.Unmarshal(r.Body, &page); err != nil {
			return false, fmt.Errorf(
				`a page of the list: got what is not as wanted, {"products":[{"publication","id","url","onSale"}],"after"}: %w`,
				err,
			)
		}
		for _, p := range page.Products {
			if p.Publication == "" || p.ID == "" {
				return false, fmt.Errorf(`the list after %q: got a product without "publication" or "id", want both`, after)
			}
			entry(p)
		}
		if after = page.After; after == "" {
			return true, nil
		}
	}
	return false, fmt.Errorf(`the list: got the same "after" again, want an end`)
}

// observe is what the endpoint shows of the law's publications.
func (d *driver) observe(ctx context.Context) ([]laws.Seen, error) {
	return d.observeSome(ctx, d.known())
}

// observeOne is what it shows of one of them.
func (d *driver) observeOne(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
	some := d.known()
	maps.DeleteFunc(some, func(other shopadapter.PublicationID, _ held) bool { return other != id })
	return d.observeSome(ctx, some)
}

// observeSome asks the list or, without one, goes by the answers so far.
func (d *driver) observeSome(
	ctx context.Context, some map[shopadapter.PublicationID]held,
) (all []laws.Seen, err error) {
	if !d.offer.list {
		for id, h := range some {
			if !h.deleted {
				all = append(all, laws.Seen{Listing: shopadapter.ListingID(h.answer.ID), Publication: id, OnSale: h.onSale})
			}
		}
		return all, nil
	}
	var entries []listed
	_, err = d.list(ctx, maxPages, func(l listed) { entries = append(entries, l) })
	for _, l := range entries {
		if h, wanted := some[l.Publication]; wanted {
			all = append(all, d.seen(ctx, l, h))
		}
	}
	return all, err
}

// seen is an entry of the list, with what its page shows.
func (d *driver) seen(ctx context.Context, l listed, h held) laws.Seen {
	seen := laws.Seen{Listing: shopadapter.ListingID(l.ID), Publication: l.Publication, OnSale: l.OnSale}
	var page string
	if d.offer.page && l.OnSale {
		page, seen.Title = d.page(ctx, h)
	}
	for _, v := range l.Variants {
		if v.OnSale != nil && !*v.OnSale {
			continue
		}
		one := laws.SeenVariant{
			ID: v.ID, ShopID: unnamed(v.ID), SKU: v.SKU, Options: v.Options,
			Price: string(v.Price), Quantity: v.Quantity, Backorders: v.Backorders, Details: map[string]string{},
		}
		for id, shops := range h.answer.Variants { // the id is the marketplace's or the shop's
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		for _, name := range d.offer.details {
			one.Details[name] = h.details.on(page, name, one.ID)
		}
		seen.Variants = append(seen.Variants, one)
	}
	if len(d.offer.details) > 0 {
		seen.Details = map[string]string{"brand": h.details.on(page, "brand", "")}
	}
	return seen
}
