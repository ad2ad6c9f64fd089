package catalog

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check makes the folder where there is none, and a file in it that it removes again. It finds out
// whether the last process died before the index had caught up, and if so has it made good in the
// background: what is in the shop stays as it is. It names no currency.
func (c *catalog) Check(ctx context.Context) (is shopadapter.Info, err error) {
	if err := ctx.Err(); err != nil {
		return is, err
	}
	if err := c.folder.probe(); err != nil {
		return is, c.explain("make file", err)
	}
	if err := c.folder.claim(); err != nil {
		return is, c.explain("read "+indexPath, err)
	}
	if c.folder.has(behindPath) {
		c.index.catchUp()
	}
	return shopadapter.Info{Figures: true}, nil
}

// Close brings the index up to date and ends its work in the background. What it could not write,
// the next process will.
func (c *catalog) Close() error {
	return c.explain("write index", c.index.close())
}

// claim makes sure that the folder is no web site of somebody else's, whose front page would be
// lost.
func (f *folder) claim() error {
	front, err := f.read(indexPath)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && isOurs(front):
		return nil
	case err == nil, errors.Is(err, errForeign):
		return shopadapter.Block("the catalogue folder %s holds an %s that pubsync did not make: "+
			"let PUBSYNC_CATALOG_DIR name another folder, or move the file away", f.dir, indexPath).Everywhere()
	default:
		return err
	}
}
