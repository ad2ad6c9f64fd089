package httpshop

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const sentToken = `t0ken/with"quotes"&more`

// An endpoint is a shop in memory that keeps the protocol, with what befalls it in the laws.
type endpoint struct {
	*shoptest.Shop

	mu      sync.Mutex
	token   string
	missing map[string]shopadapter.Picture // by the addresses that cannot be shown
}

func newEndpoint() *endpoint {
	e := &endpoint{
		Shop: shoptest.New(shoptest.Abilities{
			Lists: true, Observes: true, Figures: true, Currency: "EUR", Version: "1.2", Page: 3,
		}),
		token: sentToken, missing: map[string]shopadapter.Picture{},
	}
	e.Rule(e.rule)
	return e
}

// rule refuses what the laws have it refuse, and has the pictures missing that are.
func (e *endpoint) rule(c shoptest.Call) (r shoptest.Reply) {
	if strings.Contains(c.Product.Title, "forbidden") {
		return shoptest.Reply{Err: shopadapter.Reject("this shop does not sell that")}
	}
	r.Refused = map[string]string{}
	for _, v := range c.Product.Variants {
		if v.Price == "0.00" {
			r.Refused[v.ID] = "a price must be above zero"
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, address := range c.Product.Images {
		if picture, missing := e.missing[address]; missing {
			r.Missing = append(r.Missing, picture)
		}
	}
	return r
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	known := r.Header.Get("Authorization") == "Bearer "+e.token
	e.mu.Unlock()
	if !known {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"title":"Unauthorized","detail":"the token is not known here"}`))
		return
	}
	http.StripPrefix("/shop", e.Shop).ServeHTTP(w, r)
}

func (e *endpoint) with(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// hand changes the product of a listing as the shop's owner does.
func (e *endpoint) hand(listing shopadapter.ListingID, change func(*shoptest.Product)) error {
	for id, p := range e.Products() {
		if p.Listing == listing {
			e.Hand(id, change)
		}
	}
	return nil
}

// handle changes a variant as the shop's owner does.
func (e *endpoint) handle(
	listing shopadapter.ListingID, v laws.SeenVariant, change func(*shoptest.Product, int),
) error {
	return e.hand(listing, func(p *shoptest.Product) {
		change(p, slices.IndexFunc(p.Variants, func(w shopadapter.Variant) bool { return w.ID == v.ID }))
	})
}

// edit changes a text as the shop's owner does.
func (e *endpoint) edit(_ context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	return e.hand(listing, func(p *shoptest.Product) {
		switch p.Edited |= group; group {
		case shopadapter.FieldTitle:
			p.Title += ", our own"
		case shopadapter.FieldDescription:
			p.Description += "<p>our own</p>"
		case shopadapter.FieldImages:
			p.Images = p.Images[1:]
		default:
			p.Category.Name = "Our own"
		}
	})
}

func (e *endpoint) observe(context.Context) ([]laws.Seen, error) {
	var products []laws.Seen
	all := e.Products()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		p := all[id]
		seen := laws.Seen{
			Listing: p.Listing, Publication: p.ID, OnSale: p.OnSale, Title: p.Title, Description: p.Description,
			Category: p.Category.Name, Images: p.Images,
		}
		if p.Own {
			seen.Publication = ""
		}
		for _, v := range p.Variants {
			if p.Off[v.ID] {
				continue
			}
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.ID, ShopID: "v-" + v.ID, SKU: v.SKU, Options: options, Price: v.Price, Quantity: v.Quantity,
				Backorders: v.Backorders,
			})
		}
		products = append(products, seen)
	}
	return products, nil
}

func TestLaws(t *testing.T) {
	laws.Run(t, func(t *testing.T) laws.Harness {
		t.Parallel()
		shop := newEndpoint()
		srv := httptest.NewServer(shop)
		t.Cleanup(srv.Close)
		const work = "the protocol leaves this to the endpoint, which knows the shop: "
		return laws.Harness{
			Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
				return shopadapter.Open(Name, shopadapter.Options{
					Settings:   map[string]string{"URL": srv.URL + "/shop/", "TOKEN": sentToken},
					HTTPClient: &http.Client{Transport: wrap(srv.Client().Transport)},
				})
			},
			Observe: shop.observe,
			Secrets: []string{sentToken},
			AddForeign: func(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
				return shop.Add(p), nil
			},
			DeleteByHand: func(_ context.Context, l shopadapter.ListingID) error {
				return shop.hand(l, func(p *shoptest.Product) { p.Deleted = true })
			},
			Edit: shop.edit,
			SetPriceByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string) error {
				return shop.handle(l, v, func(p *shoptest.Product, i int) { p.Variants[i].Price = price })
			},
			SetQuantityByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, n int) error {
				return shop.handle(l, v, func(p *shoptest.Product, i int) { p.Variants[i].Quantity = n })
			},
			RemoveVariantByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
				return shop.handle(l, v, func(p *shoptest.Product, i int) { p.Variants = slices.Delete(p.Variants, i, i+1) })
			},
			HideVariantByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
				return shop.handle(l, v, func(p *shoptest.Product, _ int) { p.Off[v.ID] = true })
			},
			RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
			RefuseProduct: func(p shopadapter.Product) shopadapter.Product { p.Title += ", forbidden"; return p },
			BreakCredentials: func() (mend func()) {
				shop.with(func() { shop.token = "another" })
				return func() { shop.with(func() { shop.token = sentToken }) }
			},
			LosePicture: func(address string) (back func()) {
				shop.with(func() {
					shop.missing[address] = shopadapter.Picture{URL: address, Reason: "nobody answers there", Later: true}
				})
				return func() { shop.with(func() { delete(shop.missing, address) }) }
			},
			SpoilPicture: func(address string) {
				shop.with(func() {
					shop.missing[address] = shopadapter.Picture{URL: address, Reason: "that is no picture"}
				})
			},
			Without: map[string]string{
				"hidden-by-hand": "a PUT puts the listing on sale, and the protocol has no word for one that " +
					"somebody took out of sale",
				"observed-reduction": "the protocol has the regular price alone: a reduction beside it is the endpoint's",
				"choice":             work + "what its pages let a visitor choose",
				"renamed-choice":     work + "what its pages let a visitor choose, and under which names",
				"image-once":         work + "what it does with the addresses of the pictures",

				"restock-refused-variant": "this endpoint judges the prices of a PUT alone",
			},
		}
	})
}
