package vendure

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A product is one as the shop answers it.
type product struct {
	ID            string
	Enabled       bool
	CustomFields  customFields
	Translations  []translation
	FeaturedAsset *node
	Assets        []node
	FacetValues   []facetValue
	OptionGroups  []optionGroup
	Variants      []variant
}

type (
	node         struct{ ID string }
	customFields struct{ PubsyncID, PubsyncStamp *string }
	translation  struct{ LanguageCode, Name, Slug, Description string }

	facetValue struct {
		ID, Code, Name string
		Facet          facet
	}
	facet struct {
		ID, Code string
		Values   []facetValue
	}
	optionGroup struct {
		ID, Code     string
		Translations []translation
		Options      []option
	}
	option struct{ ID, Code string }

	// A list is a page of what the shop has.
	list[T any] struct{ Items []T }
)

type variant struct {
	ID, SKU, TrackInventory      string
	Enabled                      bool
	OutOfStockThreshold          int
	UseGlobalOutOfStockThreshold bool
	CustomFields                 customFields
	Translations                 []translation
	Prices                       []price
	StockLevels                  []stockLevel
	Options                      []node
}

type price struct {
	Price        int64
	CurrencyCode string
}

type stockLevel struct {
	StockOnHand   int
	StockLocation struct {
		ID        string
		CreatedAt time.Time
	}
}

// read is what one of the documents that ask by the publication's key tells, and the products of the
// publication among those found. Where there is none, it may have lost its key.
func (a *Adapter) read(
	ctx context.Context, document string, ref shopadapter.Ref, variables input,
) (v view, products []*product, err error) {
	variables["key"] = kit.Key(ref.Publication)
	if err = a.call(ctx, document, variables, &v); err != nil {
		return v, nil, err
	}
	for i := range v.Products.Items {
		if p := &v.Products.Items[i]; p.own(ref.Publication) {
			products = append(products, p)
		}
	}
	if len(products) == 0 && ref.Listing != "" {
		lost, err := a.lost(ctx, ref)
		if lost == nil {
			return v, nil, err
		}
		products = append(products, lost)
	}
	return v, products, nil
}

// lost is the product that a ref points to, where it was made for the publication, is on sale, and
// somebody cleared its pubsyncId; nil where there is none. It is an error until a person asks for
// the product.
func (a *Adapter) lost(ctx context.Context, ref shopadapter.Ref) (*product, error) {
	var answer struct{ Product *product }
	if err := a.call(ctx, lostDocument, input{"id": ref.Listing}, &answer); err != nil {
		return nil, err
	}
	p := answer.Product
	if p == nil || p.key() != "" || !p.Enabled {
		return nil, nil
	}
	n := p.note()
	if string(ref.State) != p.ID && !(n.complete() && n.Owns(string(ref.Publication), p.ID)) {
		return nil, nil
	}
	if ref.Revive {
		return p, nil
	}
	called := p.ID
	if len(p.Translations) > 0 {
		called += " «" + p.Translations[0].Name + "»"
	}
	return nil, kit.Cleared(a.wire.Clean(called), ref.Publication)
}

// own reports whether a product that the shop found by the key is the publication's. A database may
// compare without regard to case, and a duplicate made in the back office carries the note of another
// product. A damaged note makes a product no less ours: a second one beside it would be worse.
func (p *product) own(publication shopadapter.PublicationID) bool {
	n := p.note()
	return p.key() == kit.Key(publication) && (!n.complete() || n.Original(p.ID))
}

// key is what the product holds in pubsyncId, "" for nothing.
func (p *product) key() string { return *cmp.Or(p.CustomFields.PubsyncID, new(string)) }

// note is the zero note where there is none that can be read.
func (p *product) note() note {
	return kit.ReadNote[note](*cmp.Or(p.CustomFields.PubsyncStamp, new(string)), noteVersion)
}

// candidate is what tells the product of a publication from the drafts of late creations.
func (p *product) candidate() kit.Candidate {
	n := p.note()
	return kit.Candidate{
		ID: p.ID, Complete: n.complete(), Untouched: n.ID != "" && !p.Enabled && n.unedited(p.Translations),
	}
}

// shown are the ids of the product's assets, the featured one first; it is not always among the
// others.
func (p *product) shown() []string {
	ids := kit.Each(p.Assets, func(a node) string { return a.ID })
	if f := p.FeaturedAsset; f != nil && (len(ids) == 0 || ids[0] != f.ID) {
		ids = append([]string{f.ID}, ids...)
	}
	return ids
}

// url is the address of the product's page: by the slug in a language, or in any where that is
// missing; "" when there is none.
func (a *Adapter) url(rows []translation, language string) string {
	slug := ""
	if t := rowIn(rows, language); t != nil {
		slug = t.Slug
	} else if len(rows) > 0 {
		slug = rows[0].Slug
	}
	return a.set.Storefront.Page(slug)
}

func (t translation) texts() shopadapter.Translation {
	return shopadapter.Translation{Title: t.Name, Description: t.Description}
}

// rowIn is the row of a language, nil when there is none.
func rowIn(rows []translation, language string) *translation {
	if i := slices.IndexFunc(rows, func(t translation) bool { return t.LanguageCode == language }); i >= 0 {
		return &rows[i]
	}
	return nil
}
