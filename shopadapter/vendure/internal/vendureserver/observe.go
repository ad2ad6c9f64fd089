package vendureserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// ObserveDocument reads everything that Observe shows. It stands by itself for those who check
// documents against a schema.
const ObserveDocument = `query Observe($skip: Int!) {
  products(options: { sort: { id: ASC }, skip: $skip, take: 100 }) {
    totalItems
    items {
      id enabled customFields { pubsyncId pubsyncStamp }
      translations { languageCode name slug description }
      assets { fileSize }
      featuredAsset { fileSize }
      facetValues { name facet { code } }
      optionGroups { id code name options { id name } }
      variants {
        id sku name enabled trackInventory stockOnHand outOfStockThreshold useGlobalOutOfStockThreshold priceWithTax
        customFields {
          pubsyncId ean weight length width height diameter volume origin leadTime tags materials caseQuantity
        }
        options { name group { name } }
      }
    }
  }
}`

// A Product is one of the shop's, as its owner sees it.
type Product struct {
	ID           string `json:"id"`
	Enabled      bool   `json:"enabled"`
	CustomFields struct {
		PubsyncID    string `json:"pubsyncId"`
		PubsyncStamp string `json:"pubsyncStamp"`
	} `json:"customFields"`
	Translations  []Translation `json:"translations"`
	Assets        []Asset       `json:"assets"`
	FeaturedAsset *Asset        `json:"featuredAsset"`
	FacetValues   []FacetValue  `json:"facetValues"`
	OptionGroups  []struct {
		ID      string   `json:"id"`
		Code    string   `json:"code"`
		Name    string   `json:"name"`
		Options []Option `json:"options"`
	} `json:"optionGroups"`
	Variants []Variant `json:"variants"`
}

// A Translation is a product's text in one language.
type Translation struct {
	LanguageCode string `json:"languageCode"`
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	Description  string `json:"description"`
}

// An Asset is known by its size: the pictures of a test differ in it.
type Asset struct {
	FileSize int `json:"fileSize"`
}

// A FacetValue is a category, or another word that products are found by.
type FacetValue struct {
	Name  string `json:"name"`
	Facet struct {
		Code string `json:"code"`
	} `json:"facet"`
}

// An Option is one choice.
type Option struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Group struct {
		Name string `json:"name"`
	} `json:"group"`
}

// A Variant is one of a product's.
type Variant struct {
	ID             string `json:"id"`
	SKU            string `json:"sku"`
	Name           string `json:"name"`
	Enabled        bool   `json:"enabled"`
	TrackInventory string `json:"trackInventory"`
	StockOnHand    int    `json:"stockOnHand"`
	Threshold      int    `json:"outOfStockThreshold"`
	UseGlobal      bool   `json:"useGlobalOutOfStockThreshold"`
	PriceWithTax   int    `json:"priceWithTax"`
	CustomFields   struct {
		PubsyncID string `json:"pubsyncId"`
		Details
	} `json:"customFields"`
	Options []Option `json:"options"`
}

// In is the text in a language, empty where there is none.
func (p Product) In(language string) Translation {
	if i := slices.IndexFunc(p.Translations, func(t Translation) bool { return t.LanguageCode == language }); i >= 0 {
		return p.Translations[i]
	}
	return Translation{}
}

// Products reads every product of the shop.
func (b *Backoffice) Products(ctx context.Context) ([]Product, error) {
	var all []Product
	for {
		var page struct {
			Products struct {
				TotalItems int       `json:"totalItems"`
				Items      []Product `json:"items"`
			} `json:"products"`
		}
		if err := b.Query(ctx, ObserveDocument, map[string]any{"skip": len(all)}, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Products.Items...)
		if len(page.Products.Items) == 0 || len(all) >= page.Products.TotalItems {
			return all, nil
		}
	}
}

// Observe is the shop in the conformance suite's terms.
func (b *Backoffice) Observe(ctx context.Context, image func(size int) string) ([]laws.Seen, error) {
	products, err := b.Products(ctx)
	if err != nil {
		return nil, err
	}
	return Seen(products, image), nil
}

// Seen is products in the conformance suite's terms. image tells the address of the picture of a
// size.
func Seen(products []Product, image func(size int) string) []laws.Seen {
	seen := make([]laws.Seen, 0, len(products))
	for _, p := range products {
		s := laws.Seen{
			Listing: shopadapter.ListingID(p.ID), Publication: publication(p), OnSale: p.Enabled,
			Title: p.In("en").Name, Description: p.In("en").Description,
		}
		s.Details = map[string]string{"brand": ""}
		for _, v := range p.FacetValues {
			if v.Facet.Code == "brand" {
				s.Details["brand"] += v.Name
			}
			if strings.HasPrefix(v.Facet.Code, "pubsync-category") {
				s.Category += v.Name
			}
		}
		for _, a := range p.Assets {
			s.Images = append(s.Images, image(a.FileSize))
		}
		if f := p.FeaturedAsset; f != nil && (len(p.Assets) == 0 || p.Assets[0].FileSize != f.FileSize) {
			s.Images = append([]string{image(f.FileSize)}, s.Images...)
		}
		for _, v := range p.Variants {
			if v.Enabled {
				s.Variants = append(s.Variants, seenVariant(v))
			}
		}
		seen = append(seen, s)
	}
	return seen
}

func publication(p Product) shopadapter.PublicationID {
	var stamp struct {
		ID string `json:"id"`
	}
	if json.Unmarshal([]byte(p.CustomFields.PubsyncStamp), &stamp) != nil || p.CustomFields.PubsyncID == "" {
		return ""
	}
	return shopadapter.PublicationID(stamp.ID)
}

func seenVariant(v Variant) laws.SeenVariant {
	return laws.SeenVariant{
		ID: v.CustomFields.PubsyncID, ShopID: v.ID, SKU: v.SKU, Options: chosen(v.Options),
		Price: amount(v.PriceWithTax), Quantity: v.StockOnHand,
		Backorders: v.TrackInventory == "TRUE" && !v.UseGlobal && v.Threshold < -1000,
		Details:    v.CustomFields.seen(),
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

// amount is cents as a decimal.
func amount(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
