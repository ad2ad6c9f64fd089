// Package catalog is a shop that is a folder of web pages: the demo runs on it, and a retailer may
// use it as a shop window on a static host. It needs no database and no account.
//
//	index.html                  all products, newest first
//	products/<id>-<hash>.json   the record: the product, and what was written of it
//	products/<id>-<hash>.html   what a customer sees
//
// The record is the truth. Under "pubsync" it carries the publication's id, whether the product is
// on sale, and a hash of each text as pubsync last wrote it, in one rename with the text. A merchant
// may edit texts, pictures, category and brand in the file: the hash then differs, and the edit
// stays. What the supplier asks of the retailer is left out, since the folder is served.
//
// A file's name is made of the id's letters and digits, for people, and of its hash, so that no path
// is built from what a file or a hint says. Files that pubsync did not make are never touched. The
// record is renamed before its page, and a product leaves the other way round, so that a page is on
// sale at most as long as its record. Each order can be cut anywhere, and the next call finishes it.
//
// A page runs no script and loads nothing but pictures; its Content-Security-Policy says so.
package catalog

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"

	"github.com/pubsync/pubsync/shopadapter"
)

// adapterName is the name under which the adapter is registered.
const adapterName = "catalog"

func init() {
	shopadapter.Register(adapterName, shopadapter.Factory{
		Summary:  "a folder of web pages, one JSON file and one page a product",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return open(o) },
	})
}

type settings struct {
	Dir string          `env:"DIR, default=catalog" meaning:"folder of the catalogue; made where there is none"`
	URL shopadapter.URL `env:"URL" meaning:"address of that folder, reported with each product; required with run"`
}

// A catalog is the adapter. Its methods may be called at the same time for different publications.
type catalog struct {
	folder *folder
	base   string // address of the folder without a slash at its end; "" where it is not served
	index  *index
	log    *slog.Logger
}

// open makes the adapter and touches no disk.
func open(o shopadapter.Options) (*catalog, error) {
	var set settings
	o, err := o.Complete(adapterName, &set)
	if err != nil {
		return nil, err
	}
	c := &catalog{folder: &folder{dir: set.Dir}, base: strings.TrimRight(string(set.URL), "/"), log: o.Logger}
	c.index = &index{catalog: c}
	return c, nil
}

// Check makes the folder where there is none, and a file in it that it removes again. It names no
// currency.
func (c *catalog) Check(ctx context.Context) (is shopadapter.Info, err error) {
	if err := ctx.Err(); err != nil {
		return is, err
	}
	if err := c.folder.probe(); err != nil {
		return is, c.explain(productsFolder, err)
	}
	if _, err := c.folder.page(indexPath); err != nil {
		return is, c.explain(indexPath, err)
	}
	if names, err := c.folder.names(); err == nil && len(names) > 0 {
		c.index.changed() // a crash may have left it behind
	}
	return shopadapter.Info{Figures: true}, nil
}

// Close brings the index up to date and ends its work in the background.
func (c *catalog) Close() error { return c.explain(indexPath, c.index.pass(true)) }

// address is where a customer sees the product, "" where the folder is not served.
func (c *catalog) address(name string) string {
	if c.base == "" {
		return ""
	}
	return c.base + "/" + pagePath(name)
}

// explain says of an error about a file who can mend it. It is every product's where the folder itself
// cannot be written or the disk is full, and else one file's.
func (c *catalog) explain(path string, err error) error {
	_, said := errors.AsType[*shopadapter.Error](err)
	if err == nil || said || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := shopadapter.Retry("%s: %w", path, err)
	switch {
	case errors.Is(err, errForeign):
		e = shopadapter.Block("%s in the catalogue folder %s was not made by pubsync: move the file elsewhere, or let "+
			"PUBSYNC_CATALOG_DIR name another folder", path, c.folder.dir)
		e.ShopWide = path == indexPath // a web site of somebody else's would lose its front page
	case errors.Is(err, errBroken):
		e = shopadapter.Block("the file %s in the catalogue folder cannot be read: mend it, or remove it together with "+
			"its page (%w)", path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e = e.Everywhere()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, fs.ErrExist):
		e = shopadapter.Block("the catalogue folder %s cannot be written: let the user that pubsync runs as write "+
			"there, or let PUBSYNC_CATALOG_DIR name another (%w)", c.folder.dir, err)
		e.ShopWide = c.folder.probe() != nil
	}
	return e
}
