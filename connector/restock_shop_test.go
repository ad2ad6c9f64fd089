package connector

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// A restockShelf is a shelf that takes prices and stock alone.
type restockShelf struct{ *shelf }

func (s restockShelf) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	s.Lock()
	defer s.Unlock()
	it, ok := s.products[ref.Publication]
	if !ok {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	p := it.product
	p.Variants = append([]shopadapter.Variant(nil), p.Variants...)
	c := call{id: ref.Publication, method: "restock", changed: changed, product: p}
	if s.refuse != nil {
		if err := s.refuse(c); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if s.hides && ref.OnSale && !it.onSale {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	figures := map[string]shopadapter.Figures{}
	for _, f := range variants {
		figures[f.ID] = f
	}
	l := shopadapter.Listing{
		ID:       it.listing,
		URL:      "https://shop.example/p/" + string(it.listing),
		Variants: map[string]string{},
		Refused:  map[string]string{},
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		f, ok := figures[v.ID]
		if !ok || len(figures) != len(p.Variants) {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		if changed.Has(shopadapter.FieldPrice) {
			v.Price, v.Cost, v.MSRP = f.Price, f.Cost, f.MSRP
		}
		if changed.Has(shopadapter.FieldStock) {
			v.Quantity, v.Backorders = f.Quantity, f.Backorders
		}
		l.Variants[v.ID] = "v-" + v.ID
	}
	s.calls = append(s.calls, c)
	it.product = p
	if s.onPublish != nil {
		s.onPublish(ref.Publication)
	}
	return l, nil
}
