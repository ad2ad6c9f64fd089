package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A listed is one product in the endpoint's list. Where health says "observed", it has its variants
// as they stand in the shop.
type listed struct {
	Publication string        `json:"publication"`
	ID          httpshop.Text `json:"id"`
	URL         httpshop.Text `json:"url"`
	OnSale      bool          `json:"onSale"`
	Variants    []observed    `json:"variants"`
	// the texts that the merchant edited; nil where the endpoint does not tell
	Edited json.RawMessage `json:"edited"`
}

// An observed variant is one as it stands in the shop.
type observed struct {
	ID         string            `json:"id"`
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options"` // optional: what a visitor chooses to get it
	Price      httpshop.Text     `json:"price"`
	Quantity   int               `json:"quantity"`
	Backorders bool              `json:"backorders"`
	OnSale     *bool             `json:"onSale"`
}

const maxPages = 1000

// List reads the endpoint's list.
func (d *driver) List(ctx context.Context, entry func(laws.Entry)) error {
	_, err := d.list(ctx, maxPages, func(l listed) {
		entry(laws.Entry{
			Publication: shopadapter.PublicationID(
				l.Publication,
			), ID: string(l.ID), URL: string(l.URL), OnSale: l.OnSale,
		})
	})
	return err
}

// list reads as many pages of the list, and says whether that was all of it.
func (d *driver) list(ctx context.Context, pages int, entry func(listed)) (all bool, err error) {
	seen := map[string]bool{}
	after := ""
	for range pages {
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
			return false, fmt.Errorf(
				"the status of the list: got %d, want 200, or 404 where there is no list",
				r.Status,
			)
		}
		if err := json.Unmarshal(r.Body, &page); err != nil {
			return false, fmt.Errorf(
				`a page of the list: got what is not as wanted, {"products":[{"publication","id","url","onSale"}],"after"}: %w`,
				err,
			)
		}
		for _, p := range page.Products {
			if p.Publication == "" || p.ID == "" {
				return false, fmt.Errorf(
					`the list after %q: got a product without "publication" or "id", want both`,
					after,
				)
			}
			entry(p)
		}
		if page.After == "" {
			return true, nil
		}
		if seen[page.After] {
			return false, fmt.Errorf("the list: got %q again as \"after\", want an end", page.After)
		}
		seen[page.After], after = true, page.After
	}
	if pages < maxPages {
		return false, nil
	}
	return false, fmt.Errorf("the list: got more than %d pages, want an end", maxPages)
}
