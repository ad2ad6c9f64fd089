package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

const (
	mostStarts    = 4   // of one reading
	mostPages     = 500 // of one publication
	largeListing  = 100 // variants and images
	usualVariants = 20  // where their number is not known
	usualImages   = 12

	opRead = "read publication"
)

// Fields of the specification. The SKU tells which variant of the listing one is.
var (
	productDetails = []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
	variantDetails = slices.Concat([]string{"sku"}, productDetails,
		[]string{"caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial"})
)

// has returns fields that the server is not known to lack.
func (d Dialect) has(place string, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return d.lacks(place, f) })
}

// variantDetails returns the fields to ask for, nil where no SKU tells variants apart.
func (d Dialect) variantDetails() []string {
	fields := d.has(inDetails, variantDetails)
	if d.lacks(inProduct, "variants") || len(fields) < 2 || fields[0] != "sku" {
		return nil
	}
	return fields
}

type Expected struct {
	ID       string
	Variants int  // last known; 0: not known
	Details  bool // read details too, if the Config has them
}

// Admit waits for the points of a full reading. End the Admission with [Reader.Publication] or Release.
func (r *Reader) Admit(ctx context.Context, p Priority) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request {
		return r.content(d, Expected{Details: true}, pages{most: usualVariants})
	})
}

var errMoved = errors.New("the publication changed between two pages")

// Publication reads a publication in full, paid from the admission; nil when it is gone. Further pages of a large
// listing wait for all other requests. The reading starts over when updatedAt moves.
func (r *Reader) Publication(ctx context.Context, a *Admission, of Expected) (*Publication, error) {
	defer a.Release()
	for range mostStarts {
		if p, err := r.whole(ctx, a, of); !errors.Is(err, errMoved) {
			return p, err
		}
	}
	return nil, &Error{Op: opRead, Message: "the publication keeps changing while it is read"}
}

func (r *Reader) whole(ctx context.Context, a *Admission, of Expected) (*Publication, error) {
	var whole *Publication
	want := pages{most: cmp.Or(max(of.Variants, 0), usualVariants)}
	for range mostPages {
		page, err := r.page(ctx, a, of, want)
		a.Release() // a further page may wait for points
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil, whole == nil && page == nil:
			return nil, err
		case whole == nil:
			whole = page.begin(of.ID)
		case page == nil || page.Listing == nil || page.UpdatedAt != whole.UpdatedAt:
			return nil, errMoved
		}
		l := whole.Listing
		if l == nil {
			return whole, nil
		}
		if want, err = l.add(page); err != nil {
			return nil, unreadable(opRead, err)
		}
		if !want.goOn() {
			return whole, nil
		}
		if len(l.Variants)+len(l.Images) >= largeListing {
			a = &Admission{priority: max(a.priority, Refresh)}
		}
		want.most = largestPage
	}
	return nil, &Error{Op: opRead, Message: "the publication has too many pages"}
}

// pages are asked for together: without cursors the first of each connection and all else, else those behind them.
type pages struct {
	variants, images, details string // cursors; details: of the product's variants
	most                      int    // entries of a page that are expected
}

func (s pages) goOn() bool { return s.variants+s.images+s.details != "" }

func (r *Reader) detailed(of Expected) bool { return r.o.Details && of.Details }

// content requests pages as large as the points allow.
func (r *Reader) content(d Dialect, of Expected, s pages) request {
	build := func(n int) request { return r.contentOf(d, of, s, n) }
	return build(r.fit(s.most, build))
}

func (r *Reader) contentOf(d Dialect, of Expected, s pages, size int) request {
	name, about, listing, product := "MoreContent", part{}, part{}, part{}
	first, images, detailed := !s.goOn(), size, r.detailed(of)
	if first {
		name, about, product = "Content", scalars("status productUrl"), scalars("id")
		images = max(1, usualImages*size/s.most) // all lists shrink in proportion
		listing = join(scalars("id dropshippingReturns"), scalars("path name").in("category"),
			scalars("countryGroup fixedCosts variableCosts estimatedShippingDays").in("dropshippingShippingDetails"))
		var texts part
		for _, language := range d.Languages {
			texts = join(texts, scalars("title description").in(language))
		}
		if texts.text != "" {
			listing = join(listing, texts.in("translations"))
		}
		if detailed {
			product = join(product, scalars(d.has(inProduct, productDetails)...))
		}
	}
	if first || s.variants != "" {
		listing = join(listing, d.connection("variants", size, s.variants, "", join(
			scalars("id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy"),
			scalars("name value").in("options"))))
	}
	if first || s.images != "" {
		listing = join(listing, d.connection("images", images, s.images, ",sort:POSITION_ASC",
			part{d.picture(r.o.Pictures), 1}))
	}
	if fields := d.variantDetails(); detailed && fields != nil && (first || s.details != "") {
		product = join(product, d.connection("variants", size, s.details, "", scalars(fields...)))
	}
	if product.text != "" {
		listing = join(listing, product.in("product"))
	}
	q := query(opRead, name, publication(of.ID, join(scalars("updatedAt"), about, listing.in("listing"))))
	q.cursor, q.own, q.spare, q.bytes = !first, true, true, productAnswer
	return q
}

func (r *Reader) page(ctx context.Context, a *Admission, of Expected, want pages) (*contentPage, error) {
	page, answer, err := fetch[contentPage](ctx, r, a, func(d Dialect) request { return r.content(d, of, want) })
	switch {
	case about(err).absent:
		return nil, nil //nolint:nilnil // it is gone
	case err != nil || page == nil: // null: it is gone
		return nil, err
	case page.UpdatedAt == "":
		return nil, unreadable(opRead, nil)
	}
	d := answer.dialect
	page.asked, page.spared, page.languages, page.detailed = want, answer.spared, d.Languages, r.detailed(of)
	page.original = d.picture(r.o.Pictures) == originalURL
	page.listed = page.detailed && d.variantDetails() != nil && (!want.goOn() || want.details != "")
	return page, nil
}

// TryContent reads a publication as the worker does, with one variant and picture; nil when it is gone.
func (r *Reader) TryContent(ctx context.Context, id string) (*Publication, error) {
	of := Expected{ID: id, Details: true}
	page, err := r.page(ctx, &Admission{priority: Urgent}, of, pages{most: 1})
	if err != nil || page == nil {
		return nil, err
	}
	whole := page.begin(id)
	if whole.Listing != nil {
		_, err = whole.Listing.add(page)
	}
	return whole, err
}

// FiguresFit reports whether a page has room for one more variant, so that a new one shows.
func (r *Reader) FiguresFit(variants int) bool { return variants < largestPage }

// AdmitFigures waits for the points of [Reader.Figures]. End the Admission with it or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of Expected) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request { return figuresOf(d, of) })
}

// Figures reads prices and stock, paid from the admission. Where they do not show they are not Whole.
func (r *Reader) Figures(ctx context.Context, a *Admission, of Expected) (f Figures, err error) {
	defer a.Release()
	p, _, err := fetch[contentPage](ctx, r, a, func(d Dialect) request { return figuresOf(d, of) })
	switch {
	case err != nil && !isOwn(err):
		return f, err
	case err != nil || p == nil || p.UpdatedAt == "" || p.Listing == nil || p.Listing.Variants == nil:
		return f, nil
	}
	items, nulls := p.Listing.Variants.items()
	f = Figures{UpdatedAt: p.UpdatedAt, Whole: nulls == 0 && len(items) < figuresPage(of)}
	for _, v := range items {
		f.Variants = append(f.Variants, v.Variant)
	}
	return f, nil
}

// figuresPage returns one more than the last known number: a full page may lack some.
func figuresPage(of Expected) int { return min(of.Variants+1, largestPage) }

// figuresOf leaves out pageInfo, which costs as much as a variant.
func figuresOf(d Dialect, of Expected) request {
	first := figuresPage(of)
	entries := d.entries(first, scalars("id dropshippingPrice msrp inventoryQuantity inventoryPolicy"))
	variants := entries.in(fmt.Sprintf("variants(first:%d)", first)).in("listing")
	q := query("read figures", "Figures", publication(of.ID, join(scalars("updatedAt"), variants)))
	q.own = true
	return q
}
