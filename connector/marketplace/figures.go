package marketplace

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

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
func (r *Reader) FiguresFit(variants int) bool {
	return variants < largestPage
}

// FitFigures is how many publications, from the first of them on, have their figures read by one
// request.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	for n = min(len(of), mostFigured); n > 1 && r.costs.reserve(r.figuresOf(d, of[:n])) > r.plan(); n-- {
	}
	return n, nil
}

// AdmitFigures waits until the figures of publications, as many as fit, can be read in one request.
// End the admission with [Reader.Figures] or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	return r.admit(ctx, p, func(d Dialect) request { return r.figuresOf(d, of) })
}

// Figures reads the figures of publications in one request, paid from the admission, and each by
// itself where the server refuses that. A publication that no answer shows is missing from the
// result; the caller reads it in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a.priority, a.res, of)
	if e := about(err); err == nil || len(of) == 1 || e.Kind != Invalid && !e.odd {
		return found, err
	}
	found = make(map[string]Figures, len(of))
	for _, e := range of {
		some, err := r.figures(ctx, a.priority, nil, []Expected{e})
		if err != nil && KindOf(err) != Invalid {
			return nil, err
		}
		maps.Copy(found, some)
	}
	return found, nil
}

// figures is one request of Figures.
func (r *Reader) figures(
	ctx context.Context, p Priority, res *pace.Reservation, of []Expected,
) (map[string]Figures, error) {
	var data raws
	var q request
	answer, err := r.ask(ctx, p, res, &data, func(d Dialect) (request, error) {
		q = r.figuresOf(d, of)
		return q, nil
	})
	release(res) // each by itself may wait for points
	if err != nil {
		return nil, ownDenial(err)
	}
	found := make(map[string]Figures, len(of))
	for i, e := range of {
		value, complaint := root(r, q.op, data, q.roots[i], len(of), answer.faults)
		var w *contentPage
		if complaint != nil || value == nil || json.Unmarshal(*value, &w) != nil || w == nil || w.UpdatedAt == "" ||
			w.Listing == nil || w.Listing.Variants == nil {
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

// figuresOf asks for the figures of publications. It has no use for pageInfo, which costs as much as
// a variant. One publication alone has no alias, since some servers refuse them.
func (r *Reader) figuresOf(d Dialect, of []Expected) request {
	q := request{op: "read figures", name: "Figures"}
	fields := make([]string, len(of))
	for i, e := range of {
		first, key := figuresPage(e), "publication"
		fields[i] = fmt.Sprintf("publication(id:%s){updatedAt listing{variants(first:%d){%s}}}", literal(e.ID), first,
			d.entries("id dropshippingPrice msrp inventoryQuantity inventoryPolicy"))
		if len(of) > 1 {
			key = fmt.Sprintf("a%d", i)
			fields[i] = key + ":" + fields[i]
		}
		q.roots = append(q.roots, key)
	}
	q.text = "query Figures{" + strings.Join(fields, " ") + "}"
	return q
}
