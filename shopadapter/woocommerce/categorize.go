package woocommerce

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// categorize is the shop's category for the product, 0 for none. It may be made where the product
// will be put there. The state remembers it.
func (w *write) categorize(ctx context.Context, makes bool) (int64, error) {
	category, err := w.a.categories.Choose(ctx, w.Product.Category, w.state.Category, makes, w.Ref.Asked)
	if err != nil {
		return 0, err
	}
	w.category = category
	return category.ID, nil
}

// moves names the category where the shop has another one for a listing today, see category.Finder.
func (a *adapter) moves(ctx context.Context, ref shopadapter.Ref) (shopadapter.Fields, error) {
	s, known := readState(ref)
	if !known || s.Category == nil {
		return shopadapter.NoFields, nil
	}
	moves, err := a.categories.Review(ctx, s.Category, ref.Asked)
	if err != nil || !moves {
		return shopadapter.NoFields, err
	}
	return shopadapter.FieldCategory, nil
}
