package harness

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// A RestockingShop is a Shop that accepts prices and stock alone.
type RestockingShop struct{ *Shop }

// Restock writes prices and stock of a listing whose variants are all named.
func (s RestockingShop) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	s.Lock()
	defer s.Unlock()
	it, ok := s.Products[ref.Publication]
	if !ok {
		return shopadapter.Listing{}, shopadapter.ErrGone
	}
	p := it.Product
	p.Variants = append([]shopadapter.Variant(nil), p.Variants...)
	c := Call{ID: ref.Publication, Method: "restock", Changed: changed, Product: p}
	if s.Refuse != nil {
		if err := s.Refuse(c); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	if s.Hides && ref.OnSale && !it.onSale {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}
	figures := map[string]shopadapter.Figures{}
	for _, f := range variants {
		figures[f.ID] = f
	}
	l := shopadapter.Listing{
		ID:       it.Listing,
		URL:      addressOf(it.Listing),
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
	it.Product = p
	if s.OnPublish != nil {
		s.OnPublish(ref.Publication)
	}
	return l, nil
}
