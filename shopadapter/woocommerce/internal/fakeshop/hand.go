package fakeshop

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// byHand changes a variation, or a product with nothing to choose, as its owner does.
func (f *Shop) byHand(v laws.SeenVariant, change func(*Post)) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	id, err := strconv.ParseInt(v.ShopID, 10, 64)
	if err != nil || f.Posts[id] == nil {
		return fmt.Errorf("the shop has no variation %q", v.ShopID)
	}
	change(f.Posts[id])
	return nil
}

// SetPriceByHand types the price that a visitor is to be shown.
func (f *Shop) SetPriceByHand(
	_ context.Context, _ shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	return f.byHand(v, func(p *Post) { p.Price = f.entered(price) })
}

// SetQuantityByHand types another stock.
func (f *Shop) SetQuantityByHand(
	_ context.Context, _ shopadapter.ListingID, v laws.SeenVariant, quantity int,
) error {
	return f.byHand(v, func(p *Post) { p.Quantity = int64(quantity) })
}

// ReduceByHand types a sale price.
func (f *Shop) ReduceByHand(
	_ context.Context, _ shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	return f.byHand(v, func(p *Post) { p.Sale = f.entered(price) })
}

// RemoveVariantByHand deletes a variation for good, as the back office does.
func (f *Shop) RemoveVariantByHand(
	_ context.Context, _ shopadapter.ListingID, v laws.SeenVariant,
) error {
	return f.byHand(v, func(p *Post) { f.Erase(p.ID) })
}

// HideVariantByHand takes the tick off "Enabled".
func (f *Shop) HideVariantByHand(
	_ context.Context, _ shopadapter.ListingID, v laws.SeenVariant,
) error {
	return f.byHand(v, func(p *Post) { p.Status = "private" })
}

// DeleteStamp deletes our metadata from a product and its variations, as a plugin that cleans up does.
func (f *Shop) DeleteStamp(_ context.Context, id shopadapter.ListingID) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	if p == nil {
		return fmt.Errorf("the shop has no product %q", id)
	}
	for _, one := range append([]int64{p.ID}, f.Children(p.ID)...) {
		delete(f.Posts[one].Meta, stampKey)
	}
	return nil
}
