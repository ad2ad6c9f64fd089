package vendureserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// Details are the custom fields of a variant that the shop's owner has declared for what the
// supplier says of it.
type Details struct {
	EAN          string      `json:"ean"`
	Weight       json.Number `json:"weight"` // in grams
	Length       json.Number `json:"length"` // in centimeters, like the next three
	Width        json.Number `json:"width"`
	Height       json.Number `json:"height"`
	Diameter     json.Number `json:"diameter"`
	Volume       string      `json:"volume"`
	Origin       string      `json:"origin"`
	LeadTime     string      `json:"leadTime"`
	Tags         []string    `json:"tags"`
	Materials    []string    `json:"materials"`
	CaseQuantity json.Number `json:"caseQuantity"`
}

// DetailNames are the details that the shop keeps, by the names of the http protocol.
func DetailNames() []string {
	return []string{
		"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
		"materials", "caseQuantity",
	}
}

// seen are the details in the conformance suite's terms.
func (d Details) seen() map[string]string {
	weight := ""
	if grams, err := decimal.NewFromString(string(d.Weight)); err == nil {
		weight = grams.Shift(-3).String()
	}
	return map[string]string{
		"ean": d.EAN, "weight": weight, "length": string(d.Length), "width": string(d.Width),
		"height": string(d.Height), "diameter": string(d.Diameter), "volume": d.Volume, "origin": d.Origin,
		"leadTime": d.LeadTime, "tags": strings.Join(d.Tags, ", "), "materials": strings.Join(d.Materials, ", "),
		"caseQuantity": string(d.CaseQuantity),
	}
}

// The documents of the owner who chooses a brand.
const (
	BrandDocument = `mutation BrandByHand($input: CreateFacetInput!) {
  createFacet(input: $input) { values { id } }
}`
	BrandsDocument = `query Brands {
  facets(options: { filter: { code: { eq: "brand" } } }) { items { id code } }
}`
	ValuesDocument = `query Values($listing: ID!) { product(id: $listing) { facetValues { id facet { code } } } }`
)

// EditDetail types another value of a detail, or chooses another brand, as somebody at work in the
// back office does.
func (b *Backoffice) EditDetail(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	var value any
	switch name {
	case "brand":
		return b.editBrand(ctx, listing)
	case "weight", "length", "width", "height", "diameter", "caseQuantity":
		value = 777
	case "tags", "materials":
		value = []string{"MINE"}
	case "ean", "volume", "origin", "leadTime":
		value = "MINE"
	default:
		return fmt.Errorf("no detail that is typed here: %s", name)
	}
	return b.UpdateVariant(ctx, v.ShopID, map[string]any{"customFields": map[string]any{name: value}})
}

// editBrand gives a product a brand of the owner's own in place of the one that it has.
func (b *Backoffice) editBrand(ctx context.Context, listing shopadapter.ListingID) error {
	var held struct {
		Product struct {
			FacetValues []struct {
				ID    string `json:"id"`
				Facet struct {
					Code string `json:"code"`
				} `json:"facet"`
			} `json:"facetValues"`
		} `json:"product"`
	}
	if err := b.Query(ctx, ValuesDocument, map[string]any{"listing": string(listing)}, &held); err != nil {
		return err
	}
	var facets struct {
		Facets struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		} `json:"facets"`
	}
	if err := b.Query(ctx, BrandsDocument, nil, &facets); err != nil {
		return err
	}
	mine := map[string]any{
		"code": "my-own", "translations": []any{map[string]any{"languageCode": "en", "name": "My own"}},
	}
	var id string
	if len(facets.Facets.Items) == 0 {
		var made struct {
			Facet struct {
				Values []struct {
					ID string `json:"id"`
				} `json:"values"`
			} `json:"createFacet"`
		}
		input := map[string]any{
			"code": "brand", "isPrivate": false, "values": []any{mine},
			"translations": []any{map[string]any{"languageCode": "en", "name": "Brand"}},
		}
		if err := b.Query(ctx, BrandDocument, map[string]any{"input": input}, &made); err != nil {
			return err
		}
		id = made.Facet.Values[0].ID
	} else {
		var made struct {
			Value struct {
				ID string `json:"id"`
			} `json:"createFacetValue"`
		}
		mine["facetId"] = facets.Facets.Items[0].ID
		if err := b.Query(ctx, FacetDocument, map[string]any{"input": mine}, &made); err != nil {
			return err
		}
		id = made.Value.ID
	}
	ids := []string{id}
	for _, value := range held.Product.FacetValues {
		if value.Facet.Code != "brand" {
			ids = append(ids, value.ID)
		}
	}
	return b.Update(ctx, listing, map[string]any{"facetValueIds": ids})
}
