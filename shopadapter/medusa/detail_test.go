package medusa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// detailNames are the details that this shop keeps, by the names of the http protocol.
func detailNames() []string {
	return []string{
		"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
		"materials", "caseQuantity",
	}
}

// ShownSizes are the sizes of a product or a variant as the owner sees them.
type ShownSizes struct {
	Weight   json.Number `json:"weight"`
	Length   json.Number `json:"length"`
	Width    json.Number `json:"width"`
	Height   json.Number `json:"height"`
	Origin   string      `json:"origin_country"`
	Material string      `json:"material"`
}

func (p shown) details() map[string]string {
	brand, _ := p.Metadata["brand"].(string)
	return map[string]string{"brand": brand}
}

// details are a variant's in the suite's terms: weights, which stand in grams, in kilograms.
func (v shownVariant) details() map[string]string {
	told := func(name string) string {
		text, _ := v.Metadata[name].(string)
		return text
	}
	weight := ""
	if grams, err := decimal.NewFromString(string(v.Weight)); err == nil {
		weight = grams.Shift(-3).String()
	}
	return map[string]string{
		"ean": v.EAN, "weight": weight, "length": string(v.Length), "width": string(v.Width), "height": string(v.Height),
		"diameter": told("diameter"), "volume": told("volume"), "origin": strings.ToUpper(v.Origin),
		"leadTime": told("lead_time"), "tags": told("tags"), "materials": v.Material,
		"caseQuantity": told("case_quantity"),
	}
}

// editDetail types another value as somebody at work in the back office does.
func (o *office) editDetail(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	switch name {
	case "brand":
		return o.update(ctx, listing, object{"metadata": object{"brand": "My own"}})
	case "weight", "length", "width", "height":
		return o.updateVariant(ctx, listing, v.ShopID, object{name: 7770})
	case "origin":
		return o.updateVariant(ctx, listing, v.ShopID, object{"origin_country": "fr"})
	case "materials":
		return o.updateVariant(ctx, listing, v.ShopID, object{"material": "Oak of my own wood"})
	case "diameter", "volume", "tags":
		return o.updateVariant(ctx, listing, v.ShopID, object{"metadata": object{name: "7.77"}})
	case "leadTime":
		return o.updateVariant(ctx, listing, v.ShopID, object{"metadata": object{"lead_time": "tomorrow"}})
	case "caseQuantity":
		return o.updateVariant(ctx, listing, v.ShopID, object{"metadata": object{"case_quantity": "7.77"}})
	}
	return fmt.Errorf("no detail that is typed here: %s", name)
}
