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
	mostStarts    = 4   // of one reading: the first, and three over again
	mostPages     = 500 // of one publication
	largeListing  = 100 // variants and images, after which further pages wait for all other requests
	usualVariants = 20  // of a publication of which it is not known how many it has
	usualImages   = 12
	mostFigured   = 10 // publications whose figures one request reads, since all wait for its answer

	opRead = "read publication"
)

// The fields of the specification. A variant's SKU tells which variant of the listing it is.
var (
	productDetails = []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
	variantDetails = slices.Concat([]string{"sku"}, productDetails,
		[]string{"caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial"})
)

// has is those of some fields that this server has, as far as is known.
func (d Dialect) has(place string, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return d.lacks(place, f) })
}

// variantDetails is those that this server has, nil where they could not be told apart.
func (d Dialect) variantDetails() []string {
	fields := d.has(inDetails, variantDetails)
	if d.lacks(inProduct, "variants") || len(fields) < 2 || fields[0] != "sku" {
		return nil
	}
	return fields
}

// An Expected is a publication that is to be read, and what is known of it.
type Expected struct {
	ID       string
	Variants int  // it had last; 0: not known
	Details  bool // what the product itself says is read too, where the Config has it
}

// HasDetails reports whether readings have details where they are expected.
func (r *Reader) HasDetails() bool { return r.o.Details }

// Admit waits for the points of reading one publication in full. After that the caller chooses which:
// the most urgent by then. End the Admission with [Reader.Publication] or Release.
func (r *Reader) Admit(ctx context.Context, p Priority) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request {
		of := Expected{Details: true}
		q, _ := r.content(d, of, pages{most: usualVariants})
		return q
	})
}

// errMoved says that the pages read so far and the next one are of different versions.
var errMoved = errors.New("the publication changed between two pages")

// Publication reads a publication in full, paid from the admission; nil when it is gone. Variants and
// images are read page by page to the end, those of a large listing while no other request waits: it
// may cost as much as a hundred others. When updatedAt moves meanwhile the reading starts over.
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

// pages says which pages a request asks for: the first of each connection and everything else, or those
// behind the cursors that are set.
type pages struct {
	variants, images, details string // cursors; details are those of the product's variants
	most, size                int    // entries of a page: expected, and asked for
}

// goOn reports whether the pages follow others.
func (s pages) goOn() bool { return s.variants+s.images+s.details != "" }

func (r *Reader) detailed(of Expected) bool { return r.o.Details && of.Details }

// content is the request for the pages given, as large as the points allow.
func (r *Reader) content(d Dialect, of Expected, s pages) (request, pages) {
	build := func(n int) request {
		s.size = n
		return r.contentOf(d, of, s)
	}
	return build(r.fit(s.most, build)), s
}

func (r *Reader) contentOf(d Dialect, of Expected, s pages) request {
	name, about, listing, product := "MoreContent", part{}, part{}, part{}
	first, images, detailed := !s.goOn(), s.size, r.detailed(of)
	if first {
		name, about, product = "Content", scalars("status productUrl"), scalars("id")
		images = max(1, usualImages*s.size/s.most) // all lists are shorter in proportion
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
		listing = join(listing, d.connection("variants", s.size, s.variants, "", join(
			scalars("id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy"),
			scalars("name value").in("options"))))
	}
	if first || s.images != "" {
		listing = join(listing, d.connection("images", images, s.images, ",sort:POSITION_ASC",
			part{d.picture(r.o.Pictures), 1}))
	}
	if fields := d.variantDetails(); detailed && fields != nil && (first || s.details != "") {
		product = join(product, d.connection("variants", s.size, s.details, "", scalars(fields...)))
	}
	if product.text != "" {
		listing = join(listing, product.in("product"))
	}
	q := query(opRead, name, publication(of.ID, join(scalars("updatedAt"), about, listing.in("listing"))))
	q.cursor, q.own, q.spare, q.bytes = !first, true, true, productAnswer
	return q
}

// page reads the pages of a publication; nil when it is gone.
func (r *Reader) page(ctx context.Context, a *Admission, of Expected, want pages) (*contentPage, error) {
	page, answer, err := fetch[contentPage](ctx, r, a, func(d Dialect) (q request) {
		q, want = r.content(d, of, want)
		return q
	})
	switch {
	case about(err).absent:
		return nil, nil //nolint:nilnil // it is gone
	case err != nil || page == nil: // it is gone where there is none
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

// TryContent reads a publication as the worker does, but for one variant and one picture. It is nil
// where there is no such publication.
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

// FiguresFit reports whether one page has room for so many variants and one more, so that a new
// variant shows.
func (r *Reader) FiguresFit(variants int) bool { return variants < largestPage }

// FitFigures is how many publications, from the first of them on, one request reads the figures of.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	most := min(len(of), mostFigured)
	return min(most, r.fit(most, func(n int) request { return figuresOf(d, of[:n]) })), nil
}

// AdmitFigures waits for the points of reading the figures of as many publications as fit. End the
// admission with [Reader.Figures] or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request { return figuresOf(d, of) })
}

// Figures reads the figures of publications in one request, paid from the admission, and each by
// itself where one of them spoils the answer or the server refuses several. One that no answer shows is
// missing: it is to be read in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a, of)
	spoiled := func(err error) bool { return isOwn(err) || about(err).absent }
	if len(of) == 1 || !spoiled(err) {
		return found, err
	}
	a.Release() // each by itself may wait for points
	found = map[string]Figures{}
	for _, e := range of {
		some, err := r.figures(ctx, a, []Expected{e})
		if err != nil && !spoiled(err) {
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
		w, err := read[contentPage](answer, alias(i, of))
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

// figuresPage is one more than a publication had variants: a full page means that there may be more.
func figuresPage(of Expected) int { return min(of.Variants+1, largestPage) }

// alias is the name of one of several publications in a request; one alone has none, since some
// servers refuse aliases.
func alias(i int, of []Expected) string {
	if len(of) == 1 {
		return "publication"
	}
	return fmt.Sprintf("a%d", i)
}

// figuresOf asks for the figures of publications, without pageInfo, which costs as much as a variant.
func figuresOf(d Dialect, of []Expected) request {
	fields := make([]part, len(of))
	for i, e := range of {
		first := figuresPage(e)
		entries := d.entries(first, scalars("id dropshippingPrice msrp inventoryQuantity inventoryPolicy"))
		variants := entries.in(fmt.Sprintf("variants(first:%d)", first)).in("listing")
		fields[i] = publication(e.ID, join(scalars("updatedAt"), variants))
		if len(of) > 1 {
			fields[i].text = alias(i, of) + ":" + fields[i].text
		}
	}
	q := query("read figures", "Figures", join(fields...))
	if q.own = true; len(of) > 1 {
		q.root = ""
	}
	return q
}
