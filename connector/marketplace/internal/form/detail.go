package form

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Details are the fields that a content document asks of a listing's product beside its id. They
// may be left out: a product is whole without.
type Details struct {
	Product []string // of the product
	Variant []string // of each of its variants; nil: of none
}

// The types that the fields are of, as the specification calls them.
const (
	productType = "Product"
	variantType = "ProductVariant"
)

// productDetails and variantDetails are what the specification has. A variant's SKU tells which
// variant of the listing it is.
func productDetails() []string {
	return []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
}

func variantDetails() []string {
	return []string{
		"sku", "brand", "caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial",
		"weight", "length", "width", "height", "diameter", "volume",
	}
}

// Details are those that this server has, as far as is known; none where a document is to be
// without.
func (f Forms) Details() (d Details) {
	if f.Bare {
		return d
	}
	d.Product = f.with(productType, productDetails())
	if d.Variant = f.with(variantType, variantDetails()); f.NoDetails[productType+".variants"] ||
		!slices.Contains(d.Variant, "sku") || len(d.Variant) == 1 {
		d.Variant = nil
	}
	return d
}

// ofProduct is all that a document may ask of a product.
func ofProduct() []string { return append(productDetails(), "variants") }

// with is the names of a type's fields that this server has.
func (f Forms) with(of string, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return f.NoDetails[of+"."+name] })
}

// Selected is how a document begins to ask for the details that this server has.
func (f Forms) Selected() string { return "product{id " + strings.Join(f.Details().Product, " ") }

// onType finds a field and the type that lacks it, in the words of the usual servers.
var onType = regexp.MustCompile("(?i)field [\"'`]?(\\w+)[\"'`]?[^\"'`]{0,30}\\btype [\"'`]?(\\w+)")

// WithoutDetails is f without the details that a schema lacks according to an objection. ok is
// false where that leaves out no more than before. An objection that names no type is believed of
// the product first, and of the variant when it comes again.
func (f Forms) WithoutDetails(missing map[string]bool, text string) (g Forms, ok bool) {
	g = f
	g.NoDetails = maps.Clone(f.NoDetails)
	if g.NoDetails == nil {
		g.NoDetails = make(map[string]bool)
	}
	named := make(map[string]bool)
	for _, match := range onType.FindAllStringSubmatch(text, 100) {
		named[match[2]+"."+match[1]] = true
	}
	for _, part := range []struct {
		of    string
		names []string
	}{{productType, ofProduct()}, {variantType, variantDetails()}} {
		for _, name := range part.names {
			full := part.of + "." + name
			if missing[name] && !g.NoDetails[full] && (len(named) == 0 || named[full]) {
				g.NoDetails[full], ok = true, true
			}
		}
		if ok && len(named) == 0 {
			break
		}
	}
	return g, ok
}

// readDetails records which details a schema lacks.
func (f *Forms) readDetails(types map[string]schemaType, listing schemaType) {
	f.NoDetails = make(map[string]bool)
	product := follow(types, schemaField{Type: typeRef{Name: listing.Name}}, "product")
	for _, name := range ofProduct() {
		if _, there := find(product.Fields, name); !there {
			f.NoDetails[productType+"."+name] = true
		}
	}
	variants, _ := find(product.Fields, "variants")
	variant := f.page(types, variants, ProductVariants)
	for _, name := range variantDetails() {
		if _, there := find(variant.Fields, name); !there {
			f.NoDetails[variantType+"."+name] = true
		}
	}
}

// ProductVariants is the kind of connection of a product's variants.
const ProductVariants = "variant of a product"
