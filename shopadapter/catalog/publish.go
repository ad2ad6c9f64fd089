package catalog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Publish writes the product's record and page; when it returns nil the page is on disk, and soon
// in the index. ref.State is not used.
func (c *catalog) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	if p.Figures {
		return c.restock(ctx, ref, p, changed)
	}
	name := fileName(ref.Publication)
	old, err := c.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && ref.Listing != "":
		// The page without its record would stay on sale for ever: no call could change it again.
		if err := c.dropPage(ctx, name); err != nil {
			return shopadapter.Listing{}, err
		}
		return shopadapter.Listing{}, shopadapter.ErrGone
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return shopadapter.Listing{}, c.explainRecord(recordPath(name), err)
	}

	if ref.OnSale && old != nil && !(old.Stamp.OnSale && c.folder.has(pagePath(name))) {
		return shopadapter.Listing{}, shopadapter.ErrHidden
	}

	listing := shopadapter.Listing{Refused: refusals(p.Variants)}
	if old != nil {
		listing.ID, listing.URL = shopadapter.ListingID(name), c.renderer.page(name)
	}
	if len(listing.Refused) >= len(p.Variants) {
		return listing, rejectAll(p.Variants)
	}
	p, err = asReadBack(p)
	if err != nil {
		return listing, err
	}
	next, kept := merge(old, p, changed, ref.Reset, time.Now())
	next.ID, next.Stamp.Publication = ref.Publication, key(ref.Publication)
	if len(next.Variants) == 0 {
		return listing, shopadapter.Reject("none of the product's variants can be sold")
	}
	if err := c.put(ctx, name, old, next); err != nil {
		return listing, err
	}
	listing.ID, listing.URL, listing.Kept = shopadapter.ListingID(name), c.renderer.page(name), kept
	for _, v := range next.Variants {
		listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: anchor(v.ID)})
	}
	return listing, nil
}

// put brings record and page to what next says, and writes neither when it is there already.
func (c *catalog) put(ctx context.Context, name string, old, next *record) error {
	var files []file
	recorded, err := sameRecord(old, next)
	if err != nil {
		return err
	}
	if !recorded {
		data, err := next.encode()
		if err != nil {
			return err
		}
		files = append(files, file{recordPath(name), data})
	}
	page, err := c.renderer.product(name, next)
	if err != nil {
		return err
	}
	shown, err := c.folder.read(pagePath(name))
	switch {
	case err == nil && bytes.Equal(shown, page):
	case errors.Is(err, fs.ErrNotExist), err == nil && isOurs(shown):
		files = append(files, file{pagePath(name), page})
	case err == nil, errors.Is(err, errForeign):
		return c.explainRecord(pagePath(name), errForeign)
	default:
		return c.explain("read "+pagePath(name), err)
	}
	if len(files) == 0 {
		return nil
	}
	done, err := c.index.begin(name)
	if err != nil {
		return c.explain("prepare catalogue folder", err)
	}
	defer done()
	return c.explain("write product", c.folder.write(ctx, files...))
}

// sameRecord reports whether old says what next says. How the file is laid out does not count, nor
// does when the marketplace last touched the product: a date alone is no reason to write.
func sameRecord(old, next *record) (bool, error) {
	if old == nil {
		return false, nil
	}
	dated := *next
	dated.UpdatedAt = old.UpdatedAt
	a, err := old.encode()
	if err != nil {
		return false, err
	}
	b, err := dated.encode()
	return bytes.Equal(a, b), err
}

// load reads a record. The error is fs.ErrNotExist where there is none, or one of decode's.
func (c *catalog) load(name string) (*record, error) {
	data, err := c.folder.read(recordPath(name))
	if err != nil {
		return nil, err
	}
	return decode(name, data)
}

func refusals(variants []shopadapter.Variant) map[string]string {
	refused := make(map[string]string)
	for _, v := range variants {
		if why := refusal(v); why != "" {
			refused[v.ID] = why
		}
	}
	return refused
}

func rejectAll(variants []shopadapter.Variant) error {
	if len(variants) == 0 {
		return shopadapter.Reject("the product has no variant")
	}
	return shopadapter.Reject("none of the product's variants can be sold; of the first: %s", refusal(variants[0]))
}

func recordPath(name string) string { return productsFolder + "/" + name + ".json" }

func pagePath(name string) string { return productsFolder + "/" + name + ".html" }
