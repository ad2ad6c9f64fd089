// Package catalog is a shop that is a folder: one JSON file a product, one web page beside it, and
// an index to browse them by. It needs no server but one that hands out files, no database and no
// account. The demo runs on it; a retailer may use it as a real shop window on a static host.
//
//	catalog/
//	├── index.html                            all products, newest first
//	└── products/
//	    ├── <id>-<hash>.json                  the record: the product, and what was written of it
//	    └── <id>-<hash>.html                  what a customer sees
//
// # The record is the truth
//
// The JSON file holds the product as it is published, but for what the supplier asks of the
// retailer: the folder is meant to be served, so every reader may be a customer. Under "pubsync" it
// carries the publication's id, whether the product is on sale, and a hash of each text as pubsync
// last wrote it. Text and hash travel in one rename, so a lost answer never looks like an edit.
//
// A merchant may open the file and change the title, the description, the images, the category, the
// brand, or any detail of a variant. The hash then differs, the change stays when the supplier's
// text moves, and the page shows it from the next publish on. A price, a quantity or a variant that
// was changed there is listed, and the connector decides about it. A product that is taken out of
// sale keeps its record; delete removes that too. There are no drafts: whoever knows an address can
// read what lies in a folder that is served.
//
// # Names
//
// An id is data and may hold anything. A file's name is made of the letters and digits at its
// start, for people, and of 135 bits of its SHA-256. So different ids have different names on every
// file system, also on one that folds case, and no path is built from what a file or a hint says. A
// file under one of these names that has no stamp, or a stamp for another id, belongs to somebody
// else: it is neither overwritten nor removed. So it is with pages without our mark.
//
// # What survives a crash
//
// A file is written under a temporary name, synced, renamed, and its folder is synced. The record
// is renamed before its page; a product leaves the other way round, so that a page is on sale at
// most as long as its record. Each order can be cut anywhere and is finished by calling again. The
// index follows within a second, and is made of all records once after a start.
//
// # What a page may do
//
// A page runs no script and loads nothing but pictures, and its Content-Security-Policy says so to
// the browser. Text is escaped by html/template, descriptions are sanitised here once more, and
// links and pictures are http or https, or they are left out.
package catalog

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"

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
	folder   *folder
	renderer *renderer
	index    *index
	log      *slog.Logger
}

// open makes the adapter and touches no disk: a folder that is not there yet, or not mounted, is
// Check's and Publish's to report.
func open(o shopadapter.Options) (*catalog, error) {
	var set settings
	o, err := o.Complete(adapterName, &set)
	if err != nil {
		return nil, err
	}
	renderer, err := newRenderer(strings.TrimRight(string(set.URL), "/"))
	if err != nil {
		return nil, err
	}
	c := &catalog{folder: &folder{dir: set.Dir}, renderer: renderer, log: o.Logger}
	c.index = &index{catalog: c, cards: map[string]*card{}}
	return c, nil
}

// Check makes the folder where there is none, and a file in it that it removes again. It names no
// currency.
func (c *catalog) Check(ctx context.Context) (is shopadapter.Info, err error) {
	if err := ctx.Err(); err != nil {
		return is, err
	}
	if err := c.folder.probe(); err != nil {
		return is, c.explain("make a file", err)
	}
	if err := c.claim(); err != nil {
		return is, c.explain("read "+indexPath, err)
	}
	c.index.follow()
	return shopadapter.Info{Figures: true}, nil
}

// Close brings the index up to date and ends its work in the background. What it could not write,
// the next process will.
func (c *catalog) Close() error { return c.explain("write the index", c.index.close()) }

// claim makes sure that the folder is no web site of somebody else's, whose front page would be
// lost.
func (c *catalog) claim() error {
	front, err := c.folder.read(indexPath)
	if errors.Is(err, fs.ErrNotExist) || err == nil && isOurs(front) {
		return nil
	}
	if err == nil || errors.Is(err, errForeign) {
		return shopadapter.Block("the catalogue folder %s holds an %s that pubsync did not make: "+
			"let PUBSYNC_CATALOG_DIR name another folder, or move the file away", c.folder.dir, indexPath).Everywhere()
	}
	return err
}
