package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// longestSummary bounds the description in the structured data, in bytes.
const longestSummary = 2000

// A schemaProduct is a product in the vocabulary of schema.org, for search engines and shopping
// feeds: a Product, or a ProductGroup with one for each variant.
type schemaProduct struct {
	Context     string          `json:"@context,omitempty"`
	Type        string          `json:"@type"`
	GroupID     string          `json:"productGroupID,omitempty"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	URL         string          `json:"url,omitempty"`
	Image       []string        `json:"image,omitempty"`
	Brand       *schemaNamed    `json:"brand,omitempty"`
	Category    string          `json:"category,omitempty"`
	SKU         string          `json:"sku,omitempty"`
	GTIN        string          `json:"gtin,omitempty"`
	Weight      *schemaQuantity `json:"weight,omitempty"`
	Depth       *schemaQuantity `json:"depth,omitempty"`
	Width       *schemaQuantity `json:"width,omitempty"`
	Height      *schemaQuantity `json:"height,omitempty"`
	Material    string          `json:"material,omitempty"`
	Origin      *schemaNamed    `json:"countryOfOrigin,omitempty"`
	Keywords    string          `json:"keywords,omitempty"`
	More        []schemaMore    `json:"additionalProperty,omitempty"`
	Offers      *schemaOffer    `json:"offers,omitempty"`
	VariesBy    []string        `json:"variesBy,omitempty"`
	Variants    []schemaProduct `json:"hasVariant,omitempty"`
}

type schemaNamed struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

type schemaQuantity struct {
	Type  string      `json:"@type"`
	Value json.Number `json:"value"`
	Unit  string      `json:"unitCode"` // of UN/CEFACT
}

// A schemaMore is a detail that the vocabulary has no property for.
type schemaMore struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

type schemaOffer struct {
	Type         string      `json:"@type"`
	Price        json.Number `json:"price"`
	Currency     string      `json:"priceCurrency"`
	Availability string      `json:"availability"`
	From         string      `json:"availabilityStarts,omitempty"`
	URL          string      `json:"url,omitempty"`
}

// schema is the structured data of a product page; nil where nothing of it can be bought, where the
// currency is not known, or where there is no picture: search engines refuse it without. address is
// the page's, "" where the folder is not served.
func (r *record) schema(w words, title, about, address string) *schemaProduct {
	p := schemaProduct{
		Name: title, Description: about, URL: address, Image: pictures(r.Images), Category: r.Category.Trail(" > "),
		Brand: schemaName("Brand", r.Brand),
	}
	var each []schemaProduct
	for i := range r.Variants {
		v := &r.Variants[i]
		if offer := r.offer(v, address); offer != nil {
			one := r.schemaVariant(w, v)
			one.Type, one.Offers = "Product", offer
			each = append(each, one)
		}
	}
	if len(each) == 0 || len(p.Image) == 0 {
		return nil
	}
	if len(r.Variants) == 1 {
		one := each[0]
		one.Context, one.Name, one.Description, one.URL = schemaContext, p.Name, p.Description, p.URL
		one.Image, one.Category, one.Brand = p.Image, p.Category, p.Brand
		return &one
	}
	for i := range each {
		each[i].Name = title + " – " + each[i].Name
		each[i].Image, each[i].Brand = p.Image[:min(len(p.Image), 1)], p.Brand
	}
	p.Context, p.Type, p.GroupID = schemaContext, "ProductGroup", string(r.ID)
	p.VariesBy, p.Variants = r.Options, each
	return &p
}

const schemaContext = "https://schema.org"

// schemaVariant is what the vocabulary says of a variant by itself.
func (r *record) schemaVariant(w words, v *shopadapter.Variant) schemaProduct {
	units := shopadapter.Units(r.Stamp.Units)
	long := func(figure string) *schemaQuantity { return quantity(units.LengthIn(figure, "cm"), "CMT") }
	one := schemaProduct{
		Name: nameOf(*v), SKU: v.SKU, Material: strings.Join(v.Materials, ", "), Keywords: strings.Join(v.Tags, ", "),
		Weight: quantity(units.WeightIn(v.Weight, "kg"), "KGM"),
		Depth:  long(v.Length), Width: long(v.Width), Height: long(v.Height),
		Origin: schemaName("Country", v.Origin),
	}
	if isGTIN(v.EAN) {
		one.GTIN = v.EAN
	}
	for _, f := range []fact{
		measure(w.Diameter, v.Diameter, " "+units.Length),
		{w.Volume, v.Volume},
		{w.LeadTime, v.LeadTime},
		{w.CaseQuantity, v.CaseQuantity},
	} {
		if f.Value != "" {
			one.More = append(one.More, schemaMore{"PropertyValue", f.Name, strings.TrimSpace(f.Value)})
		}
	}
	return one
}

// offer is nil where a variant has no price, or one in no known currency.
func (r *record) offer(v *shopadapter.Variant, address string) *schemaOffer {
	price, ok := parsePrice(v.Price)
	if !ok || r.Currency == "" {
		return nil
	}
	o := &schemaOffer{
		Type: "Offer", Price: json.Number(price.String()), Currency: r.Currency, URL: address,
		Availability: schemaContext + "/" + availability(v, slices.Contains(r.Stamp.Later, v.ID)),
	}
	if _, err := time.Parse(time.DateOnly, v.AvailableAt); err == nil && slices.Contains(r.Stamp.Later, v.ID) {
		o.From = v.AvailableAt
	}
	if address != "" && len(r.Variants) > 1 {
		o.URL += "#" + anchor(v.ID)
	}
	return o
}

func availability(v *shopadapter.Variant, later bool) string {
	switch {
	case v.Quantity <= 0 && !v.Backorders:
		return "OutOfStock"
	case later:
		return "PreOrder"
	case v.Quantity <= 0:
		return "BackOrder"
	default:
		return "InStock"
	}
}

func schemaName(kind, name string) *schemaNamed {
	if name == "" {
		return nil
	}
	return &schemaNamed{kind, name}
}

// quantity is nil for a figure that could not be converted.
func quantity(figure, unit string) *schemaQuantity {
	if figure == "" {
		return nil
	}
	return &schemaQuantity{"QuantitativeValue", json.Number(figure), unit}
}

// isGTIN reports whether a number is a GTIN of 8, 12, 13 or 14 digits with its check digit: another
// one makes a feed refuse the product.
func isGTIN(number string) bool {
	if !slices.Contains([]int{8, 12, 13, 14}, len(number)) {
		return false
	}
	sum := 0
	for i, c := range []byte(number) {
		if c < '0' || c > '9' {
			return false
		}
		weight := 1
		if (len(number)-i)%2 == 0 {
			weight = 3
		}
		sum += weight * int(c-'0')
	}
	return sum%10 == 0
}
