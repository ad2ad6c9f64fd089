package marketplace

import (
	"context"
	"fmt"
	"maps"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

// mostFigured bounds the publications whose figures one request reads, since all wait for its
// answer.
const mostFigured = 10

// Figures are one publication's updatedAt and the figures of its variants: price and stock.
type Figures struct {
	UpdatedAt string
	Variants  []Variant // with ID, Cost, MSRP, Quantity and Policy
	Whole     bool      // these are all of its variants
}

// FiguresFit reports whether one page has room for so many variants and one more, so that a new
// variant shows.
func (r *Reader) FiguresFit(variants int) bool { return variants < largestPage }

// FitFigures is how many publications, from the first of them on, have their figures read by one
// request.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	most := min(len(of), mostFigured)
	return min(most, r.fit(r.plan(), most, func(n int) request { return figuresOf(d, of[:n]) })), nil
}

// AdmitFigures waits until the figures of publications, as many as fit, can be read in one request.
// End the admission with [Reader.Figures] or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request { return figuresOf(d, of) })
}

// Figures reads the figures of publications in one request, paid from the admission, and each by
// itself where one of them spoils the answer or the server refuses several. A publication that no
// answer shows is missing from the result; the caller reads it in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a.priority, a.res, of)
	a.res.Return() // each by itself may wait for points
	spoiled := func(err error) bool { return isOwn(err) || IsAbsent(err) }
	if len(of) == 1 || !spoiled(err) {
		return found, err
	}
	found = make(map[string]Figures, len(of))
	for _, e := range of {
		some, err := r.figures(ctx, a.priority, nil, []Expected{e})
		if err != nil && !spoiled(err) {
			return nil, err
		}
		maps.Copy(found, some)
	}
	return found, nil
}

func (r *Reader) figures(
	ctx context.Context, p Priority, res *pace.Reservation, of []Expected,
) (map[string]Figures, error) {
	answer, err := r.ask(ctx, p, res, func(d Dialect) request { return figuresOf(d, of) })
	if err != nil {
		return nil, err
	}
	found := make(map[string]Figures, len(of))
	for i, e := range of {
		w, err := read[contentPage](answer, "read figures", alias(i, of))
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

// alias is the name of one of several publications in a request. One alone has no alias, since some
// servers refuse them.
func alias(i int, of []Expected) string {
	if len(of) == 1 {
		return "publication"
	}
	return fmt.Sprintf("a%d", i)
}

// figuresOf asks for the figures of publications. It has no use for pageInfo, which costs as much as
// a variant.
func figuresOf(d Dialect, of []Expected) request {
	fields := make([]part, len(of))
	for i, e := range of {
		first := figuresPage(e)
		entries := d.entries(first, scalars("id dropshippingPrice msrp inventoryQuantity inventoryPolicy"))
		variants := entries.in(fmt.Sprintf("variants(first:%d)", first)).in("listing")
		fields[i] = publication(e.ID, join(scalars("updatedAt"), variants))
		if name := alias(i, of); name != "publication" {
			fields[i].text = name + ":" + fields[i].text
		}
	}
	q := query("read figures", "Figures", fields...)
	if q.several = len(of) > 1; !q.several {
		q.one = "publication"
	}
	return q
}
