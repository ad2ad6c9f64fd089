package myshop

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A product is one as the shop's API has it.
type product struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Category    string    `json:"category"`
	Images      []string  `json:"images"`
	Variants    []variant `json:"variants"`
	OnSale      bool      `json:"onSale"`
	Note        string    `json:"note"`
}

type variant struct {
	ID         string            `json:"id,omitempty"`
	Reference  string            `json:"reference,omitempty"` // the marketplace's id of it
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options,omitempty"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

func (p *product) texts() shopadapter.Translation {
	return shopadapter.Translation{Title: p.Title, Description: p.Description}
}

// A note is what the shop keeps with the product, where no merchant edits it: whose the product is,
// and what was written last of each text.
type note struct {
	kit.Note
	kit.Text
	Category kit.Written `json:"category"`
	Images   kit.Written `json:"images"`
}

const noteVersion = 1 // counts the rules by which the hashes in a note are made

// note is the product's. Of one by other rules only whose the product is still counts.
func (p *product) note() (n note) {
	if json.Unmarshal([]byte(p.Note), &n) != nil {
		return note{}
	}
	if n.Version != noteVersion {
		return note{Note: kit.Note{Version: n.Version, ID: n.ID}}
	}
	return n
}

// find is the products that carry the note of a publication: one, but where a creation came late.
// kit.Key makes an id that every shop finds again, whatever it trims or folds.
func (a *adapter) find(ctx context.Context, id shopadapter.PublicationID) (own []*product, err error) {
	var found []*product
	err = a.call(ctx, http.MethodGet, "/api/products?key="+url.QueryEscape(kit.Key(id)), nil, &found)
	for _, p := range found {
		if p.note().Owns(string(id), p.ID) {
			own = append(own, p)
		}
	}
	return own, err
}

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (said string, err error) {
	own, err := a.find(ctx, ref.Publication)
	for _, p := range own {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.call(ctx, http.MethodDelete, path(p.ID), nil, nil)
		case p.OnSale:
			err = a.call(ctx, http.MethodPatch, path(p.ID), map[string]any{"onSale": false}, nil)
		}
	}
	return "", err
}

func path(id string) string { return "/api/products/" + url.PathEscape(id) }

// page is where a customer sees a product.
func (a *adapter) page(p *product) string { return a.base + "/p/" + url.PathEscape(p.ID) }
