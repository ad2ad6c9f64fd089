package medusa_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// detailed is a lamp with all details, after the supplier's n-th change of them.
func detailed(variants, n int) shopadapter.Product {
	p := laws.WithDetails(laws.Sample("lamp", variants), n)
	p.Title = fmt.Sprint("Lamp nr. ", n)
	p.Translations = map[string]shopadapter.Translation{"nl": {Title: fmt.Sprint("Lamp nr. ", n)}}
	return p
}

// The sizes of the product itself, which Medusa's own storefront shows, are those in which all
// variants agree.
func TestSizesOfTheProduct(t *testing.T) {
	t.Parallel()
	for variants, want := range map[int]ShownSizes{
		1: {Weight: "1050", Length: "20.5", Width: "10", Height: "40", Origin: "nl", Material: "STEEL, LINEN_0"},
		2: {Origin: "nl", Material: "STEEL, LINEN_0"},
	} {
		f := newFake(t)
		publish(t, f.open(), detailed(variants, 0), shopadapter.AllFields)
		if diff := cmp.Diff(want, f.office().of(t, "lamp").ShownSizes); diff != "" {
			t.Errorf("%d variants (-want +got):\n%s", variants, diff)
		}
	}
	f := newFake(t)
	l := publish(t, f.open(), detailed(1, 0), shopadapter.AllFields)
	if err := f.office().update(t.Context(), l.ID, object{"width": 99}); err != nil {
		t.Fatal(err)
	}
	l = publish(t, f.open(), detailed(1, 1), shopadapter.FieldDetails)
	if l.Kept != shopadapter.FieldDetails {
		t.Errorf("kept: got %s, want details", l.Kept)
	}
	want := ShownSizes{Weight: "2050", Length: "21.5", Width: "99", Height: "41", Origin: "pt", Material: "STEEL, LINEN_1"}
	if diff := cmp.Diff(want, f.office().of(t, "lamp").ShownSizes); diff != "" {
		t.Errorf("after an edit (-want +got):\n%s", diff)
	}
}

// What the merchant keeps in metadata may be no text. It is the merchant's all the same.
func TestMetadataOfAnyKind(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := detailed(1, 0)
	p.Brand, p.Variants[0].Tags = "", nil
	l := publish(t, f.open(), p, shopadapter.AllFields)
	o := f.office()
	mine := object{"tags": []any{"mine"}}
	if err := o.updateVariant(t.Context(), l.ID, l.ShopIDs()[p.Variants[0].ID], object{"metadata": mine}); err != nil {
		t.Fatal(err)
	}
	if err := o.update(t.Context(), l.ID, object{"metadata": object{"brand": 47.0}}); err != nil {
		t.Fatal(err)
	}
	l = publish(t, f.open(), detailed(1, 1), shopadapter.AllFields)
	if want := shopadapter.FieldBrand | shopadapter.FieldDetails; l.Kept != want {
		t.Errorf("kept: got %s, want %s", l.Kept, want)
	}
	got := o.of(t, "lamp")
	if diff := cmp.Diff(mine["tags"], got.Variants[0].Metadata["tags"]); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if got.Metadata["brand"] != 47.0 {
		t.Errorf("brand: got %v, want 47", got.Metadata["brand"])
	}
}

// The units are the merchant's to name.
func TestUnits(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	publish(t, f.open("WEIGHT_UNIT", "kg", "DIMENSION_UNIT", "mm"), detailed(1, 0), shopadapter.AllFields)
	v := f.office().of(t, "lamp").Variants[0]
	if v.Weight != "1.05" || v.Length != "205" {
		t.Errorf("weight %s, length %s; want 1.05 and 205", v.Weight, v.Length)
	}
}
