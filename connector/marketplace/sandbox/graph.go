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

var errNotFound = errors.New("Publication not found") //nolint:staticcheck,revive // the words of a server

func timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

func (x *execution) query() object {
	m := x.m
	return object{
		"account": object{"name": "Sandbox retailer", "type": "RETAILER", "slug": x.account},
		"publication": func(f *ast.Field) (any, error) {
			if r := m.live(asString(x.args(f)["id"])); r != nil {
				return x.publication(r), nil
			} else if m.opts.Gone != GoneNull {
				return nil, errNotFound
			}
			return nil, nil //nolint:nilnil // null is a value
		},
		"publications": x.publications, "productVariants": x.productVariants,
		"channels": func(f *ast.Field) (any, error) {
			channel := object{"id": "channel-" + m.opts.Account, "name": "Web shop", "url": m.opts.ChannelURL}
			return numbered(x, f, []object{channel}, func(int) object { return channel })
		},
		"webhooks": func(f *ast.Field) (any, error) {
			all := m.Webhooks()
			return numbered(x, f, all, func(i int) object { return all[i].object() })
		},
		"categories": func() any { return objects(shelf().Categories, x.category) },
		"__schema":   func() any { return schemaObject(m.schema) },
	}
}

func (x *execution) publication(r *record) object {
	return object{
		"id": r.ID, "status": x.m.opts.spell(r.Status), "productUrl": r.ProductURL,
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
		translations[lang] = object{"title": t.Title, "description": t.Description}
	}
	return object{
		"id": l.ID, "translations": translations, "dropshippingReturns": l.Returns,
		"category": x.categoryAt(l.Category),
		"product":  func() any { return x.product(r) },
		"images": func(f *ast.Field) (any, error) {
			return numbered(x, f, l.Pictures, func(i int) object { return x.image(l, i) })
		},
		"dropshippingShippingDetails": objects(l.Shipping, func(s Shipping) object {
			return object{
				"countryGroup": s.CountryGroup, "fixedCosts": s.FixedCosts, "variableCosts": s.VariableCosts,
				"estimatedShippingDays": number(s.Days),
			}
		}),
		"variants": func(f *ast.Field) (any, error) {
			return numbered(x, f, l.Variants, func(i int) object {
				v := l.Variants[i]
				o := v.object()
				o["dropshippingPrice"] = v.Cost
				o["options"] = objects(v.Options, func(o Option) object { return object{"name": o.Name, "value": o.Value} })
				return o
			})
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
		policy = "DENY"
	}
	return object{
		"id": v.ID, "title": strings.Join(values, " / "), "msrp": v.MSRP, "sku": v.SKU,
		"ean": v.EAN, "inventoryQuantity": v.Quantity, "inventoryPolicy": policy,
	}
}

func (x *execution) product(r *record) object {
	l := r.Listing
	o := l.Details.object()
	o["id"], o["brand"], o["title"] = l.ProductID, l.Brand, l.anyTitle()
	o["variants"] = func(f *ast.Field) (any, error) {
		return numbered(x, f, l.Variants, func(i int) object { return x.productVariant(r, i) })
	}
	return o
}

func (x *execution) productVariant(r *record, i int) object {
	v := r.Listing.Variants[i]
	o := v.object()
	maps.Copy(o, v.Details.object())
	o["brand"], o["price"] = r.Listing.Brand, v.Cost
	o["createdAt"], o["updatedAt"] = timestamp(r.CreatedAt), timestamp(r.changed[i])
	o["product"] = func() any { return x.product(r) }
	return o
}

func (d Details) object() object {
	o := object{
		"weight": d.Weight, "length": d.Length, "width": d.Width, "height": d.Height,
		"diameter": d.Diameter, "volume": d.Volume, "caseQuantity": number(d.CaseQuantity),
		"madeIn": d.MadeIn, "leadTime": d.LeadTime, "availableAt": d.AvailableAt,
	}
	if len(d.Tags) > 0 {
		o["tags"] = d.Tags
	}
	if len(d.Materials) > 0 {
		o["filterMaterial"] = d.Materials
	}
	return o
}

func number(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// image is a listing's picture, by its position. The address of a resized one says how.
func (x *execution) image(l *Listing, i int) object {
	address := l.Pictures[i].URL
	if address != "" {
		return object{"originalUrl": address, "thumbnailUrl": address, "transformedUrl": address}
	}
	address = x.base + picturePath(l.ID, i)
	resized := func(f *ast.Field) (any, error) {
		args, query := x.args(f), url.Values{}
		for _, side := range []string{"width", "height"} {
			if v := args[side]; v != nil {
				query.Set(side, strconv.Itoa(asInt(v)))
			}
		}
		if method := asString(args["method"]); method != "" {
			query.Set("method", strings.ToLower(method))
		}
		return strings.TrimSuffix(address+"?"+query.Encode(), "?"), nil
	}
	return object{"originalUrl": address, "thumbnailUrl": resized, "transformedUrl": resized}
}

// categoryAt is the category with a path. One that is not in the tree, since categories come and go,
// has a path and nothing else.
func (x *execution) categoryAt(path string) any {
	all := shelf().Categories
	i := slices.IndexFunc(all, func(c category) bool { return c.Path == path })
	switch {
	case path == "":
		return nil
	case i < 0:
		return object{"path": path}
	default:
		return x.category(all[i])
	}
}

func (x *execution) category(c category) object {
	o := object{"path": c.Path, "name": c.Names["en"], "depth": c.Depth, "parent": x.categoryAt(c.Parent)}
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
