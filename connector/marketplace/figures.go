package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// mostFigures is the most variants of a publication whose figures are read: one page must have room
// for one more, so that a new variant shows.
const mostFigures = cost.LargestPage - 1

// mostFigured bounds the publications whose figures one request reads, since all wait for its
// answer.
const mostFigured = 10

// Figures are one publication's updatedAt and the figures of its variants: price and stock.
type Figures struct {
	UpdatedAt string
	Variants  []Variant // with ID, Cost, MSRP, Quantity and Policy
	Whole     bool      // these are all of its variants
}

// An Expected is a publication that is to be read, and what is known of it.
type Expected struct {
	ID       string
	Variants int    // it had last; 0: not known
	Pictured string // Listing.Pictured of the pictures that its listing shows; "": it shows none
}

// FitFigures is how many publications, from the first of them on, have their figures read by one
// request.
func (r *Reader) FitFigures(ctx context.Context, of []Expected) (n int, err error) {
	forms, err := r.conn.Known(ctx)
	if err != nil {
		return 0, err
	}
	first := r.figuresPages(of)
	return r.conn.Costs.Fit(
		r.conn.Plan(), min(len(of), mostFigured),
		func(n int) document.Document { return figuresDocument(forms, first[:n]) },
	), nil
}

// FiguresFit reports whether one page has room for so many variants and one more.
func (r *Reader) FiguresFit(variants int) bool {
	return variants <= mostFigures && r.conn.Costs.Page(variants+1) > variants
}

// AdmitFigures waits until the figures of publications, as many as fit, can be read in one request.
// End the admission with [Reader.Figures] or Release.
func (r *Reader) AdmitFigures(ctx context.Context, p Priority, of []Expected) (*Admission, error) {
	forms, err := r.conn.Known(ctx)
	if err != nil {
		return nil, err
	}
	doc := figuresDocument(forms, r.figuresPages(of))
	res, err := r.conn.Pay(ctx, p, "read figures", r.conn.Costs.Reserve(doc, doc.Text()), nil)
	if err != nil {
		return nil, err
	}
	return &Admission{res: res, priority: p}, nil
}

// Figures reads the figures of publications in one request, paid from the admission, and each by
// itself where the server refuses that. A publication that no answer shows is missing from the
// result; the caller reads it in full.
func (r *Reader) Figures(ctx context.Context, a *Admission, of []Expected) (map[string]Figures, error) {
	defer a.Release()
	found, err := r.figures(ctx, a.priority, a.res, of)
	refusal, ok := errors.AsType[*Error](err)
	if !ok || len(of) == 1 || refusal.Kind != Invalid && !refusal.Odd {
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
	const op = "read figures"
	var first []int
	answer, err := r.conn.Run(ctx, p, res, func(f Forms) (client.Request, error) {
		first = r.figuresPages(of)
		q := client.Request{
			Op:      op,
			Doc:     figuresDocument(f, first),
			First:   slices.Max(first),
			Vars:    make(map[string]any, len(of)),
			Partial: true,
		}
		for i, e := range of {
			q.Vars["id"+strconv.Itoa(i)] = e.ID
		}
		return q, nil
	})
	if err != nil {
		return nil, ownDenial(err)
	}
	defer answer.Done()
	data, err := answer.Roots()
	if err != nil {
		return nil, fault.Unreadable(op, err)
	}
	found := make(map[string]Figures, len(of))
	for i, e := range of {
		value, complaint := r.rootField(op, data, i, len(of), answer.Complaints)
		var w wirePublication
		if complaint != nil || wire.IsNull(value) || json.Unmarshal(value, &w) != nil || w.UpdatedAt == "" ||
			w.Listing == nil ||
			w.Listing.Variants == nil {
			continue
		}
		items, nulls := w.Listing.Variants.Split()
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

// figuresPages are the sizes of the pages: one more than each publication had variants. A full page
// means that there may be more.
func (r *Reader) figuresPages(of []Expected) []int {
	first := make([]int, len(of))
	for i, e := range of {
		first[i] = r.conn.Costs.Page(min(e.Variants+1, cost.LargestPage))
	}
	return first
}

// figuresDocument asks for the figures of publications. It has no use for pageInfo, which costs as
// much as a variant.
func figuresDocument(f Forms, first []int) document.Document {
	d := document.Document{Kind: document.Query, Name: "Figures"}
	for i, n := range first {
		v := "$id" + strconv.Itoa(i)
		d.Vars = append(d.Vars, v+":"+f.IDType+"!")
		variants := f.Connection(
			"variants",
			"variant",
			n,
			"",
			document.Scalars("id", "dropshippingPrice", "msrp", "inventoryQuantity", "inventoryPolicy")...)
		variants.Sub = variants.Sub[1:]
		read := document.Object(
			"publication", "id:"+v, document.Field{Name: "updatedAt"}, document.Object("listing", "", variants),
		)
		read.Alias = alias(i, len(first))
		d.Body = append(d.Body, read)
	}
	return d
}

// ReadingCost is the points that reading one publication in full is expected to cost.
func (r *Reader) ReadingCost(ctx context.Context) (float64, error) {
	forms, err := r.conn.Known(ctx)
	if err != nil {
		return 0, err
	}
	forms = withoutOriginals(forms, r.originals.missing())
	doc := r.contentDocument(forms, r.firstPages(forms, Expected{}))
	return r.conn.Costs.Estimate(doc, doc.Text()), nil
}
