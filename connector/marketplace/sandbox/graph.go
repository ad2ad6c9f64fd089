package sandbox

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// timestamp is ISO 8601 in UTC with microseconds.
func timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

// spell is a status as the schema has it.
func (o Options) spell(status string) string {
	if o.Status == StatusEnumUpper {
		return strings.ToUpper(status)
	}
	return status
}

type publicationNode struct{ r *record }

func (n publicationNode) resolve(x *execution, f *field) (any, error) {
	switch f.name {
	case "id":
		return n.r.ID, nil
	case "status":
		return x.m.opts.spell(n.r.Status), nil
	case "listing":
		if !slices.Contains(x.content, n.r.ID) {
			x.content = append(x.content, n.r.ID)
		}
		if n.r.Listing == nil {
			return nil, nil
		}
		return listingNode{n.r, n.r.Listing}, nil
	case "productUrl":
		return text(n.r.ProductURL), nil
	case "createdAt":
		return timestamp(n.r.CreatedAt), nil
	default:
		return timestamp(n.r.UpdatedAt), nil
	}
}

type listingNode struct {
	r *record
	l *Listing
}

func (n listingNode) resolve(x *execution, f *field) (any, error) {
	switch f.name {
	case "id":
		return n.l.ID, nil
	case "translations":
		return n.l.translations(), nil
	case "category":
		return x.category(n.l.Category), nil
	case "dropshippingShippingDetails":
		if x.m.opts.OneShipping {
			if len(n.l.Shipping) == 0 {
				return nil, nil
			}
			return x.shipping(n.l.Shipping[0]), nil
		}
		return nodes(n.l.Shipping, x.shipping), nil
	case "dropshippingReturns":
		if !x.m.opts.StringReturns {
			yes, err := strconv.ParseBool(n.l.Returns)
			if err != nil {
				return nil, nil //nolint:nilerr // a word that is neither is no Boolean
			}
			return yes, nil
		}
		return text(n.l.Returns), nil
	case "variants":
		return numbered(
			x, f, n.l.Variants, func(i int) int { return n.r.marks[i].number },
			func(v Variant) node { return variantNode{&v} },
		)
	case "images":
		return imagesOf(x, f, n.l)
	default: // product
		if x.m.opts.DenyProduct {
			return nil, errors.New("access denied for field product on type Listing")
		}
		return productNode(n), nil
	}
}

// translations answers Translations. A language without texts is null.
func (l *Listing) translations() node {
	all := facts{}
	for lang, t := range l.Texts {
		all[lang] = facts{"title": text(t.Title), "description": text(t.Description)}
	}
	return all
}

func (x *execution) shipping(s Shipping) node {
	n := facts{
		"countryGroup":  text(s.CountryGroup),
		"fixedCosts":    text(s.FixedCosts),
		"variableCosts": text(s.VariableCosts),
	}
	switch {
	case s.Days == 0:
	case x.m.opts.StringShippingDays:
		n["estimatedShippingDays"] = strconv.Itoa(s.Days)
	default:
		n["estimatedShippingDays"] = s.Days
	}
	return n
}

type variantNode struct{ v *Variant }

func (n variantNode) resolve(_ *execution, f *field) (any, error) {
	switch f.name {
	case "options":
		return nodes(n.v.Options, func(o Option) node { return facts{"name": o.Name, "value": o.Value} }), nil
	case "dropshippingPrice":
		return text(n.v.Cost), nil
	default:
		return n.v.common(f.name), nil
	}
}

// common is what a listing's and a product's variant have both.
func (v *Variant) common(name string) any {
	switch name {
	case "id":
		return v.ID
	case "title":
		values := make([]string, len(v.Options))
		for i, o := range v.Options {
			values[i] = o.Value
		}
		return text(strings.Join(values, " / "))
	case "msrp":
		return text(v.MSRP)
	case "sku":
		return text(v.SKU)
	case "ean":
		return text(v.EAN)
	case "inventoryQuantity":
		return v.Quantity
	default: // inventoryPolicy
		if v.Policy == "" {
			return policyDeny
		}
		return v.Policy
	}
}

type productNode struct {
	r *record
	l *Listing
}

func (n productNode) resolve(x *execution, f *field) (any, error) {
	switch f.name {
	case "id":
		return n.l.ProductID, nil
	case "title", "description":
		for _, lang := range x.m.opts.languages() {
			if t, ok := n.l.Texts[lang]; ok {
				if f.name == "title" {
					return text(t.Title), nil
				}
				return text(t.Description), nil
			}
		}
		return nil, nil
	case "brand":
		return text(n.l.Brand), nil
	case "option1", "option2", "option3":
		if names, i := n.l.optionNames(), int(f.name[6]-'1'); i < len(names) {
			return names[i], nil
		}
		return nil, nil
	case "featuredImage":
		if len(n.l.Pictures) == 0 {
			return nil, nil
		}
		return imageNode{n.l.ID, 0, n.l.Pictures[0]}, nil
	case "images":
		return imagesOf(x, f, n.l)
	case "weight", "length", "width", "height", "diameter", "volume":
		return n.l.Details.field(f.name), nil
	default: // variants
		if x.m.opts.DenyProductVariants {
			return nil, errors.New("access denied for field variants on type Product")
		}
		return numbered(x, f, marked(n.l), func(i int) int { return n.r.marks[i].number },
			func(i int) node { return productVariantNode{n.r, n.l, i} })
	}
}

// marked lists the indexes of a listing's variants.
func marked(l *Listing) []int {
	out := make([]int, len(l.Variants))
	for i := range out {
		out[i] = i
	}
	return out
}

type productVariantNode struct {
	r *record
	l *Listing
	i int
}

func (n productVariantNode) resolve(_ *execution, f *field) (any, error) {
	v := &n.l.Variants[n.i]
	switch f.name {
	case "product":
		return productNode{n.r, n.l}, nil
	case "price":
		return text(v.Cost), nil
	case "createdAt":
		return timestamp(n.r.CreatedAt), nil
	case "updatedAt":
		return timestamp(n.r.marks[n.i].at), nil
	case "id", "title", "msrp", "sku", "ean", "inventoryQuantity", "inventoryPolicy":
		return v.common(f.name), nil
	case "brand":
		return text(n.l.Brand), nil
	default:
		return v.Details.field(f.name), nil
	}
}

// field is one of the details, by its name in the schema; null where there is none.
func (d Details) field(name string) any {
	words := func(list []string) any {
		if len(list) == 0 {
			return nil
		}
		return list
	}
	switch name {
	case "tags":
		return words(d.Tags)
	case "filterMaterial":
		return words(d.Materials)
	case "caseQuantity":
		if d.CaseQuantity == 0 {
			return nil
		}
		return d.CaseQuantity
	}
	return text(map[string]string{
		"weight": d.Weight, "length": d.Length, "width": d.Width, "height": d.Height, "diameter": d.Diameter,
		"volume": d.Volume, "madeIn": d.MadeIn, "leadTime": d.LeadTime, "availableAt": d.AvailableAt,
	}[name])
}

// imageNode is a picture of a listing, by its position.
type imageNode struct {
	listing string
	i       int
	p       Picture
}

func imagesOf(x *execution, f *field, l *Listing) (any, error) {
	positions := make([]imageNode, len(l.Pictures))
	for i, p := range l.Pictures {
		positions[i] = imageNode{l.ID, i, p}
	}
	return numbered(x, f, positions, func(i int) int { return i }, func(n imageNode) node { return n })
}

func (n imageNode) resolve(x *execution, f *field) (any, error) {
	address := n.p.URL
	if address == "" {
		address = x.base + picturePath(n.listing, n.i)
	}
	if nulls := x.m.opts.NullOriginals; f.name == "originalUrl" && nulls != nil && nulls(address) {
		return nil, nil //nolint:nilnil // null is a value
	}
	if f.name == "originalUrl" || n.p.URL != "" {
		return address, nil
	}
	query := url.Values{}
	for _, side := range []string{"width", "height"} {
		if v := x.arg(f, side); v != nil {
			query.Set(side, strconv.Itoa(asInt(v)))
		}
	}
	if method := asString(x.arg(f, "method")); method != "" {
		query.Set("method", strings.ToLower(method))
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address, nil
}
