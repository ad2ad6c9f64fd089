package catalog

import (
	"context"
	"iter"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// List reads the records, in the order of their names, of which the merchant may edit any line. A
// page is not read: it is made of the record again with the next publish. What a record says of a
// text is compared with its stamp.
func (c *catalog) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		names, err := c.asked(what)
		if err != nil {
			yield(shopadapter.Listed{}, c.explain("list records", err))
			return
		}
		for s, err := range c.stamped(ctx, names) {
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			if !yield(c.observed(s), nil) {
				return
			}
		}
	}
}

// asked is the names of the records to read.
func (c *catalog) asked(what shopadapter.Query) ([]string, error) {
	if what.Refs == nil {
		return c.folder.names()
	}
	names := make([]string, len(what.Refs))
	for i, ref := range what.Refs {
		names[i] = fileName(ref.Publication)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (c *catalog) observed(s stamped) shopadapter.Listed {
	o := c.listed(s)
	o.Variants, o.Images = make([]shopadapter.ListedVariant, len(s.Variants)), len(s.Pictures())
	for i, v := range s.Variants {
		o.Variants[i] = shopadapter.ListedVariant{
			ID: v.ID, ShopID: anchor(v.ID), SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
			OnSale: true,
		}
	}
	var texts stamp.Comparison
	for _, group := range textGroups {
		texts.Compare(group, textHash(&s.Product, group), s.Stamp.Written[group.String()])
	}
	texts.CompareDetails(shopadapter.FieldBrand, brandOf(&s.Product), s.Stamp.Brand)
	for _, v := range s.Variants {
		texts.CompareDetails(shopadapter.FieldDetails, detailsOf(&v), s.Stamp.Details[v.ID])
	}
	o.Compared, o.Edited = texts.Compared, texts.Edited
	return o
}
