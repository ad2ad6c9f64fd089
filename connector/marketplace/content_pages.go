package marketplace

import (
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// pages says which pages a content document asks for: first of each connection, 0 for none.
type pages struct {
	variants, images, details                int // details: of the product's variants
	afterVariants, afterImages, afterDetails string

	before string // in which way the pictures were last written, see pictured
}

// goOn reports whether a page follows another one.
func (s pages) goOn() bool {
	return s.afterVariants != "" || s.afterImages != "" || s.afterDetails != ""
}

// firstPages plans the first page: as many variants as are expected, rounded up to a step, and as
// many images as nearly every listing has, as far as the points allow. Where it is not known how
// many variants to expect, it is as many as nearly every listing has.
func (r *Reader) firstPages(f Forms, of Expected) (first pages) {
	budget := r.conn.Plan()
	want := r.manyVariants.Page(0)
	if of.Variants > 0 {
		want = cost.Steps[cost.Step(of.Variants)]
	}
	images := r.conn.Costs.Page(r.manyImages.Page(0))
	s := pages{images: images, before: of.Pictured}
	each := 0 // a product has as many variants as its listing
	if r.details && f.Details().Variant != nil {
		each = 1
	}
	build := func(n int) document.Document {
		return r.contentDocument(f, pages{variants: n, images: s.images, details: n * each, before: s.before})
	}
	defer func() { first.details = first.variants * each }()
	s.variants = r.conn.Costs.Fit(budget, want, build)
	if s.variants < min(want, 5) {
		s.images = 1
		s.variants = r.conn.Costs.Fit(budget, max(want/2, 1), build)
		s.images = r.conn.Costs.Fit(
			budget, images,
			func(n int) document.Document {
				return r.contentDocument(
					f,
					pages{variants: s.variants, images: n, details: s.variants * each, before: s.before},
				)
			},
		)
	}
	return s
}

// nextPages plans a further page of the connections that go on; left is how many entries of each
// are still expected.
func (r *Reader) nextPages(f Forms, after, left pages) pages {
	s := after
	if s.images > 0 {
		s.images = r.conn.Costs.Page(left.images)
	}
	if s.details > 0 {
		s.details = r.conn.Costs.Fit(r.conn.Plan()/2, max(left.details, 1), func(n int) document.Document {
			return r.contentDocument(f, pages{details: n, afterDetails: s.afterDetails})
		})
	}
	switch {
	case s.variants == 0 && s.images == 0:
		return s
	case s.variants == 0:
		s.images = r.conn.Costs.Fit(r.conn.Plan(), s.images, func(n int) document.Document {
			t := s
			t.images = n
			return r.contentDocument(f, t)
		})
		return s
	}
	want := min(left.variants+left.variants/8+1, cost.LargestPage)
	fit := func() int {
		return r.conn.Costs.Fit(r.conn.Plan(), want, func(n int) document.Document {
			t := s
			t.variants = n
			return r.contentDocument(f, t)
		})
	}
	if s.variants = fit(); s.variants < min(want, cost.AssumedVariants) && s.images > 1 {
		s.images = 1 + s.images/8
		s.variants = fit()
	}
	return s
}

// contentDocument is the document for the pages given; that for a first page is made once.
func (r *Reader) contentDocument(f Forms, s pages) document.Document {
	if s.goOn() {
		return r.newContentDocument(f, s)
	}
	return r.contents.get(firstPage{s, f.NoOriginal}, func() document.Document { return r.newContentDocument(f, s) })
}

// newContentDocument is the document with the details that are wanted.
func (r *Reader) newContentDocument(f Forms, s pages) document.Document {
	return contentDocument(f, s, r.wantedDetails(f, s), r.pictured(f, s.before))
}

// wantedDetails are those that a request for some pages asks for.
func (r *Reader) wantedDetails(f Forms, s pages) (details form.Details) {
	if r.details {
		details = f.Details()
	}
	if s.details == 0 {
		details.Variant = nil
	}
	return details
}

// A firstPage is what decides the document for a first page.
type firstPage struct {
	pages
	noOriginal bool
}

// contents keeps the documents for first pages.
type contents struct {
	mu   sync.Mutex
	made map[firstPage]document.Document
}

func (c *contents) get(p firstPage, build func() document.Document) document.Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made = make(map[firstPage]document.Document)
	}
	d, ok := c.made[p]
	if !ok {
		d = build().Keep()
		c.made[p] = d
	}
	return d
}

// contentDocument asks for the pages given, and on the first also for everything else, each thing
// once.
func contentDocument(f Forms, s pages, details form.Details, pictures pictured) document.Document {
	d := document.Document{Kind: "query", Name: "Content", Vars: []string{"$id:" + f.IDType + "!"}}
	var listing, publication []document.Field
	product := document.Scalars(append([]string{"id"}, details.Product...)...)
	if s.goOn() {
		product = nil
	}
	if s.details > 0 && len(details.Variant) > 0 {
		more := ""
		if s.afterDetails != "" {
			d.Vars = append(d.Vars, "$afterDetails:String!")
			more = "after:$afterDetails"
		}
		of := document.Scalars(details.Variant...)
		product = append(product, f.Connection("variants", form.ProductVariants, s.details, more, of...))
	}
	if !s.goOn() {
		publication = document.Scalars("status", "productUrl", "updatedAt")
		listing = document.Scalars("id", "dropshippingReturns")
		if len(f.Languages) > 0 {
			var languages []document.Field
			for _, language := range f.Languages {
				languages = append(
					languages,
					document.Object(language, "", document.Scalars("title", "description")...),
				)
			}
			listing = append(listing, document.Object("translations", "", languages...))
		}
		listing = append(
			listing,
			document.Object("category", "", document.Scalars("path", "name")...),
			document.Object(
				"dropshippingShippingDetails",
				"",
				document.Scalars("countryGroup", "fixedCosts", "variableCosts", "estimatedShippingDays")...),
		)
	} else {
		d.Name = "MoreContent"
		publication = document.Scalars("updatedAt")
	}
	if s.variants > 0 {
		more := ""
		if s.afterVariants != "" {
			d.Vars = append(d.Vars, "$afterVariants:String!")
			more = "after:$afterVariants"
		}
		selection := document.Scalars(
			"id", "title", "dropshippingPrice", "msrp", "sku", "ean", "inventoryQuantity", "inventoryPolicy",
		)
		selection = append(selection, document.Object("options", "", document.Scalars("name", "value")...))
		listing = append(listing, f.Connection("variants", "variant", s.variants, more, selection...))
	}
	if s.images > 0 {
		more := "sort:POSITION_ASC"
		if s.afterImages != "" {
			d.Vars = append(d.Vars, "$afterImages:String!")
			more = "after:$afterImages," + more
		}
		listing = append(listing, f.Connection("images", "image", s.images, more, pictures.fields(f)...))
	}
	if len(product) > 0 {
		listing = append(listing, document.Object("product", "", product...))
	}
	publication = append(publication, document.Object("listing", "", listing...))
	d.Body = []document.Field{document.Object("publication", "id:$id", publication...)}
	return d
}
