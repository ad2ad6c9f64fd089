package shopify_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What the owner does by hand.

// byHand changes a product.
func (f *fakeShop) byHand(listing shopadapter.ListingID, change func(*fakeProduct)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.find(string(listing))
	if p == nil {
		return fmt.Errorf("there is no product %s", listing)
	}
	p.updated = time.Now()
	change(p)
	return nil
}

// onVariant changes a variant.
func (f *fakeShop) onVariant(listing shopadapter.ListingID, id string, change func(*fakeVariant)) error {
	return f.byHand(listing, func(p *fakeProduct) {
		for _, v := range p.variants {
			if v.id == id {
				change(v)
			}
		}
	})
}

func (f *fakeShop) setPrice(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	return f.onVariant(listing, v.ShopID, func(v *fakeVariant) { v.price = price })
}

func (f *fakeShop) setQuantity(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, quantity int,
) error {
	return f.onVariant(listing, v.ShopID, func(v *fakeVariant) { v.levels[locationID] = quantity })
}

// reduce offers a variant for less, with the price that it had as the compare-at price.
func (f *fakeShop) reduce(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, price string,
) error {
	return f.onVariant(listing, v.ShopID, func(v *fakeVariant) { v.price, v.former = price, v.price })
}

// hideVariant takes a variant off the sales channel.
func (f *fakeShop) hideVariant(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant,
) error {
	return f.onVariant(listing, v.ShopID, func(v *fakeVariant) { v.off = true })
}

// deleteStamp clears the adapter's metafields of a product.
func (f *fakeShop) deleteStamp(_ context.Context, listing shopadapter.ListingID) error {
	return f.byHand(listing, func(p *fakeProduct) {
		delete(p.metafields, "pubsync.publication")
		delete(p.metafields, "pubsync.stamp")
	})
}

func (f *fakeShop) removeVariant(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant,
) error {
	return f.byHand(listing, func(p *fakeProduct) {
		p.variants = slices.DeleteFunc(p.variants, func(held *fakeVariant) bool { return held.id == v.ShopID })
	})
}

// losePicture deletes the n-th picture of a product from the shop's files.
func (f *fakeShop) losePicture(listing shopadapter.ListingID, n int) error {
	return f.byHand(listing, func(p *fakeProduct) {
		if f.gone == nil {
			f.gone = map[string]bool{}
		}
		f.gone[p.media[n].id] = true
		p.media = slices.Delete(slices.Clone(p.media), n, n+1)
	})
}
