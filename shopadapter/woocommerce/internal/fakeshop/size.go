package fakeshop

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const eanField = "global_unique_id"

// showSizes adds weight, size and EAN to an answer. A variation without a value of its own shows
// that of its product.
func showSizes(p, parent *Post, out map[string]any) {
	value := func(name string) string {
		if own := p.Sizes[name]; own != "" || parent == nil {
			return own
		}
		return parent.Sizes[name]
	}
	out["weight"], out[eanField] = value("weight"), value("ean")
	out["dimensions"] = map[string]any{"length": value("length"), "width": value("width"), "height": value("height")}
}

var noDigit = regexp.MustCompile(`[^0-9\-]`)

// keptEAN is an EAN as WooCommerce keeps it: everything but digits and hyphens is dropped.
func keptEAN(input map[string]any) (string, bool) {
	ean, given := input[eanField].(string)
	return noDigit.ReplaceAllString(ean, ""), given
}

// eanTaken refuses an EAN that another product or variation has.
func (f *Shop) eanTaken(input map[string]any, but int64) *failure {
	ean, _ := keptEAN(input)
	for _, id := range slices.Sorted(maps.Keys(f.Posts)) {
		if p := f.Posts[id]; ean != "" && id != but && p.Status != "trash" && p.Sizes["ean"] == ean {
			e := fail(400, "product_invalid_global_unique_id", "Invalid or duplicated GTIN, UPC, EAN or ISBN.")
			e.data = map[string]any{"resource_id": id}
			return e
		}
	}
	return nil
}

// size writes those of weight, size and EAN that a request names.
func (p *Post) size(input map[string]any) {
	if p.Sizes == nil {
		p.Sizes = map[string]string{}
	}
	if weight, ok := input["weight"].(string); ok {
		p.Sizes["weight"] = weight
	}
	dimensions, _ := input["dimensions"].(map[string]any)
	for name, value := range dimensions {
		p.Sizes[name], _ = value.(string)
	}
	if ean, given := keptEAN(input); given {
		p.Sizes["ean"] = ean
	}
}

// seenSizes is the sizes in kilograms and centimeters.
func (f *Shop) seenSizes(p *Post) map[string]string {
	units := shopadapter.Units{Weight: f.WeightUnit, Length: f.DimensionUnit}
	return map[string]string{
		"ean": p.Sizes["ean"], "weight": units.WeightIn(p.Sizes["weight"], "kg"),
		"length": units.LengthIn(p.Sizes["length"], "cm"), "width": units.LengthIn(p.Sizes["width"], "cm"),
		"height": units.LengthIn(p.Sizes["height"], "cm"),
	}
}

// EditDetail types another value by hand.
func (f *Shop) EditDetail(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	if name == "brand" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Find(listing).Brands = []int64{f.addBrand("My own").ID}
		return nil
	}
	if feature := map[string]string{"materials": "Material", "origin": "Country of origin"}[name]; feature != "" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Find(listing).SetFeature(feature, "My own")
		return nil
	}
	if !slices.Contains([]string{"ean", "weight", "length", "width", "height"}, name) {
		return fmt.Errorf("no detail that is typed here: %s", name)
	}
	return f.byHand(v, func(p *Post) {
		if p.Sizes == nil {
			p.Sizes = map[string]string{}
		}
		p.Sizes[name] = fmt.Sprint(7000 + p.ID)
	})
}

// feature is the values of an attribute that is no choice, as a visitor reads them.
func (p *Post) feature(name string) string {
	for _, a := range p.Attributes {
		if a.Name == name && a.Visible && !a.Variation {
			return strings.Join(a.Options, ", ")
		}
	}
	return ""
}

// SetFeature gives a product an attribute that is no choice, or changes its values.
func (p *Post) SetFeature(name string, values ...string) {
	p.Attributes = slices.DeleteFunc(slices.Clone(p.Attributes), func(a Attribute) bool { return a.Name == name })
	p.Attributes = append(p.Attributes, Attribute{
		Key: attributeKey(name), Name: name, Visible: true, Position: len(p.Attributes), Options: values,
	})
}
