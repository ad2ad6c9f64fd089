package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A product is one as Medusa answers it. What is null is "".
type product struct {
	shopadapter.Translation
	ID         string     `json:"id"`
	Handle     string     `json:"handle"`
	Status     string     `json:"status"`
	Thumbnail  string     `json:"thumbnail"`
	ExternalID string     `json:"external_id"`
	Metadata   metadata   `json:"metadata"`
	Images     []image    `json:"images"`
	Categories []category `json:"categories"`
	Channels   []id       `json:"sales_channels"`
	Options    []option   `json:"options"`
	Variants   []variant  `json:"variants"`
}

type image struct {
	URL string `json:"url"`
}

type category struct {
	ID     string `json:"id"`
	Handle string `json:"handle"`
}

type option struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Values []value `json:"values"`
}

type value struct {
	ID     string `json:"id"`
	Value  string `json:"value"`
	Option struct {
		Title string `json:"title"`
	} `json:"option"` // of a variant's value alone
}

type variant struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	SKU        string   `json:"sku"`
	EAN        string   `json:"ean"`
	Managed    bool     `json:"manage_inventory"`
	Backorders bool     `json:"allow_backorder"`
	Rank       int      `json:"variant_rank"`
	Metadata   metadata `json:"metadata"`
	Prices     []price  `json:"prices"`
	Options    []value  `json:"options"`
	Inventory  []struct {
		ItemID string `json:"inventory_item_id"`
		Item   struct {
			Levels []level `json:"location_levels"`
		} `json:"inventory"`
	} `json:"inventory_items"`
}

// A price keeps all that Medusa takes: a write replaces the whole list of a variant's prices.
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

// metadata is what the owner and all programs note on a thing. Medusa merges what is written into what is there.
type metadata map[string]any

// mark is the member of metadata that is ours: of a product the stamp, of a variant its id.
const mark = "pubsync"

func (m metadata) mark() string { return m.text(mark) }

// text is a member that is a text, "" for any other.
func (m metadata) text(name string) string {
	text, _ := m[name].(string)
	return text
}

// The fields that requests ask for. The price rules must be named for Medusa to answer the rules of a price.
const (
	variantFields = "variants.id,variants.title,variants.sku,variants.ean,variants.manage_inventory,variants.allow_backorder,variants.variant_rank," +
		"variants.metadata,variants.prices.id,variants.prices.currency_code,variants.prices.amount,variants.prices.min_quantity," +
		"variants.prices.max_quantity,variants.prices.price_rules.attribute,variants.prices.price_rules.value,variants.options.id," +
		"variants.options.value,variants.options.option.title,variants.inventory_items.inventory_item_id," +
		"variants.inventory_items.inventory.location_levels.location_id,variants.inventory_items.inventory.location_levels.stocked_quantity"
	briefFields = "id,handle,status,external_id,metadata,sales_channels.id"
	wholeFields = briefFields + ",title,description,thumbnail,images.url,categories.id,categories.handle," +
		"options.id,options.title,options.values.id,options.values.value," + variantFields
)

// The two statuses that the adapter writes.
const (
	draft     = "draft"
	published = "published"
)

func (p *product) onSale(channel string) bool {
	return p.Status == published && slices.Contains(p.Channels, id{channel})
}

// note is the stamp, and whether the product is ours.
func (p *product) note() (note, bool) {
	n := stamp.Decode[note](p.Metadata.mark(), noteVersion)
	ours := n.ID != "" && p.ExternalID == stamp.Key(shopadapter.PublicationID(n.ID)) && (n.Product == "" || n.Product == p.ID)
	return n, ours
}

// find reads the products of a publication. The first is the one that counts; any other is a draft left by a creation that came late.
func (a *Adapter) find(ctx context.Context, ref shopadapter.Ref, fields string) ([]product, error) {
	got, err := a.get(ctx, "find product", "products", query{"external_id": stamp.Key(ref.Publication), "fields": fields})
	own := slices.DeleteFunc(got.Products, func(p product) bool {
		n, ours := p.note()
		return !ours || n.ID != string(ref.Publication)
	})
	order := func(p product) int {
		switch n, _ := p.note(); {
		case p.ID == string(ref.Listing):
			return 0
		case n.complete():
			return 1
		}
		return 2
	}
	slices.SortFunc(own, func(x, y product) int { return cmp.Or(cmp.Compare(order(x), order(y)), strings.Compare(x.ID, y.ID)) })
	return own, err
}
