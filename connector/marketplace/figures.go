package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

// mostFigures is the most variants that a publication may have had for a reading of figures to tell
// whether there is another now.
const mostFigures = largestPage - 1

// mostFigured bounds the publications whose figures one request reads: as many wait for its answer.
const mostFigured = 10

// Figures are what a reading of figures shows of one publication: its updatedAt, and what may hurt
// of its variants.
type Figures struct {
	UpdatedAt string
	Variants  []Variant // with ID, Cost, MSRP, Quantity and Policy
	Whole     bool      // these are all of its variants
}

// An Expected is a publication whose figures are to be read, and how many variants it had last.
type Expected struct {
	ID       string
	Variants int
}

// FitFigures is how many of some publications, from the first on, one request can read the figures
// of.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	forms, _, err := r.known(ctx)
	if err != nil {
		return 0, err
	}
	first := r.figuresPages(of)
	return r.costs.fit(
		r.plan(),
		r.several.most(min(len(of), mostFigured)),
		func(n int) document { return figuresDocument(forms, first[:n]) },
	), nil
}

// FiguresFit reports whether one page can show the figures of a publication that had so many
// variants, and whether there is another.
func (r *Reader) FiguresFit(variants int) bool {
	return variants <= mostFigures && r.costs.page(variants+1) > variants
}

// AdmitFigures waits until the figures of publications, as many as fit, can be read in one request.
// End the admission with [Reader.Figures] or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	forms, _, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	doc := figuresDocument(forms, r.figuresPages(of))
	res, err := r.pay(ctx, p, "read figures", r.costs.reserve(doc, doc.text()), nil)
	if err != nil {
		return nil, err
	}
	return &Admission{res: res, priority: p}, nil
}

// Figures reads the figures of publications in one request, paid from the admission, and in several
// where the server refuses that. One that no answer shows, for whatever reason, is missing from the
// result: it is to be read in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a.priority, a.res, of)
	refusal, ok := errors.AsType[*Error](err)
	if !ok || len(of) == 1 || refusal.Kind != Invalid && !refusal.odd {
		return found, err
	}
	size, each := 1, true
	if refusal.several {
		r.refuseSeveral(ctx, len(of), refusal)
		size = r.several.most(len(of))
	}
	found = make(map[string]Figures, len(of))
	for part := range slices.Chunk(of, size) {
		some, err := r.figures(ctx, a.priority, nil, part)
		switch {
		case KindOf(err) == Invalid:
			each = false
		case err != nil:
			return nil, err
		}
		maps.Copy(found, some)
	}
	if each && !refusal.several {
		r.refuseSeveral(ctx, len(of), refusal) // it is none of them
	}
	return found, nil
}

// figures is one request of Figures.
func (r *Reader) figures(
	ctx context.Context,
	p Priority,
	res *pace.Reservation,
	of []Expected,
) (map[string]Figures, error) {
	const op = "read figures"
	var first []int
	answer, err := r.run(ctx, p, res, func(f Forms) (request, error) {
		first = r.figuresPages(of)
		q := request{
			op:      op,
			doc:     figuresDocument(f, first),
			first:   slices.Max(first),
			vars:    make(map[string]any, len(of)),
			several: len(of),
			partial: true,
		}
		for i, e := range of {
			q.vars["id"+strconv.Itoa(i)] = e.ID
		}
		return q, nil
	})
	if err != nil {
		return nil, err
	}
	defer answer.done()
	data, err := answer.roots()
	if err != nil {
		return nil, unreadable(op, err)
	}
	found := make(map[string]Figures, len(of))
	for i, e := range of {
		value, complaint := r.rootField(op, data, i, len(of), answer.complaints)
		var w wirePublication
		if complaint != nil || isNull(value) || json.Unmarshal(value, &w) != nil || w.UpdatedAt == "" ||
			w.Listing == nil ||
			w.Listing.Variants == nil {
			continue
		}
		items, nulls := w.Listing.Variants.split()
		figures := Figures{
			UpdatedAt: string(w.UpdatedAt),
			Variants:  make([]Variant, len(items)),
			Whole:     nulls == 0 && len(items) < first[i],
		}
		for k := range items {
			figures.Variants[k] = items[k].variant()
		}
		found[e.ID] = figures
	}
	return found, nil
}

// figuresPages are the pages to ask for, of one more than each publication had variants: where that
// is filled, there may be others.
func (r *Reader) figuresPages(of []Expected) []int {
	first := make([]int, len(of))
	for i, e := range of {
		first[i] = r.costs.page(min(e.Variants+1, largestPage))
	}
	return first
}

// figuresDocument asks for the figures of publications. It has no use for pageInfo, which costs as
// much as a variant.
func figuresDocument(f Forms, first []int) document {
	d := document{kind: query, name: "Figures"}
	for i, n := range first {
		v := "$id" + strconv.Itoa(i)
		d.vars = append(d.vars, v+":"+f.IDType+"!")
		variants := f.connection(
			"variants",
			"variant",
			n,
			"",
			scalars("id", "dropshippingPrice", "msrp", "inventoryQuantity", "inventoryPolicy")...)
		variants.sub = variants.sub[1:]
		read := object("publication", "id:"+v, field{name: "updatedAt"}, object("listing", "", variants))
		read.alias = alias(i, len(first))
		d.body = append(d.body, read)
	}
	return d
}

// ReadingCost is the points that reading one publication in full is expected to cost.
func (r *Reader) ReadingCost(ctx context.Context) (float64, error) {
	forms, _, err := r.known(ctx)
	if err != nil {
		return 0, err
	}
	doc := r.contentDocument(forms, r.firstPages(forms, 0))
	return r.costs.estimate(doc, doc.text()), nil
}

// Headroom is the points that stay in the bucket when a request that is not urgent is granted.
func (r *Reader) Headroom() float64 { return headroom * r.Budget().Limit }
