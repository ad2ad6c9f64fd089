package myshop

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A product is one as the shop's API has it.
type product struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Category    string    `json:"category"`
	Images      []string  `json:"images"`
	Variants    []variant `json:"variants"`
	OnSale      bool      `json:"onSale"`
	Note        string    `json:"note"`
}

// A note is the stamp that the shop keeps with the product, where no merchant edits it: whose the
// product is, and what was written last of each text.
type note struct {
	stamp.Owner
	stamp.Text
	Category stamp.Written `json:"category"`
	Images   stamp.Written `json:"images"`
}

const noteVersion = 1 // counts the rules by which the hashes in a note are made

func (p *product) note() note { return stamp.Decode[note](p.Note, noteVersion) }

// A write is one call of Publish under way.
type write struct {
	*skeleton.Write[variant]
	a    *adapter
	held *product       // as the shop answered last; without an ID: not made yet
	note note           // the stamp
	send map[string]any // what is decided of the product itself, and not written yet
}

var _ interface {
	skeleton.Shop[variant]
	skeleton.Varying[variant]
} = (*write)(nil)

func (a *adapter) open(w *skeleton.Write[variant]) *write {
	w.Clean = a.redact
	return &write{Write: w, a: a, held: &product{}}
}

// find is the products that carry the note of a publication: one, but where a creation came late.
// stamp.Key makes an id that every shop finds again, whatever it trims or folds.
func (a *adapter) find(ctx context.Context, id shopadapter.PublicationID) (own []*product, err error) {
	var found []*product
	err = a.call(ctx, http.MethodGet, "/api/products?key="+url.QueryEscape(stamp.Key(id)), nil, &found)
	for _, p := range found {
		if p.note().Owns(id, p.ID) {
			own = append(own, p)
		}
	}
	return own, err
}

// Find reads what the shop has of the publication.
func (w *write) Find(ctx context.Context) (found skeleton.Found[variant], err error) {
	all, err := w.a.find(ctx, w.Ref.Publication)
	if err != nil {
		return found, err
	}
	own, strays := skeleton.Pick(w.Ref, all, func(p *product) skeleton.Candidate {
		n := p.note()
		texts := shopadapter.Translation{Title: p.Title, Description: p.Description}
		return skeleton.Candidate{ID: p.ID, Complete: n.Complete(), Untouched: !p.OnSale && n.Holds(texts)}
	})
	if own != nil {
		w.held, w.note = own, own.note()
	}
	damaged := own != nil && w.note.Version != noteVersion
	w.note.Head = stamp.Head{Version: noteVersion, ID: string(w.Ref.Publication)}
	return skeleton.Found[variant]{
		ID: w.held.ID, Complete: w.note.Complete(), Damaged: damaged, Variants: w.held.Variants, Strays: strays,
	}, nil
}

// Draft decides what to write of the product itself, and makes it where there is none: out of sale,
// with the key and the note in the same request. So a call whose answer was lost finds what it
// made.
func (w *write) Draft(ctx context.Context) error {
	w.send = w.DecideText(
		shopadapter.FieldTitle,
		shopadapter.Translation{Title: w.held.Title, Description: w.held.Description},
		shopadapter.Translation{Title: w.Product.Title, Description: w.Product.Description},
		&w.note.Text,
	)
	category := w.Product.Category.Label()
	if w.Decide(
		shopadapter.FieldCategory, stamp.HashText(w.held.Category), stamp.HashText(category), &w.note.Category,
	) {
		w.send["category"] = category
	}
	// The toy shop shows pictures from where they are. One that takes them in does so ahead of
	// Sell: see skeleton.Picturing, and skeleton.Library.
	images := w.Product.Pictures()
	if w.Decide(shopadapter.FieldImages, stamp.HashList(w.held.Images), stamp.HashList(images), &w.note.Images) {
		w.send["images"] = images
	}
	if w.held.ID != "" {
		return nil
	}
	w.send["title"], w.send["key"] = w.Product.Title, stamp.Key(w.Ref.Publication)
	return w.put(ctx, http.MethodPost, "/api/products")
}

// Sell writes what is decided, in one request with the note, and puts the product on sale.
func (w *write) Sell(ctx context.Context) error {
	if w.note.Product = w.held.ID; !w.held.OnSale {
		w.send["onSale"] = true
	}
	if len(w.send) == 0 && w.held.Note == stamp.Encode(w.note) {
		return nil
	}
	return w.put(ctx, http.MethodPatch, w.path())
}

// Withhold takes the product out of sale.
func (w *write) Withhold(ctx context.Context) error {
	return w.a.call(ctx, http.MethodPatch, w.path(), map[string]any{"onSale": false}, w.held)
}

// put sends what is decided, and the note that speaks of it.
func (w *write) put(ctx context.Context, method, path string) error {
	w.send["note"] = stamp.Encode(w.note)
	var made product
	if err := w.a.call(ctx, method, path, w.send, &made); err != nil {
		return err
	}
	if made.ID == "" {
		return shopadapter.Retry("the shop answered without a product")
	}
	w.held, w.send = &made, map[string]any{}
	return nil
}

func (w *write) path() string { return "/api/products/" + url.PathEscape(w.held.ID) }

// OnSale is the shop's word.
func (w *write) OnSale() bool { return w.held.OnSale }

// Listing is what is known of the product.
func (w *write) Listing() shopadapter.Listing {
	return shopadapter.Listing{ID: shopadapter.ListingID(w.held.ID), URL: w.a.page(w.held)}
}

// page is where a customer sees a product.
func (a *adapter) page(p *product) string { return a.base + "/p/" + url.PathEscape(p.ID) }
