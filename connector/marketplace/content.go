package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	mostStarts    = 4   // of one reading
	mostPages     = 500 // of one publication
	largeListing  = 100 // variants and images
	usualVariants = 20  // where their number is not known
	usualImages   = 12
	mostFigured   = 10 // publications in one request, since all wait for its answer

	opRead = "read publication"
)

// Fields of the specification. The SKU tells which variant of the listing one is.
var (
	productDetails = []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
	variantDetails = slices.Concat([]string{"sku"}, productDetails,
		[]string{"caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial"})
)

// has returns fields that the server is not known to lack.
func has(known, fields []string) part {
	return scalars(slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return lacks(known, f) })...)
}

// An Expected is a publication to read.
type Expected struct {
	ID       string
	Variants int  // last known; 0: not known
	Details  bool // read details too, if the Config has them
}

// HasDetails reports whether the Config has details.
func (r *Reader) HasDetails() bool { return r.o.Details }

// Admit waits for the points of a full reading, before the caller chooses the publication. End the Admission with
// [Reader.Publication] or Release.
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
		p, next, err := r.page(ctx, a, of, want, whole)
		a.Release() // a further page may wait for points
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil, !next.goOn():
			return p, err
		}
		if whole = p; len(p.Listing.Variants)+len(p.Listing.Images) >= largeListing {
			a = &Admission{priority: max(a.priority, Refresh)}
		}
		want = next
	}
	return nil, &Error{Op: opRead, Message: "the publication has too many pages"}
}

// pages are asked for together: without a cursor the first of each connection and all else, else those behind the
// cursors.
type pages struct {
	variants, images, details string // cursors; details: of the product's variants
	most                      int    // entries of a page
}

func (s pages) goOn() bool { return s.variants+s.images+s.details != "" }

func (r *Reader) detailed(of Expected) bool { return r.o.Details && of.Details }

// content requests pages as large as the points allow.
func (r *Reader) content(d Dialect, of Expected, s pages) request {
	build := func(n int) request { return r.contentOf(d, of, s, n) }
	return build(r.fit(s.most, build))
}

func (r *Reader) contentOf(d Dialect, of Expected, s pages, n int) request {
	name, about, listing, product := "MoreContent", part{}, part{}, part{}
	first, images, detailed := !s.goOn(), n, r.detailed(of)
	if first {
		name, about, product = "Content", scalars("status productUrl"), scalars("id")
		images = max(1, usualImages*n/s.most) // all lists shrink in proportion
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
			product = join(product, has(d.product, productDetails))
		}
	}
	if first || s.variants != "" {
		listing = join(listing, d.connection("variants", n, s.variants, "", join(
			scalars("id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy"),
			scalars("name value").in("options"))))
	}
	if first || s.images != "" {
		listing = join(listing, d.connection("images", images, s.images, ",sort:POSITION_ASC",
			part{d.picture(r.o.Pictures), 1}))
	}
	if detailed && (first || s.details != "") {
		product = join(product, d.connection("variants", n, s.details, "", has(d.details, variantDetails)))
	}
	if product.text != "" {
		listing = join(listing, product.in("product"))
	}
	q := query(opRead, name, publication(of.ID, join(scalars("updatedAt"), about, listing.in("listing"))))
	q.cursor, q.own, q.bytes = !first, true, productAnswer
	return q
}

// page reads pages into a publication, nil at the first, and returns it with what is left to read; nil when it is
// gone.
func (r *Reader) page(
	ctx context.Context, a *Admission, of Expected, asked pages, whole *Publication,
) (p *Publication, next pages, err error) {
	var d Dialect
	page, _, err := fetch[contentPage](ctx, r, a, func(now Dialect) request {
		d = now
		return r.content(d, of, asked)
	})
	switch {
	case err != nil:
		return nil, next, err
	case whole != nil && (page == nil || page.Listing == nil || page.UpdatedAt != whole.UpdatedAt):
		return nil, next, errMoved
	case page == nil:
		return nil, next, nil
	case page.UpdatedAt == "":
		return nil, next, unreadable(opRead, nil)
	case whole == nil:
		whole = page.begin(of.ID, d.Languages, r.detailed(of))
	}
	if whole.Listing == nil {
		return whole, next, nil
	}
	if next, err = whole.Listing.add(page.Listing, asked); err != nil {
		return nil, next, unreadable(opRead, err)
	}
	next.most = largestPage
	return whole, next, nil
}

// TryContent reads a publication as the worker does, with one variant and picture; nil when it is gone.
func (r *Reader) TryContent(ctx context.Context, id string) (*Publication, error) {
	of := Expected{ID: id, Details: true}
	p, _, err := r.page(ctx, &Admission{priority: Urgent}, of, pages{most: 1}, nil)
	return p, err
}

// FiguresFit reports whether a page has room for one more variant, so that a new one shows.
func (r *Reader) FiguresFit(variants int) bool { return variants < largestPage }

// FitFigures returns how many publications, from the first on, fit in one request.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	most := min(len(of), mostFigured)
	return min(most, r.fit(most, func(n int) request { return figuresOf(d, of[:n]) })), nil
}

// AdmitFigures waits for the points of [Reader.Figures]. End the Admission with it or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request { return figuresOf(d, of) })
}

// Figures reads publications in one request, paid from the admission, and each by itself where one spoils the
// answer or the server refuses several. One missing from the result is to be read in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a, of)
	if len(of) == 1 || !IsObjection(err) {
		return found, err
	}
	a.Release() // each request may wait for points
	found = map[string]Figures{}
	for _, e := range of {
		some, err := r.figures(ctx, a, []Expected{e})
		if err != nil && !IsObjection(err) {
			return nil, err
		}
		maps.Copy(found, some)
	}
	return found, nil
}

func (r *Reader) figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	answer, err := r.ask(ctx, a, func(d Dialect) request { return figuresOf(d, of) })
	if err != nil {
		return nil, err
	}
	found := make(map[string]Figures, len(of))
	for i, e := range of {
		w, err := read[contentPage](answer, alias(i))
		if err != nil || w == nil || w.UpdatedAt == "" || w.Listing == nil || w.Listing.Variants == nil {
			continue
		}
		items, nulls := w.Listing.Variants.items()
		f := Figures{UpdatedAt: w.UpdatedAt, Whole: nulls == 0 && len(items) < figuresPage(e)}
		for _, v := range items {
			f.Variants = append(f.Variants, v.Variant)
		}
		found[e.ID] = f
	}
	return found, nil
}

// figuresPage returns one more than the last known number: a full page may lack some.
func figuresPage(of Expected) int { return min(of.Variants+1, largestPage) }

// alias names one of several publications.
func alias(i int) string { return fmt.Sprintf("a%d", i) }

// figuresOf leaves out pageInfo, which costs as much as a variant.
func figuresOf(d Dialect, of []Expected) request {
	fields := make([]part, len(of))
	for i, e := range of {
		first := figuresPage(e)
		entries := d.entries(first, scalars("id dropshippingPrice msrp inventoryQuantity inventoryPolicy"))
		variants := entries.in(fmt.Sprintf("variants(first:%d)", first)).in("listing")
		fields[i] = publication(e.ID, join(scalars("updatedAt"), variants))
		fields[i].text = alias(i) + ":" + fields[i].text
	}
	q := query("read figures", "Figures", join(fields...))
	q.own, q.root = true, ""
	return q
}
