// Package catalog is a shop that is a folder of web pages: the demo runs on it, and a retailer may
// use it as a shop window on a static host. It needs no database and no account.
//
//	index.html                  all products, newest first
//	products/<id>-<hash>.json   the record: the product, and what was written of it
//	products/<id>-<hash>.html   what a customer sees; a product without it is not on sale
//
// Under "pubsync" the record carries the publication's id, and a hash of each text as pubsync last wrote
// it, in one rename with the text. A merchant may edit texts, pictures, category and brand in the file:
// the hash then differs, and the edit stays. What the supplier asks of the retailer is left out, since
// the folder is served.
//
// No path is built from what a file or a hint says, and files that pubsync did not make are never
// touched. A record is renamed before its page, and a product leaves the other way round, so that each
// order can be cut anywhere, and the next call finishes it. A page runs no script and loads nothing but
// pictures.
package catalog

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

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
	log    *slog.Logger

	mu     sync.Mutex  // guards what follows, and is held while the index is written
	owed   *time.Timer // of the pass that is to write the index; nil: none is owed
	closed bool
}

// open makes the adapter and touches no disk.
func open(o shopadapter.Options) (*catalog, error) {
	var set settings
	o, err := o.Complete(adapterName, &set)
	if err != nil {
		return nil, err
	}
	return &catalog{
		folder: &folder{dir: set.Dir}, base: strings.TrimRight(string(set.URL), "/"), log: o.Logger,
	}, nil
}

// Check makes the folder where there is none, and a file in it that it removes again. It names no
// currency.
func (c *catalog) Check(ctx context.Context) (shopadapter.Info, error) {
	err := ctx.Err()
	if err == nil {
		err = c.folder.probe()
	}
	if err == nil {
		_, err = c.folder.page(indexPath)
	}
	if names, listed := c.folder.names(); err == nil && listed == nil && len(names) > 0 {
		c.changed() // a crash may have left it behind
	}
	return shopadapter.Info{Figures: err == nil}, c.explain(err)
}

// Close brings the index up to date and ends its work in the background.
func (c *catalog) Close() error { return c.explain(c.pass(true)) }

// address is where a customer sees the product, "" where the folder is not served.
func (c *catalog) address(name string) string {
	if c.base == "" {
		return ""
	}
	return c.base + "/" + pagePath(name)
}

// explain says of an error about a file who can mend it. It is every product's where the folder itself
// cannot be written or the disk is full, and else one file's.
func (c *catalog) explain(err error) error {
	of, _ := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, errForeign):
		e := shopadapter.Block("%s was not made by pubsync: move the file elsewhere, or let PUBSYNC_CATALOG_DIR name "+
			"another folder", of.Path)
		e.ShopWide = filepath.Base(of.Path) == indexPath // a web site of somebody else's would lose its front page
		return e
	case errors.Is(err, errBroken):
		return shopadapter.Block("the file %s cannot be read: mend it, or remove it together with its page (%w)",
			of.Path, of.Err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return shopadapter.Retry("%w", err).Everywhere()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, fs.ErrExist):
		e := shopadapter.Block("the catalogue folder %s cannot be written: let the user that pubsync runs as write "+
			"there, or let PUBSYNC_CATALOG_DIR name another (%w)", c.folder.dir, err)
		e.ShopWide = c.folder.probe() != nil
		return e
	}
	return err
}
