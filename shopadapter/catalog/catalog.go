// Package catalog is a shop that is a folder of web pages, for the demo or as a shop window on a static host:
//
//	index.html                  all products, newest first
//	products/<id>-<hash>.json   the record: the product, and what was written of it
//	products/<id>-<hash>.html   what a customer sees; a product without it is not on sale
//
// A merchant may edit texts, pictures, category and brand in the record: the hash then differs, and the edit stays.
// The folder is served, so it lacks what the supplier asks of the retailer.
//
// No path comes from a file or a hint, and pubsync touches only its own files. A record is written before its page
// and removed after it: a call may be cut anywhere, and the next one finishes it. A page runs no script and loads
// only pictures.
package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

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

type catalog struct {
	dir  string
	base string // the folder's address without a final slash; "" if it is not served
	log  *slog.Logger
	step func(doing string) error // before each change of the disk: tests fail or crash there

	mu   sync.Mutex  // guards owed, held while the index is written
	owed *time.Timer // of the pass that writes the index; nil: none is owed
}

func open(o shopadapter.Options) (*catalog, error) {
	var set settings
	o, err := o.Complete(adapterName, &set)
	if err != nil {
		return nil, err
	}
	return &catalog{
		dir: set.Dir, base: strings.TrimRight(string(set.URL), "/"), log: o.Logger,
		step: func(string) error { return nil },
	}, nil
}

// Check writes the index, and so finds out whether files can be made.
func (c *catalog) Check(ctx context.Context) (shopadapter.Info, error) {
	c.changed()
	err := cmp.Or(ctx.Err(), c.explain(c.pass()))
	return shopadapter.Info{Figures: err == nil}, err
}

// Close brings the index up to date.
func (c *catalog) Close() error { return c.explain(c.pass()) }

// Publish writes the record and page; the index follows soon. It ignores ref.State.
func (c *catalog) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (none shopadapter.Listing, err error) {
	name := fileName(ref.Publication)
	old, err := c.read(name)
	if err == nil {
		err = ref.Drift(old != nil, old != nil && old.onSale)
	}
	if errors.Is(err, shopadapter.ErrGone) {
		// Without a record the page would stay on sale for ever: no call could change it.
		err = cmp.Or(c.dropPage(name), err)
	}
	if err == nil && p.Figures { // other variants, or perhaps missed changes, need the whole
		same := old != nil && old.onSale && ref.Listing != "" && ref.Reset == shopadapter.NoFields
		if same {
			p, same = old.Refigured(p)
		}
		if !same {
			err = shopadapter.ErrWhole
		}
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return none, c.explain(err)
	}
	next, kept := merge(ref, old, shown(p), changed)
	if err := c.put(ctx, name, old, next); err != nil {
		return none, c.explain(err)
	}
	l := c.listed(name, next)
	l.Listing.Kept = kept
	return l.Listing, nil
}

func (c *catalog) put(ctx context.Context, name string, old, next *record) error {
	page, err := render("product", newView(next))
	if err != nil {
		return err
	}
	stands, err := c.page(pagePath(name))
	if err == nil {
		_, err = c.page(indexPath)
	}
	if data := next.encode(); err == nil && (old == nil || !bytes.Equal(old.encode(), data)) {
		err = c.write(recordPath(name), data)
		c.changed()
	}
	if err = cmp.Or(err, ctx.Err()); err == nil && !bytes.Equal(stands, page) {
		err = c.write(pagePath(name), page)
		c.changed()
	}
	return err
}

// Unpublish removes the page, then for a delete the record. If cut in between, a second call does the rest.
func (c *catalog) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name := fileName(ref.Publication)
	r, err := c.read(name)
	if err == nil || errors.Is(err, errForeign) {
		err = c.dropPage(name)
	}
	if err == nil && r != nil && how == shopadapter.Delete {
		err = c.remove(recordPath(name))
	}
	return "", c.explain(err)
}

// dropPage removes a product's page if pubsync made it.
func (c *catalog) dropPage(name string) error {
	page, err := c.page(pagePath(name))
	if page != nil && err == nil {
		c.changed()
		return c.remove(pagePath(name))
	}
	if errors.Is(err, errForeign) {
		return nil
	}
	return err
}

// List logs and skips a file that is no record, or a copy under another name: the merchant may edit any line.
func (c *catalog) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		wanted := map[string]bool{}
		for _, ref := range q.Refs {
			wanted[fileName(ref.Publication)] = true
		}
		names, err := c.names()
		for _, name := range names {
			if q.Refs != nil && !wanted[name] {
				continue
			}
			var r *record
			if err = ctx.Err(); err == nil {
				r, err = c.read(name)
			}
			if errors.Is(err, errForeign) {
				c.log.WarnContext(ctx, "catalogue record passed over", "file", recordPath(name), "error", err)
				err = nil
				continue
			}
			if err != nil || r != nil && !yield(c.listed(name, r), nil) {
				break
			}
		}
		if err != nil {
			yield(shopadapter.Listed{}, c.explain(err))
		}
	}
}

func (c *catalog) listed(name string, r *record) shopadapter.Listed {
	l := shopadapter.Listing{ID: shopadapter.ListingID(name), OnSale: r.onSale, Images: len(r.Pictures())}
	if c.base != "" {
		l.URL = c.base + "/" + pagePath(name)
	}
	l.Variants = kit.Each(r.Variants, func(v shopadapter.Variant) shopadapter.ListedVariant {
		return shopadapter.ListedVariant{
			ID: v.ID, ShopID: anchor(v.ID), SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
			OnSale: true,
		}
	})
	var texts kit.Comparison
	for group, held := range r.hashes() {
		texts.Compare(group, held, r.Stamp.Written[group.String()])
	}
	l.Compared, l.Edited = texts.Compared, texts.Edited
	return shopadapter.Listed{Ref: shopadapter.Ref{Publication: r.Stamp.Publication, Listing: l.ID}, Listing: l}
}
