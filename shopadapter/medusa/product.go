package medusa

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A product is one as Medusa answers it. What is null is "".
type product struct {
	texts
	sizes
	Thumbnail  string     `json:"thumbnail"`
	Images     []image    `json:"images"`
	Categories []category `json:"categories"`
	Options    []option   `json:"options"`
	Variants   []variant  `json:"variants"`
}

// A brief is the part of a product that tells whose it is and whether it is on sale.
type brief struct {
	ID         string   `json:"id"`
	Handle     string   `json:"handle"`
	Status     string   `json:"status"`
	ExternalID string   `json:"external_id"`
	Metadata   metadata `json:"metadata"`
	Channels   []id     `json:"sales_channels"`
}

// texts are what a change of a product answers.
type texts struct {
	brief
	shopadapter.Translation
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
	ID    string `json:"id"`
	Value string `json:"value"`
}

type variant struct {
	sizes
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	SKU        string   `json:"sku"`
	EAN        string   `json:"ean"`
	Managed    bool     `json:"manage_inventory"`
	Backorders bool     `json:"allow_backorder"`
	Rank       int      `json:"variant_rank"`
	Metadata   metadata `json:"metadata"`
	Prices     []price  `json:"prices"`
	Options    []struct {
		value
		Option struct {
			Title string `json:"title"`
		} `json:"option"`
	} `json:"options"`
	Inventory []struct {
		ItemID string `json:"inventory_item_id"`
		Item   struct {
			Levels []level `json:"location_levels"`
		} `json:"inventory"`
	} `json:"inventory_items"`
}

// A price keeps all that Medusa takes: a write replaces the whole list of a variant's prices. Its
// rules must be asked for by their parts.
type price struct {
	ID       string            `json:"id,omitempty"`
	Currency string            `json:"currency_code"`
	Amount   json.Number       `json:"amount"`
	Least    *int              `json:"min_quantity"`
	Most     *int              `json:"max_quantity"`
	Rules    map[string]string `json:"rules,omitempty" ask:"price_rules.attribute,price_rules.value"`
}

type level struct {
	Location string      `json:"location_id"`
	Stocked  json.Number `json:"stocked_quantity"`
}

func (p *product) onSale(channel string) bool {
	return p.Status == published && slices.Contains(p.Channels, id{channel})
}

// find reads the products that carry the stamp of a publication.
func (a *Adapter) find(ctx context.Context, ref shopadapter.Ref, fields string) (own []*product, err error) {
	q := query{"external_id": stamp.Key(ref.Publication), "fields": fields, "order": "id"}
	got, err := a.api.Get(ctx, "find product", "products", q)
	var lost *product // whose stamp somebody deleted
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
		return nil, skeleton.Unstamped(ref, a.api.Clean(lost.ID+" «"+lost.Title+"»"))
	}
	return []*product{lost}, nil
}

// candidate is what tells the product of a publication from the drafts of late creations.
func (p *product) candidate() skeleton.Candidate {
	n, _ := p.note()
	return skeleton.Candidate{
		ID: p.ID, Complete: n.Complete(), Untouched: p.Status == draft && n.Holds(p.Translation),
	}
}

// listed is a product of ours with its stamp, sold in a channel.
func (a *Adapter) listed(p *product, n note, channel string) shopadapter.Listed {
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: shopadapter.ListingID(p.ID)}
	return shopadapter.Listed{Ref: ref, Listing: shopadapter.Listing{
		ID: ref.Listing, URL: a.storefront.Page(p.Handle), OnSale: p.onSale(channel),
	}}
}

// A note is the stamp on a product.
type note struct {
	stamp.Owner
	stamp.Text
	Images   stamp.Written `json:"images"`
	Category stamp.Written `json:"category"`
	Details  stamp.Details `json:"details,omitempty"` // the brand, and the sizes of the product itself
	Options  []string      `json:"options,omitempty"` // titles of the options that the adapter made
	// what options and values were called after the last write of them
	Choices      []choice.Known         `json:"choices,omitempty"`
	Translations map[string]*stamp.Text `json:"translations,omitempty"` // by locale
	// translations are being written, with an outcome not known yet
	Pending bool `json:"pending,omitempty"`
}

// certain forgets what the shop may hold instead of each text.
func (n *note) certain() {
	n.Settle()
	n.Images.Instead()
	n.Category.Instead()
	for _, text := range n.Translations {
		text.Settle()
	}
}

// note is the stamp, and whether the product is ours.
func (p *product) note() (note, bool) {
	n := stamp.Decode[note](p.Metadata.text(mark), noteVersion)
	return n, n.Original(p.ID) && p.ExternalID == stamp.Key(shopadapter.PublicationID(n.ID))
}

// metadata is what the owner and all programs note on a thing. Medusa merges what is written into
// what is there.
type metadata map[string]any

const (
	draft       = "draft" // the two statuses that the adapter writes
	published   = "published"
	mark        = "pubsync" // the member of metadata that holds a product's stamp, or a variant's id
	noteVersion = 1         // counts the rules by which the hashes of a note are made
)

// text is a member that is a text, "" for any other.
func (m metadata) text(name string) string {
	text, _ := m[name].(string)
	return text
}

// marks is the metadata to write: the stamp, and the brand where it differs. Medusa takes a member
// away that is written as "". differ reports whether the product holds something else.
func (w *write) marks() (m metadata, differ bool) {
	m = metadata{mark: stamp.Encode(w.note)}
	for name, value := range w.told {
		if value != w.held.Metadata.whole(name) {
			m[name] = value
		}
	}
	return m, len(m) > 1 || m[mark] != w.held.Metadata.text(mark)
}
