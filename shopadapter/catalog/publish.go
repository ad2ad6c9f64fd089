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
	switch {
	case errors.Is(err, fs.ErrNotExist) && ref.Listing != "":
		// The page without its record would stay on sale for ever: no call could change it again.
		return listing, cmp.Or(c.dropPage(name), shopadapter.ErrGone)
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return listing, c.explain(recordPath(name), err)
	case ref.OnSale && !c.onSale(name, old):
		return listing, shopadapter.ErrHidden
	default:
		listing.ID, listing.URL = shopadapter.ListingID(name), c.address(name)
	}
	if p.Figures {
		if p, err = refigured(ref, old, p); err != nil {
			return shopadapter.Listing{}, err
		}
	}
	refused := kit.Refused{}
	for _, v := range p.Variants {
		if why := refusal(v); why != "" {
			refused[v.ID] = why
		}
	}
	if listing.Refused = refused; len(refused) >= len(p.Variants) {
		return listing, refused.None(p)
	}
	next, kept := merge(ref, old, shown(p), changed, time.Now())
	if err := c.put(ctx, name, old, next); err != nil {
		return listing, err
	}
	listing.ID, listing.URL, listing.Kept = shopadapter.ListingID(name), c.address(name), kept
	for _, v := range next.Variants {
		listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: anchor(v.ID)})
	}
	return listing, nil
}

// refigured is the record's product with other figures. A record whose variants are others, or that
// may have missed changes, needs the whole product.
func refigured(ref shopadapter.Ref, old *record, p shopadapter.Product) (shopadapter.Product, error) {
	if old == nil || ref.Listing == "" || ref.Reset != shopadapter.NoFields || !old.Stamp.OnSale && !ref.OnSale {
		return p, shopadapter.ErrWhole
	}
	for _, v := range p.Variants {
		if refusal(v) != "" {
			return p, shopadapter.ErrWhole
		}
	}
	whole, same := old.Refigured(p)
	if !same {
		return p, shopadapter.ErrWhole
	}
	return whole, nil
}

// put brings record and page to what next says, and writes neither where it is there already.
func (c *catalog) put(ctx context.Context, name string, old, next *record) error {
	page, err := productPage(next)
	if err != nil {
		return err
	}
	shown, err := c.folder.page(pagePath(name))
	if err != nil {
		return c.explain(pagePath(name), err)
	}
	data := next.encode()
	recorded := old != nil && bytes.Equal(old.encode(), data)
	if recorded && bytes.Equal(shown, page) {
		return nil
	}
	if _, err := c.folder.page(indexPath); err != nil {
		return c.explain(indexPath, err)
	}
	if !recorded {
		if err := c.folder.write(recordPath(name), data); err != nil {
			return c.explain(recordPath(name), err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !bytes.Equal(shown, page) {
		err = c.folder.write(pagePath(name), page)
	}
	c.index.changed()
	return c.explain(pagePath(name), err)
}

// onSale reports whether a customer sees a product.
func (c *catalog) onSale(name string, r *record) bool {
	return r.Stamp.OnSale && c.folder.has(pagePath(name))
}

// Unpublish removes the product's page, and then marks its record as not on sale or removes it too.
// Cut short in between, the product is out of sale and a second call does the rest.
func (c *catalog) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name := fileName(ref.Publication)
	r, err := c.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", c.dropPage(name)
	case errors.Is(err, errForeign):
		return "", nil
	case err != nil:
		return "", c.explain(recordPath(name), err)
	}
	if err := c.dropPage(name); err != nil {
		return "", err
	}
	switch {
	case how == shopadapter.Delete:
		err = c.folder.remove(recordPath(name))
	case r.Stamp.OnSale:
		r.Stamp.OnSale = false
		err = c.folder.write(recordPath(name), r.encode())
	}
	return "", c.explain(recordPath(name), err)
}

// dropPage removes a product's page, if there is one and pubsync made it.
func (c *catalog) dropPage(name string) error {
	page, err := c.folder.page(pagePath(name))
	if page == nil && err == nil || errors.Is(err, errForeign) {
		return nil
	}
	if err == nil {
		err = c.folder.remove(pagePath(name))
		c.index.changed()
	}
	return c.explain(pagePath(name), err)
}

// List reads the records, in the order of their names, of which the merchant may edit any line. A
// copy that somebody made under another name is not one of them; a record that cannot be read as
// JSON is logged and passed over, since nothing says whose it is.
func (c *catalog) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		names, err := c.asked(q)
		if err != nil {
			yield(shopadapter.Listed{}, c.explain(productsFolder, err))
			return
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			r, err := c.read(name)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, errForeign):
			case errors.Is(err, errBroken):
				c.log.WarnContext(ctx, "catalogue record passed over", "file", recordPath(name), "error", err)
			case err != nil:
				yield(shopadapter.Listed{}, c.explain(recordPath(name), err))
				return
			case !yield(c.listed(name, r), nil):
				return
			}
		}
	}
}

// asked is the names of the records to read.
func (c *catalog) asked(q shopadapter.Query) (names []string, err error) {
	if q.Refs == nil {
		return c.folder.names()
	}
	for _, ref := range q.Refs {
		names = append(names, fileName(ref.Publication))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (c *catalog) listed(name string, r *record) shopadapter.Listed {
	id := shopadapter.ListingID(name)
	l := shopadapter.Listing{
		ID: id, URL: c.address(name), OnSale: c.onSale(name, r), Images: len(r.Pictures()),
		Variants: make([]shopadapter.ListedVariant, len(r.Variants)),
	}
	for i, v := range r.Variants {
		l.Variants[i] = shopadapter.ListedVariant{
			ID: v.ID, ShopID: anchor(v.ID), SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
			OnSale: true,
		}
	}
	for group, text := range texts {
		l.Compared |= group
		if last := r.Stamp.Written[group.String()]; !last.IsOwn(hash(text(r)), false) {
			l.Edited |= group
		}
	}
	return shopadapter.Listed{Ref: shopadapter.Ref{Publication: r.Stamp.Publication, Listing: id}, Listing: l}
}
