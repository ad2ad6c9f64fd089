package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const productsDocument = `query Observe($filter: ProductFilterParameter, $skip: Int!) {
  products(options: { filter: $filter, sort: { id: ASC }, skip: $skip, take: 100 }) {
    items {
      id enabled customFields { pubsyncId pubsyncStamp }
      translations { languageCode name slug description }
      assets { id fileSize }
      featuredAsset { id fileSize }
      facetValues { id name facet { code } }
      optionGroups { id code name options { id name } }
      variants {
        id sku name enabled trackInventory stockOnHand outOfStockThreshold useGlobalOutOfStockThreshold priceWithTax
        prices { price }
        customFields {
          pubsyncId ean weight length width height diameter volume origin leadTime tags materials caseQuantity
        }
        options { id name group { name } }
      }
    }
  }
}`

// A Product is one of the shop's, as its owner sees it.
type Product struct {
	ID            string
	Enabled       bool
	CustomFields  struct{ PubsyncID, PubsyncStamp string }
	Translations  []Translation
	Assets        []Asset
	FeaturedAsset *Asset
	FacetValues   []struct {
		ID, Name string
		Facet    struct{ Code string }
	}
	OptionGroups []OptionGroup
	Variants     []Variant
}

// A Translation is a product's text in one language.
type Translation struct{ LanguageCode, Name, Slug, Description string }

// An Asset is known by its size: the pictures of a test differ in it.
type Asset struct {
	ID       string
	FileSize int
}

// An OptionGroup is one thing to choose by.
type OptionGroup struct {
	ID, Code, Name string
	Options        []Option
}

// An Option is one choice.
type Option struct {
	ID, Name string
	Group    struct{ Name string }
}

// A Variant is one of a product's.
type Variant struct {
	ID, SKU, Name                string
	Enabled                      bool
	TrackInventory               string
	StockOnHand                  int
	OutOfStockThreshold          int
	UseGlobalOutOfStockThreshold bool
	PriceWithTax                 int
	Prices                       []struct{ Price int } // as they are stored
	CustomFields                 struct {
		PubsyncID, EAN, Volume, Origin, LeadTime              string
		Weight, Length, Width, Height, Diameter, CaseQuantity json.Number // in grams and centimeters
		Tags, Materials                                       []string
	}
	Options []Option
}

// In is the text in a language, empty where there is none.
func (p Product) In(language string) Translation {
	if i := slices.IndexFunc(p.Translations, func(t Translation) bool { return t.LanguageCode == language }); i >= 0 {
		return p.Translations[i]
	}
	return Translation{}
}

// Group is the option group of a name, empty where there is none.
func (p Product) Group(name string) OptionGroup {
	if i := slices.IndexFunc(p.OptionGroups, func(g OptionGroup) bool { return g.Name == name }); i >= 0 {
		return p.OptionGroups[i]
	}
	return OptionGroup{}
}

// Products reads every product of the shop.
func (b *Office) Products(ctx context.Context) ([]Product, error) { return b.find(ctx, nil) }

// Product reads one.
func (b *Office) Product(ctx context.Context, listing shopadapter.ListingID) (Product, error) {
	found, err := b.find(ctx, vars{"id": vars{"eq": string(listing)}})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("there is no product %s", listing)
	}
	if err != nil {
		return Product{}, err
	}
	return found[0], nil
}

func (b *Office) find(ctx context.Context, filter vars) (all []Product, err error) {
	for {
		page, err := ask[struct{ Products struct{ Items []Product } }](
			ctx, b, productsDocument, vars{"filter": filter, "skip": len(all)},
		)
		all = append(all, page.Products.Items...)
		if err != nil || len(page.Products.Items) < 100 {
			return all, err
		}
	}
}

// Seen is products in the terms of the laws. image tells the address of the picture of a size.
func Seen(products []Product, image func(size int) string) []laws.Seen {
	all := make([]laws.Seen, 0, len(products))
	for _, p := range products {
		var note struct{ ID shopadapter.PublicationID }
		if json.Unmarshal([]byte(p.CustomFields.PubsyncStamp), &note) != nil || p.CustomFields.PubsyncID == "" {
			note.ID = ""
		}
		s := laws.Seen{
			Listing: shopadapter.ListingID(p.ID), Publication: note.ID, OnSale: p.Enabled,
			Title: p.In("en").Name, Description: p.In("en").Description, Details: map[string]string{"brand": ""},
			Translations: map[string]shopadapter.Translation{},
		}
		for _, t := range p.Translations {
			s.Translations[t.LanguageCode] = shopadapter.Translation{Title: t.Name, Description: t.Description}
		}
		for _, v := range p.FacetValues {
			if v.Facet.Code == "brand" {
				s.Details["brand"] += v.Name
			}
			if strings.HasPrefix(v.Facet.Code, "pubsync-category") {
				s.Category += v.Name
			}
		}
		if f := p.FeaturedAsset; f != nil && (len(p.Assets) == 0 || p.Assets[0].ID != f.ID) {
			s.Images = append(s.Images, image(f.FileSize))
		}
		for _, a := range p.Assets {
			s.Images = append(s.Images, image(a.FileSize))
		}
		for _, v := range p.Variants {
			if v.Enabled {
				s.Variants = append(s.Variants, v.seen())
			}
		}
		all = append(all, s)
	}
	return all
}

func (v Variant) seen() laws.SeenVariant {
	d, weight := v.CustomFields, ""
	if grams, err := decimal.NewFromString(string(d.Weight)); err == nil {
		weight = grams.Shift(-3).String()
	}
	return laws.SeenVariant{
		ID: d.PubsyncID, ShopID: v.ID, SKU: v.SKU, Options: chosen(v.Options),
		Price: decimal.New(int64(v.PriceWithTax), -2).StringFixed(2), Quantity: v.StockOnHand,
		Backorders: v.TrackInventory == "TRUE" && !v.UseGlobalOutOfStockThreshold && v.OutOfStockThreshold < -1000,
		Details: map[string]string{
			"ean": d.EAN, "weight": weight, "length": string(d.Length), "width": string(d.Width),
			"height": string(d.Height), "diameter": string(d.Diameter), "volume": d.Volume, "origin": d.Origin,
			"leadTime": d.LeadTime, "tags": strings.Join(d.Tags, ", "), "materials": strings.Join(d.Materials, ", "),
			"caseQuantity": string(d.CaseQuantity),
		},
	}
}

// chosen is the name of each option and its value.
func chosen(options []Option) map[string]string {
	m := map[string]string{}
	for _, o := range options {
		m[o.Group.Name] = o.Name
	}
	return m
}

func (b *Office) observe(ctx context.Context, filter vars, image func(size int) string) ([]laws.Seen, error) {
	products, err := b.find(ctx, filter)
	return Seen(products, image), err
}

func keyed(id shopadapter.PublicationID) vars { return vars{"pubsyncId": vars{"eq": kit.Key(id)}} }

// Visit asks the shop API, without a login, for the page of a product, and makes its choices as a
// storefront does. The shop API answers with what is enabled alone.
func (b *Office) Visit(ctx context.Context, listing shopadapter.ListingID) ([]laws.Choice, error) {
	var answer struct {
		Product *struct {
			Variants []struct {
				Variant
				StockLevel string
			}
		}
	}
	_, err := send(ctx, b.origin+"/shop-api", nil, `query ($listing: ID!) { product(id: $listing) {
		variants { sku priceWithTax stockLevel options { name group { name } } } } }`,
		vars{"listing": string(listing)}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Product == nil {
		return nil, fmt.Errorf("there is no page of %s", listing)
	}
	var variants []laws.Choice
	for _, v := range answer.Product.Variants {
		seen := v.seen()
		variants = append(variants, laws.Choice{
			Options: seen.Options, SKU: seen.SKU, Price: seen.Price,
			InStock: v.StockLevel != "OUT_OF_STOCK", Quantity: -1, // the shop API tells no number
		})
	}
	return variants, nil
}
