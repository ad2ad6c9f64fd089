package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var errNotFound = errors.New("Publication not found") //nolint:staticcheck,revive // the words of a server

func timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

// shown is the object that a struct is in JSON.
func shown(v any) (o object) {
	_ = json.Unmarshal(encode(v), &o) //nolint:errcheck // it was encoded
	return o
}

func (x *execution) query() object {
	m := x.m
	return object{
		"account": object{"name": "Sandbox retailer", "type": "RETAILER", "slug": x.account},
		"publication": func(a args) (any, error) {
			switch r := m.live(a.text("id")); {
			case r != nil:
				return x.publication(r), nil
			case m.opts.GoneError:
				return nil, errNotFound
			default:
				return nil, nil //nolint:nilnil // null is a value
			}
		},
		"publications": x.publications, "productVariants": x.productVariants,
		"channels": x.numbered(1, func(int) any {
			return object{"id": "channel-" + m.opts.Account, "name": "Web shop", "url": m.opts.ChannelURL}
		}),
		"webhooks":   x.numbered(len(m.hooks), func(i int) any { return shown(m.hooks[i]) }),
		"categories": func(args) (any, error) { return objects(shelf().Categories, x.category), nil },
		"__schema":   func(args) (any, error) { return schemaObject(m.schema), nil },
	}
}

func (x *execution) publication(r *record) object {
	return object{
		"id": r.ID, "status": x.m.opts.spell(r.Status), "productUrl": r.ProductURL,
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
		"listing": func(args) (any, error) {
			if !slices.Contains(x.entry.Content, r.ID) {
				x.entry.Content = append(x.entry.Content, r.ID)
			}
			if r.Listing == nil {
				return nil, nil //nolint:nilnil // null is a value
			}
			return x.listing(r), nil
		},
	}
}

func (x *execution) listing(r *record) object {
	l, o := r.Listing, shown(r.Listing)
	if l.Texts == nil { // none is no null, here and below
		o["translations"] = object{}
	}
	if l.Shipping == nil {
		o["dropshippingShippingDetails"] = []any{}
	}
	delete(o, "dropshippingReturns")
	if returns, err := strconv.ParseBool(l.Returns); err == nil {
		o["dropshippingReturns"] = returns
	}
	o["category"], o["product"] = x.categoryAt(l.Category), x.product(r)
	o["images"] = x.numbered(len(l.Pictures), func(i int) any { return x.image(l, i) })
	o["variants"] = x.numbered(len(l.Variants), func(i int) any { return l.Variants[i].object() })
	return o
}

func (v Variant) object() object {
	values := make([]string, len(v.Options))
	for i, o := range v.Options {
		values[i] = o.Value
	}
	v.Policy, v.Options = cmp.Or(v.Policy, "DENY"), append([]Option{}, v.Options...) // none is no null
	o := shown(v)
	o["title"], o["price"] = strings.Join(values, " / "), v.Cost
	return o
}

func (x *execution) product(r *record) lazy {
	return func(args) (any, error) {
		l := r.Listing
		o := shown(l.Details)
		o["id"], o["brand"], o["title"] = l.ProductID, l.Brand, l.Title()
		o["variants"] = x.numbered(len(l.Variants), func(i int) any { return x.productVariant(r, i) })
		return o, nil
	}
}

func (x *execution) productVariant(r *record, i int) object {
	v := r.Listing.Variants[i]
	o := v.object()
	o["brand"], o["product"] = r.Listing.Brand, x.product(r)
	o["createdAt"], o["updatedAt"] = timestamp(r.CreatedAt), timestamp(r.changed)
	return o
}

// image is a listing's picture, by its position. The address of a resized one says how.
func (x *execution) image(l *Listing, i int) object {
	if at := l.Pictures[i].URL; at != "" {
		return object{"originalUrl": at, "thumbnailUrl": at, "transformedUrl": at}
	}
	address := x.base + "/images/" + url.PathEscape(l.ID) + "-" + strconv.Itoa(i+1) + ".png"
	resized := func(a args) (any, error) {
		query := url.Values{}
		for _, name := range []string{"width", "height", "method"} {
			if a[name] != nil {
				query.Set(name, strings.ToLower(a.text(name)))
			}
		}
		return strings.TrimSuffix(address+"?"+query.Encode(), "?"), nil
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

func (x *execution) category(c category) any {
	return object{
		"path": c.Path, "name": c.Names["en"], "depth": c.Depth, "parent": x.categoryAt(c.Parent),
		"translation": object{"name": cmp.Or(c.Names[x.lang], c.Names["en"])},
	}
}
