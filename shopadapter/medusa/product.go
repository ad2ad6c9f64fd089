package medusa

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Medusa answers only the named fields.
const (
	briefFields = "id,handle,status,external_id,metadata,sales_channels.id"
	textFields  = briefFields + ",title,description"
	listFields  = textFields + ",weight,length,width,height,origin_country,material,thumbnail,images.url,categories.id," +
		"categories.handle,variants.id,variants.sku,variants.manage_inventory,variants.allow_backorder," +
		"variants.metadata,variants.weight,variants.length,variants.width,variants.height,variants.origin_country," +
		"variants.material,variants.prices.id,variants.prices.currency_code,variants.prices.amount," +
		"variants.prices.min_quantity,variants.prices.max_quantity,variants.prices.price_rules.attribute," +
		"variants.prices.price_rules.value,variants.inventory_items.inventory.location_levels.location_id," +
		"variants.inventory_items.inventory.location_levels.stocked_quantity"
	wholeFields = listFields + ",options.id,options.title,options.values.id,options.values.value,variants.title," +
		"variants.ean,variants.variant_rank,variants.options.id,variants.options.value,variants.options.option.title," +
		"variants.inventory_items.inventory_item_id"
)

// A product is a product as answered. null reads as "".
type product struct {
	ID, Handle, Status, Thumbnail string
	ExternalID                    string `json:"external_id"`
	Metadata                      metadata
	Channels                      []id `json:"sales_channels"`
	shopadapter.Translation
	sizes
	Images     []image
	Categories []category
	Options    []option
	Variants   []variant
}

type (
	image    struct{ URL string }
	category struct{ ID, Handle string }
	value    struct{ ID, Value string }
)

type option struct {
	ID, Title string
	Values    []value
}

type variant struct {
	sizes
	ID, Title, SKU, EAN string
	Managed             bool `json:"manage_inventory"`
	Backorders          bool `json:"allow_backorder"`
	Rank                int  `json:"variant_rank"`
	Metadata            metadata
	Prices              []price
	Options             []struct {
		value
		Option struct{ Title string }
	}
	Inventory []struct {
		ItemID string `json:"inventory_item_id"`
		Item   struct {
			Levels []level `json:"location_levels"`
		} `json:"inventory"`
	} `json:"inventory_items"`
}

// A price keeps all parts: a write replaces a variant's whole price list. Rules must be requested part by part.
type price struct {
	ID       string            `json:"id,omitempty"`
	Currency string            `json:"currency_code"`
	Amount   json.Number       `json:"amount"`
	Least    *int              `json:"min_quantity"`
	Most     *int              `json:"max_quantity"`
	Rules    map[string]string `json:"rules,omitempty"`
}

type level struct {
	Location string      `json:"location_id"`
	Stocked  json.Number `json:"stocked_quantity"`
}

const (
	draft     = "draft"
	published = "published"
)

func (p *product) onSale(channel string) bool {
	return p.Status == published && slices.Contains(p.Channels, id{channel})
}

// shown returns the pictures' addresses, first the thumbnail, which the others may lack.
func (p *product) shown() []string {
	list := kit.Each(p.Images, func(i image) string { return i.URL })
	if p.Thumbnail != "" && (len(list) == 0 || list[0] != p.Thumbnail) {
		list = slices.Insert(list, 0, p.Thumbnail)
	}
	return list
}

func (p *product) categories() []string {
	return slices.Sorted(slices.Values(kit.Each(p.Categories, func(c category) string { return c.Handle })))
}

func (a *Adapter) find(ctx context.Context, ref shopadapter.Ref, fields string) (own []*product, err error) {
	q := query{"external_id": kit.Key(ref.Publication), "fields": fields, "order": "id"}
	got, err := a.get(ctx, "find product", "products", q)
	var lost *product // its note was deleted
	for i := range got.Products {
		p := &got.Products[i]
		switch n, ours := p.note(); {
		case ours && n.ID == string(ref.Publication):
			own = append(own, p)
		case n.ID == "" && p.ID == string(ref.Listing) && p.Status == published:
			lost = p
		}
	}
	if lost == nil || len(own) > 0 || err != nil {
		return own, err
	}
	if !ref.Revive {
		return nil, kit.Cleared(a.Clean(lost.ID+" «"+lost.Title+"»"), ref.Publication)
	}
	return []*product{lost}, nil
}

func (a *Adapter) listing(p *product) shopadapter.Listing {
	return shopadapter.Listing{ID: shopadapter.ListingID(p.ID), URL: a.set.Storefront.Page(p.Handle)}
}

type note struct {
	kit.Note
	kit.Text
	Images   kit.Written `json:"images"`
	Category kit.Written `json:"category"`
	Details  kit.Values  `json:"details,omitempty"` // brand and the product's sizes
	// names of options and values after their last write
	Choices      []kit.Known         `json:"choices,omitempty"`
	Translations map[string]kit.Text `json:"translations,omitempty"` // by locale
}

const (
	mark        = "pubsync" // in metadata: a product's note, or a variant's id
	noteVersion = 1         // changes with the rules of the note's hashes
)

func (p *product) note() (n note, ours bool) {
	n = kit.ReadNote[note](p.Metadata.text(mark), noteVersion)
	return n, n.Original(p.ID) && p.ExternalID == kit.Key(n.ID)
}

func (n note) made(title string) bool {
	return title == soleOption || slices.ContainsFunc(n.Choices, func(k kit.Known) bool { return title == k.Shown })
}

func (n note) complete() bool { return n.Product != "" }

// metadata belongs to the owner and all programs. Medusa merges writes into it and deletes members written as "".
type metadata map[string]any

func (m metadata) text(name string) string {
	text, _ := m[name].(string)
	return text
}

func (m metadata) whole(name string) string {
	if text, ok := m[name].(string); ok || m[name] == nil {
		return text
	}
	return kit.Encode(m[name])
}
