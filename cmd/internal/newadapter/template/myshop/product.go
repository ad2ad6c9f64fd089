package myshop

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A product is one as the shop's API has it. Its id is chosen by who makes it.
type product struct {
	ID                      string    `json:"id"`
	shopadapter.Translation           // title and description
	Category                string    `json:"category"`
	Images                  []string  `json:"images"`
	Variants                []variant `json:"variants"`
	OnSale                  bool      `json:"onSale"`
	Note                    string    `json:"note"`
}

// A variant is one as the shop's API has it.
type variant struct {
	ID         string            `json:"id,omitempty"`
	Reference  string            `json:"reference,omitempty"` // the marketplace's id of it
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options,omitempty"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

// A note is what the shop keeps with the product, where no merchant edits it: whose the product is,
// and what was written last of each text.
type note struct {
	kit.Note
	kit.Text
	Category kit.Written `json:"category"`
	Images   kit.Written `json:"images"`
}

// noteVersion counts the rules by which texts are hashed. Of a note of another version only its owner counts.
const noteVersion = 1

func (p *product) note() note { return kit.ReadNote[note](p.Note, noteVersion) }

// find is the product of a publication; without an ID there is none. kit.Key makes an id that every shop
// finds again, whatever it trims or folds.
func (a *adapter) find(ctx context.Context, id shopadapter.PublicationID) (*product, error) {
	p := &product{}
	err := a.call(ctx, http.MethodGet, path(kit.Key(id)), nil, p)
	if err == nil && p.ID != "" && !p.note().Owns(string(id), p.ID) {
		err = shopadapter.Block("the product %s has lost its note: delete it, and it is made anew", p.ID)
	}
	return p, err
}

func path(id string) string { return "/api/products/" + url.PathEscape(id) }

// page is where a customer sees a product.
func (a *adapter) page(p *product) string { return a.base + "/p/" + url.PathEscape(p.ID) }

// listed is a product as it stands in the shop. Which texts the merchant edited, the note tells.
func (a *adapter) listed(p *product, n note) shopadapter.Listed {
	var texts kit.Comparison
	texts.CompareText(shopadapter.FieldTitle, p.Translation, n.Text)
	texts.Compare(shopadapter.FieldCategory, kit.HashText(p.Category), n.Category)
	texts.Compare(shopadapter.FieldImages, kit.HashList(p.Images), n.Images)
	o := shopadapter.Listed{
		Ref: shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: shopadapter.ListingID(p.ID)},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(p.ID), URL: a.page(p), OnSale: p.OnSale,
			Variants: []shopadapter.ListedVariant{}, Images: len(p.Images), Compared: texts.Compared, Edited: texts.Edited,
		},
	}
	for _, v := range p.Variants {
		o.Variants = append(o.Variants, shopadapter.ListedVariant{
			ID: v.Reference, ShopID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders,
			OnSale: true,
		})
	}
	return o
}
