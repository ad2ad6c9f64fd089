package form

import "slices"

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

// Details are those that this server has, as far as is known.
func (f Forms) Details() (d Details) {
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
