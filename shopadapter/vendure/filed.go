package vendure

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// filedFor is how long the list of facet values is believed.
const filedFor = 15 * time.Minute

// A filing says in which values of the adapter's facets a product was written to be: by facet, as
// filedAs tells. A product that holds another one, by the merchant's choice, has no entry.
type filing map[string]string

// filedAs is what a stamp says of the codes of values that were written, "" for none.
func (k facetKind) filedAs(s productStamp) string {
	if k == brands {
		return s.Details[brands.code]
	}
	return s.Category.Exact
}

// mark is what filedAs tells of one code.
func (k facetKind) mark(code string) string {
	if k == brands {
		return stamp.HashText(code).Exact
	}
	return code
}

// forget makes the stamp say that no value of this kind was written.
func (k facetKind) forget(s *productStamp) {
	if k == brands {
		delete(s.Details, brands.code)
		return
	}
	s.Category = stamp.Written{}
}

// filed is where the stamp says that the product is, unless it holds something else.
func (p *product) filed(s productStamp) filing {
	f := filing{}
	for _, kind := range []facetKind{categories, brands} {
		last := kind.filedAs(s)
		held, _ := kind.held(p)
		if last != "" && !strings.Contains(last, ",") && (held == "" || kind.mark(held) == last) {
			f[kind.code] = last
		}
	}
	return f
}

// readFiled reads the values that the shop has of the adapter's facets.
func (a *Adapter) readFiled(ctx context.Context) (map[string]filing, error) {
	type list struct {
		Items []facet `json:"items"`
	}
	var answer struct{ Categories, Brands list }
	variables := map[string]any{"categories": categories.code, "brands": brands.code}
	if err := a.call(ctx, filedDocument, variables, &answer); err != nil {
		return nil, step.Within("list facets", err)
	}
	there := map[string]filing{categories.code: {}, brands.code: {}}
	for _, f := range slices.Concat(answer.Categories.Items, answer.Brands.Items) {
		for _, kind := range []facetKind{categories, brands} {
			if kind.ours(f.Code) {
				for _, v := range f.Values {
					there[kind.code][kind.mark(v.Code)] = v.Code
				}
			}
		}
	}
	return there, nil
}

// deleted is the facets of a filing whose value the shop has no longer. fresh: as of now.
func (a *Adapter) deleted(ctx context.Context, f filing, fresh bool) (codes []string, err error) {
	if len(f) == 0 {
		return nil, nil
	}
	there, err := a.filed.Get(ctx, fresh)
	if err != nil {
		return nil, err
	}
	for code, mark := range f {
		if _, ok := there[code][mark]; !ok {
			codes = append(codes, code)
		}
	}
	return codes, nil
}

// outdated is the groups among those that were edited whose value somebody deleted: the product has
// none, and it is made again.
func (a *Adapter) outdated(
	ctx context.Context, p *product, edited shopadapter.Fields, fresh bool,
) (fields shopadapter.Fields, err error) {
	lacks := filing{}
	for _, kind := range []facetKind{categories, brands} {
		if held, _ := kind.held(p); held == "" && edited.Has(kind.group) {
			if mark := p.filed(p.stamp())[kind.code]; mark != "" {
				lacks[kind.code] = mark
			}
		}
	}
	gone, err := a.deleted(ctx, lacks, fresh)
	for _, kind := range []facetKind{categories, brands} {
		if slices.Contains(gone, kind.code) {
			fields |= kind.group
		}
	}
	return fields, err
}

// forgetDeleted makes the stamp forget the values that the product was written to have, has no
// longer, and the shop neither.
func (w *write) forgetDeleted(ctx context.Context) error {
	lacks := filing{}
	for _, kind := range []facetKind{categories, brands} {
		if held, _ := kind.held(w.held); held == "" && w.Changed.Has(kind.group) {
			if mark := w.held.filed(w.stamp)[kind.code]; mark != "" {
				lacks[kind.code] = mark
			}
		}
	}
	gone, err := w.a.deleted(ctx, lacks, true)
	for _, kind := range []facetKind{categories, brands} {
		if slices.Contains(gone, kind.code) {
			kind.forget(&w.stamp)
		}
	}
	return err
}

// stateOf is what the caller remembers of a product: which it is, also without its key.
func stateOf(id string) []byte { return []byte(id) }

// idIn is the id in the State of a ref. An older version wrote more behind it.
func idIn(ref shopadapter.Ref) string {
	id, _, _ := strings.Cut(string(ref.State), " ")
	return id
}
