package sandbox

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// errNotFound is an error with a code of its own.
var errNotFound = errors.New("Publication not found") //nolint:staticcheck,revive // the words of a server

// timestamp is ISO 8601 in UTC with microseconds.
func timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

// query answers Query.
func (x *execution) query() object {
	m := x.m
	one := func(f func(id string) *record, of func(*record) object, missing error) lazy {
		return func(asked *field) (any, error) {
			if r := f(asString(asked.args["id"])); r != nil {
				return of(r), nil
			}
			return nil, missing
		}
	}
	gone := errNotFound
	if m.opts.Gone == GoneNull {
		gone = nil
	}
	return object{
		"account":      object{"name": "Sandbox retailer", "type": "RETAILER", "slug": x.account},
		"publication":  one(m.live, x.publication, gone),
		"product":      one(m.ofProduct, x.product, nil),
		"publications": x.publications, "productVariants": x.productVariants,
		"channels": func(f *field) (any, error) {
			channel := object{"id": "channel-" + m.opts.Account, "name": "Web shop", "url": m.opts.ChannelURL}
			return x.page(f, numbered([]object{channel}, func(_ int, o object) object { return o }))
		},
		"webhooks": func(f *field) (any, error) {
			return x.page(f, numbered(m.courier.registrations(), func(_ int, w Webhook) object { return w.object() }))
		},
		"categories": func() any { return objects(shelf().Categories, x.category) },
		"__schema":   func() any { return schemaObject(m.schema) },
		"__type": func(f *field) (any, error) {
			if name := asString(f.args["name"]); m.schema.Types[name] != nil {
				return typeObject(m.schema, ast.NamedType(name, nil)), nil
			}
			return nil, nil //nolint:nilnil // null is a value
		},
	}
}

func (x *execution) publication(r *record) object {
	return object{
		"id": r.ID, "status": x.m.opts.spell(r.Status), "productUrl": text(r.ProductURL),
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
		"listing": func() any {
			if !slices.Contains(x.content, r.ID) {
				x.content = append(x.content, r.ID)
			}
			if r.Listing == nil {
				return nil
			}
			return x.listing(r)
		},
	}
}

func (x *execution) listing(r *record) object {
	l := r.Listing
	translations := object{}
	for lang, t := range l.Texts {
		translations[lang] = object{"title": text(t.Title), "description": text(t.Description)}
	}
	return object{
		"id": l.ID, "translations": translations, "dropshippingReturns": text(l.Returns),
		"category": x.categoryAt(l.Category), "images": x.images(l),
		"product": func() any { return x.product(r) },
		"dropshippingShippingDetails": objects(l.Shipping, func(s Shipping) object {
			return object{
				"countryGroup": text(s.CountryGroup), "fixedCosts": text(s.FixedCosts), "variableCosts": text(s.VariableCosts),
				"estimatedShippingDays": number(s.Days),
			}
		}),
		"variants": func(f *field) (any, error) {
			return x.page(f, numbered(l.Variants, func(_ int, v Variant) object {
				o := v.object()
				o["dropshippingPrice"] = text(v.Cost)
				o["options"] = objects(v.Options, func(o Option) object { return object{"name": o.Name, "value": o.Value} })
				return o
			}))
		},
	}
}

// object is what a listing's and a product's variant have both.
func (v Variant) object() object {
	values := make([]string, len(v.Options))
	for i, o := range v.Options {
		values[i] = o.Value
	}
	policy := v.Policy
	if policy == "" {
		policy = policyDeny
	}
	return object{
		"id": v.ID, "title": text(strings.Join(values, " / ")), "msrp": text(v.MSRP), "sku": text(v.SKU),
		"ean": text(v.EAN), "inventoryQuantity": v.Quantity, "inventoryPolicy": policy,
	}
}

func (x *execution) product(r *record) object {
	l := r.Listing
	o := object{"id": l.ProductID, "brand": text(l.Brand), "images": x.images(l)}
	maps.Copy(o, l.Details.object())
	for _, lang := range x.m.opts.languages() {
		if t, ok := l.Texts[lang]; ok {
			o["title"], o["description"] = text(t.Title), text(t.Description)
			break
		}
	}
	for i, name := range l.optionNames() {
		o["option"+strconv.Itoa(i+1)] = name
	}
	if len(l.Pictures) > 0 {
		o["featuredImage"] = x.image(l, 0)
	}
	o["variants"] = func(f *field) (any, error) {
		return x.page(f, numbered(l.Variants, func(i int, _ Variant) object { return x.productVariant(r, i) }))
	}
	return o
}

func (x *execution) productVariant(r *record, i int) object {
	v := r.Listing.Variants[i]
	o := v.object()
	maps.Copy(o, v.Details.object())
	o["brand"], o["price"] = text(r.Listing.Brand), text(v.Cost)
	o["createdAt"], o["updatedAt"] = timestamp(r.CreatedAt), timestamp(r.changed[i])
	o["product"] = func() any { return x.product(r) }
	return o
}

func (d Details) object() object {
	o := object{
		"weight": text(d.Weight), "length": text(d.Length), "width": text(d.Width), "height": text(d.Height),
		"diameter": text(d.Diameter), "volume": text(d.Volume), "caseQuantity": number(d.CaseQuantity),
		"madeIn": text(d.MadeIn), "leadTime": text(d.LeadTime), "availableAt": text(d.AvailableAt),
	}
	if len(d.Tags) > 0 {
		o["tags"] = d.Tags
	}
	if len(d.Materials) > 0 {
		o["filterMaterial"] = d.Materials
	}
	return o
}

// number is an Int that is null where it is zero.
func number(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (x *execution) images(l *Listing) lazy {
	return func(f *field) (any, error) {
		return x.page(f, numbered(l.Pictures, func(i int, _ Picture) object { return x.image(l, i) }))
	}
}

// image is a listing's picture, by its position.
func (x *execution) image(l *Listing, i int) object {
	address, drawn := l.Pictures[i].URL, false
	if address == "" {
		address, drawn = x.base+picturePath(l.ID, i), true
	}
	resized := func(f *field) (any, error) {
		query := url.Values{}
		for _, side := range []string{"width", "height"} {
			if v := f.args[side]; v != nil {
				query.Set(side, strconv.Itoa(asInt(v)))
			}
		}
		if method := asString(f.args["method"]); method != "" {
			query.Set("method", strings.ToLower(method))
		}
		if !drawn || len(query) == 0 {
			return address, nil
		}
		return address + "?" + query.Encode(), nil
	}
	return object{"originalUrl": address, "thumbnailUrl": resized, "transformedUrl": resized}
}

// categoryAt is the category with a path. One that is not in the tree, since categories come and go,
// has a path and nothing else.
func (x *execution) categoryAt(path string) any {
	if path == "" {
		return nil
	}
	for _, c := range shelf().Categories {
		if c.Path == path {
			return x.category(c)
		}
	}
	return object{"path": path}
}

func (x *execution) category(c category) object {
	o := object{"path": c.Path, "name": text(c.Names["en"]), "depth": c.Depth, "parent": x.categoryAt(c.Parent)}
	if name := c.Names[x.lang]; name != "" {
		o["translation"] = object{"name": name}
	}
	return o
}

// language is the language of translated names that an Accept-Language header names first, en where
// there is none of it.
func language(header string) string {
	if tag := strings.ToLower(header[:min(len(header), 2)]); slices.Contains(languages, tag) {
		return tag
	}
	return "en"
}
