package vendure

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

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

// read runs a document that asks by the key, and returns the publication's products. Without any it tries the product
// in ref, which may have lost its key.
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

// lost returns the product in ref if it was made for the publication, is on sale, and its pubsyncId was cleared.
// Unless a person asks for it, the result is an error.
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

// own reports whether a product found by key is the publication's. A database may ignore case, and a duplicate from
// the back office carries another product's note. A product with a damaged note stays ours: a second one would be
// worse.
func (p *product) own(publication shopadapter.PublicationID) bool {
	n := p.note()
	return p.key() == kit.Key(publication) && (!n.complete() || n.Original(p.ID))
}

func (p *product) key() string { return *cmp.Or(p.CustomFields.PubsyncID, new(string)) }

func (p *product) note() note {
	return kit.ReadNote[note](*cmp.Or(p.CustomFields.PubsyncStamp, new(string)), noteVersion)
}

// candidate tells the product from drafts that late creations left.
func (p *product) candidate() kit.Candidate {
	n := p.note()
	edited := slices.ContainsFunc(p.Translations, func(t translation) bool {
		return !n.Text[t.LanguageCode].Holds(t.texts())
	})
	return kit.Candidate{ID: p.ID, Complete: n.complete(), Untouched: n.ID != "" && !p.Enabled && !edited}
}

// shown returns the assets' ids, first the featured one, which the others may lack.
func (p *product) shown() []string {
	ids := kit.Each(p.Assets, func(a node) string { return a.ID })
	if f := p.FeaturedAsset; f != nil && (len(ids) == 0 || ids[0] != f.ID) {
		ids = append([]string{f.ID}, ids...)
	}
	return ids
}

// url is the product's page, by the slug in the language or in any; "" if there is none.
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

func rowIn(rows []translation, language string) *translation {
	if i := slices.IndexFunc(rows, func(t translation) bool { return t.LanguageCode == language }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// noteVersion changes with the rules of the note's hashes.
const noteVersion = 1

// A note is what the adapter stores in a product, in the same request as the texts.
type note struct {
	kit.Note
	Text map[string]kit.Text `json:"text,omitempty"` // by language
	// languages whose names are the title; other names belong to the description
	Titles []string `json:"titles,omitempty"`
	// the supplier's last names of the option groups
	Groups   []string    `json:"groups,omitempty"`
	Images   kit.Written `json:"images"`   // of the asset ids
	Category kit.Written `json:"category"` // value codes, joined by commas
	Brand    kit.Written `json:"brand"`
}

func (n note) complete() bool { return n.Product != "" }
