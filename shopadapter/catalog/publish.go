package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Publish writes the product's record and page; when it returns nil the page is on disk, and soon
// in the index. ref.State is not used.
func (c *catalog) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (listing shopadapter.Listing, err error) {
	if err := ctx.Err(); err != nil {
		return listing, err
	}
	name := fileName(ref.Publication)
	old, err := c.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = ref.Drift(old != nil, old != nil && old.onSale)
	}
	switch {
	case errors.Is(err, shopadapter.ErrGone):
		// The page without its record would stay on sale for ever: no call could change it again.
		return listing, cmp.Or(c.explain(c.dropPage(name)), err)
	case err != nil:
		return listing, c.explain(err)
	}
	if old != nil {
		listing.ID, listing.URL = shopadapter.ListingID(name), c.address(name)
	}
	refused := kit.Refused{}
	sold := kit.Fit(p, refused, func(v shopadapter.Variant) ([]string, string) { return []string{v.ID}, refusal(v) })
	if p.Figures {
		// A record whose variants are others, or that may have missed changes, needs the whole product.
		if old == nil || ref.Listing == "" || ref.Reset != shopadapter.NoFields || !old.onSale || len(refused) > 0 {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		var same bool
		if p, same = old.Refigured(p); !same {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
	}
	if listing.Refused = refused; len(sold) == 0 {
		return listing, refused.None(p)
	}
	next, kept := merge(ref, old, shown(p), changed, time.Now())
	if err := c.put(ctx, name, old, next); err != nil {
		return listing, c.explain(err)
	}
	listing.ID, listing.URL, listing.Kept = shopadapter.ListingID(name), c.address(name), kept
	listing.Variants = c.listed(name, next).Variants
	return listing, nil
}

// put brings record and page to what next says, and writes neither where it is there already.
func (c *catalog) put(ctx context.Context, name string, old, next *record) error {
	page, err := productPage(next)
	if err != nil {
		return err
	}
	shown, err := c.folder.page(pagePath(name))
	if err != nil {
		return err
	}
	data := next.encode()
	recorded, paged := old != nil && bytes.Equal(old.encode(), data), bytes.Equal(shown, page)
	if recorded && paged {
		return nil
	}
	if _, err := c.folder.page(indexPath); err != nil {
		return err
	}
	if !recorded {
		if err := c.folder.write(recordPath(name), data); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !paged {
		err = c.folder.write(pagePath(name), page)
	}
	c.changed()
	return err
}

// Unpublish removes the product's page, and where it is to be deleted its record. Cut short in between,
// the product is out of sale and a second call does the rest.
func (c *catalog) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name := fileName(ref.Publication)
	r, err := c.read(name)
	switch {
	case errors.Is(err, errForeign):
		return "", nil
	case err == nil, errors.Is(err, fs.ErrNotExist):
		err = c.dropPage(name)
	}
	if err == nil && r != nil && how == shopadapter.Delete {
		err = c.folder.remove(recordPath(name))
	}
	return "", c.explain(err)
}

// dropPage removes a product's page, if there is one and pubsync made it.
func (c *catalog) dropPage(name string) error {
	page, err := c.folder.page(pagePath(name))
	switch {
	case page == nil && err == nil, errors.Is(err, errForeign):
		return nil
	case err == nil:
		err = c.folder.remove(pagePath(name))
		c.changed()
	}
	return err
}

// List reads the records, in the order of their names, of which the merchant may edit any line. A
// copy that somebody made under another name is not one of them; a record that cannot be read as
// JSON is logged and passed over, since nothing says whose it is.
func (c *catalog) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		names, err := c.folder.names()
		if q.Refs != nil {
			err, names = nil, kit.Each(q.Refs, func(ref shopadapter.Ref) string { return fileName(ref.Publication) })
			slices.Sort(names)
			names = slices.Compact(names)
		}
		for _, name := range names {
			var r *record
			if err = ctx.Err(); err == nil {
				r, err = c.read(name)
			}
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, errForeign):
				err = nil
			case errors.Is(err, errBroken):
				c.log.WarnContext(ctx, "catalogue record passed over", "file", recordPath(name), "error", err)
				err = nil
			case err == nil && !yield(c.listed(name, r), nil):
				return
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			yield(shopadapter.Listed{}, c.explain(err))
		}
	}
}

func (c *catalog) listed(name string, r *record) shopadapter.Listed {
	id := shopadapter.ListingID(name)
	l := shopadapter.Listing{ID: id, URL: c.address(name), OnSale: r.onSale, Images: len(r.Pictures())}
	l.Variants = kit.Each(r.Variants, func(v shopadapter.Variant) shopadapter.ListedVariant {
		return shopadapter.ListedVariant{
			ID: v.ID, ShopID: anchor(v.ID), SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
			OnSale: true,
		}
	})
	var texts kit.Comparison
	for group, text := range textsOf(r) {
		texts.Compare(group, hash(text), r.Stamp.Written[group.String()])
	}
	l.Compared, l.Edited = texts.Compared, texts.Edited
	return shopadapter.Listed{Ref: shopadapter.Ref{Publication: r.Stamp.Publication, Listing: id}, Listing: l}
}
