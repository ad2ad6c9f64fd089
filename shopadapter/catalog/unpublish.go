package catalog

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pubsync/pubsync/shopadapter"
)

// Unpublish removes the product's page, and then marks its record as not on sale or removes it too.
// Cut short in between, the product is out of sale and a second call does the rest.
func (c *catalog) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	return "", c.unpublish(ctx, ref, how)
}

func (c *catalog) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := fileName(ref.Publication)
	r, err := c.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.dropPage(ctx, name)
	case errors.Is(err, errForeign):
		return nil
	case err != nil:
		return c.explainRecord(recordPath(name), err)
	}
	if err := c.dropPage(ctx, name); err != nil {
		return err
	}
	if how == shopadapter.TakeOffline && !r.Stamp.OnSale {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := c.index.begin(name)
	if err != nil {
		return c.explain("prepare catalogue folder", err)
	}
	defer done()
	if how == shopadapter.Delete {
		return c.explain("remove record", c.folder.remove(recordPath(name)))
	}
	r.Stamp.OnSale = false
	data, err := r.encode()
	if err != nil {
		return err
	}
	return c.explain("write record", c.folder.write(ctx, file{recordPath(name), data}))
}

// dropPage removes a product's page, if there is one and pubsync made it.
func (c *catalog) dropPage(ctx context.Context, name string) error {
	page, err := c.folder.read(pagePath(name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errForeign), err == nil && !isOurs(page):
		return nil
	case err != nil:
		return c.explain("read "+pagePath(name), err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := c.index.begin(name)
	if err != nil {
		return c.explain("prepare catalogue folder", err)
	}
	defer done()
	return c.explain("remove page", c.folder.remove(pagePath(name)))
}
