package medusa

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

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

// List ranges over the products with the adapter's note. Only Publish notices edited translations.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	const products, keys = 100, 50 // per request; a key in an address has at most a hundred characters
	return kit.Listings(what, products, keys,
		func(skip, size int) ([]shopadapter.Listed, int, error) {
			return a.page(ctx, query{"limit": strconv.Itoa(size), "offset": strconv.Itoa(skip)})
		}, func(keys []string, most int) ([]shopadapter.Listed, int, error) {
			q := query{"limit": strconv.Itoa(most)}
			for i, key := range keys {
				q[fmt.Sprintf("external_id[%d]", i)] = key
			}
			return a.page(ctx, q)
		})
}

func (a *Adapter) page(ctx context.Context, q query) (list []shopadapter.Listed, length int, err error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, 0, err
	}
	q["order"], q["fields"] = "id", listFields
	got, err := a.get(ctx, "list products", "products", q)
	if err != nil {
		return nil, 0, err
	}
	for i := range got.Products {
		p := &got.Products[i]
		n, ours := p.note()
		if !ours {
			continue
		}
		l, c := a.listing(p), p.compare(n)
		l.OnSale, l.Images, l.Variants = p.onSale(s.channel), len(p.shown()), kit.Each(p.Variants, s.listed)
		l.Compared, l.Edited = c.Compared, c.Edited
		ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: l.ID}
		list = append(list, shopadapter.Listed{Ref: ref, Listing: l})
	}
	return list, len(got.Products), nil
}

// compare finds texts and details that differ from the notes. The product's own sizes count where we wrote them.
func (p *product) compare(n note) *kit.Comparison {
	c := &kit.Comparison{Unsure: true}
	if !n.complete() {
		return c
	}
	c.CompareText(shopadapter.FieldTitle, p.Translation, n.Text)
	c.Compare(shopadapter.FieldImages, kit.HashList(p.shown()), n.Images)
	c.Compare(shopadapter.FieldCategory, kit.HashList(p.categories()), n.Category)
	c.CompareValues(shopadapter.FieldBrand, map[string]string{brandMark: p.Metadata.whole(brandMark)}, n.Details)
	held := p.sizes.held()
	maps.DeleteFunc(held, func(name, _ string) bool { return n.Details[name] == "" })
	c.CompareValues(shopadapter.FieldDetails, held, n.Details)
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Metadata.text(mark) != "" { // else the merchant's
			c.CompareValues(shopadapter.FieldDetails, v.details(), v.noted())
		}
	}
	return c
}

// listed returns a variant as it stands. Medusa cannot switch off a single variant. It subtracts its reservations
// from the stocked quantity itself; neither list nor write does.
func (s shop) listed(v variant) shopadapter.ListedVariant {
	seen := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Uncounted: !v.Managed, Backorders: v.Backorders, OnSale: true,
	}
	own, _ := base(v.Prices, s.currency)
	seen.Price = s.prices.Shown(string(own.Amount))
	if !v.Managed || len(v.Inventory) == 0 {
		return seen
	}
	for _, l := range v.Inventory[0].Item.Levels {
		if stocked, err := l.Stocked.Float64(); err == nil && l.Location == s.location {
			seen.Quantity = int(stocked)
		}
	}
	return seen
}
