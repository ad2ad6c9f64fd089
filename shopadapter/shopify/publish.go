package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish under way.
type write struct {
	kit.Merge
	a       *Adapter
	shop    *shop
	ref     shopadapter.Ref
	p       shopadapter.Product // as wanted
	figures bool                // nothing but figures is known, and written
	have    *product            // as the shop holds it, nil until it is made

	note       note   // as it is to be
	stored     string // as the shop holds it
	complete   bool   // it was, before this call
	confirmed  bool   // this call read back what it wrote
	broken     bool   // the last call did not end well
	staysDraft bool   // it is to be complete and not on sale

	planned []kit.Planned
	options []string // their names, in the merchant's words
	choices []kit.Known
	wanted  []wanted
	surplus []*variant // ours in the shop that are not wanted
	foreign []*variant // the merchant's
	refused kit.Refused
	missing []shopadapter.Picture
	// options and variants are written as the supplier has them; otherwise they stay, and prices
	// and stock alone are written
	whole   bool
	lists   bool  // whether to write options and variants at all
	unclear error // why options and variants stay as they are in the shop; nil: they may change
	clash   error // what the merchant has to mend; a product that is not on sale stays so until then

	rows       []kit.Row                    // the texts, by language: first those of the product itself
	words      input                        // to write of the product itself: texts, vendor, tags
	details    map[string]map[string]string // to write, by the supplier's id of a variant
	translated []input                      // translations to write

	images        bool // whether to write the pictures
	uploads       bool // whether new ones are among them
	foreignImages bool // the merchant has changed them
	sent          []picture
	leftOut       map[string]error // addresses that are not given to the shop, and why
}

// Publish makes the product equal to p and puts it on sale:
//
//	Look             the product by its key, with texts, pictures and variants
//	Write            productUpdate: texts and note; productSet: options, variants and pictures
//	Media            until the shop has fetched new pictures
//	Translatable     what translations need
//	Finish           translations, sales channel, "active", and the note with the ids of new pictures
//
// A request that has nothing to write is left out. A new product is a draft until the last one. A
// call may end behind any request, and the next one finds the product by its key.
func (a *Adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if p.Figures {
		changed &= shopadapter.FieldPrice | shopadapter.FieldStock
	}
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, ref: ref, p: p, figures: p.Figures,
		refused: kit.Refused{}, leftOut: map[string]error{},
	}
	if err := w.look(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	if w.figures {
		return w.restock(ctx)
	}
	err := w.publish(ctx)
	return w.listing(), err
}

func (w *write) publish(ctx context.Context) error {
	if err := w.plan(); err != nil {
		return err
	}
	w.planWords()
	w.planTags()
	w.planDetails()
	w.planTranslations()
	for _, step := range []func(context.Context) error{w.planImages, w.put, w.awaitPictures, w.translate, w.finish} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if !w.have.onSale() && !w.staysDraft {
		return shopadapter.Retry("the shop did not put the product on sale")
	}
	return w.clash
}

// look reads the product, and what its note says of the last write. The error says so where
// somebody deleted or hid it. What was written last is certain where the caller remembers the digest
// of the note.
func (w *write) look(ctx context.Context) (err error) {
	if w.shop, err = w.a.shop.Get(ctx, false); err != nil {
		return err
	}
	w.rows = kit.Rows(w.p, w.shop.primary, w.shop.locales)
	see := whole
	if w.figures {
		see = figures(len(w.p.Variants))
	}
	if w.have, err = w.a.find(ctx, w.shop, w.ref, see); err != nil {
		return err
	}
	w.note = w.have.note()
	w.complete = w.note.Product != ""
	last, _ := readState(w.ref)
	w.broken = last != "" && last != w.note.digest()
	w.Unsure = last == "" || w.broken
	w.choices = w.note.Choices
	w.Own = w.have == nil || !w.complete && w.note.Version == noteVersion
	if w.have != nil {
		if !w.have.belongs(w.ref.Publication) { // productSet with this key would write over it
			return shopadapter.Block("the product %s has a value in its metafield pubsync.publication that the shop takes "+
				"for this publication's: clear that field in Shopify", number(w.have.ID))
		}
		if !w.figures {
			w.note.Images, w.foreignImages = w.note.settled(w.have.Media)
			w.note.Next, w.note.Writing = nil, false
		}
		w.stored = kit.Encode(w.note)
	}
	w.note.Note = kit.Note{Version: noteVersion, ID: string(w.ref.Publication), Product: w.note.Product}
	if !w.complete {
		w.Changed = shopadapter.AllFields
	}
	w.staysDraft = w.p.Draft && !w.have.onSale()
	if err := w.ref.Drift(w.have != nil, w.have.onSale()); err != nil {
		return err
	}
	return w.shop.unpriced
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{
		Variants: kit.Made(w.wanted, func(v *variant) string { return v.ID }),
		Refused:  w.refused, Kept: w.Kept(), Draft: w.staysDraft,
	}
	if w.have == nil {
		return l
	}
	l.ID, l.URL = shopadapter.ListingID(w.have.ID), w.a.address(w.have)
	switch {
	case w.figures:
		l.State = w.ref.State // of the note, which is as it was
	case w.confirmed:
		l.State, l.Missing = writeState(w.note, w.have.ID), w.missing
	}
	return l
}

// restock writes prices and stock alone. It lets nothing pass that a whole product would do
// anything else for: a product out of sale or never complete, a write of unknown outcome, a group
// that is given back, variants that are not exactly those that the figures name, and what the shop
// refuses, which Publish leaves out.
//
// No other mutation takes both: productVariantsBulkUpdate sets quantities only of new variants, and
// inventorySetQuantities takes quantities alone. The note is not written, so the state stays as it
// was.
func (w *write) restock(ctx context.Context) (none shopadapter.Listing, err error) {
	if !w.complete || w.Unsure || !w.have.onSale() || w.Reset != shopadapter.NoFields || w.plan() != nil ||
		len(w.refused)+len(w.surplus) > 0 || kit.Unmade(w.wanted) {
		return none, shopadapter.ErrWhole
	}
	w.lists = w.Changed != shopadapter.NoFields
	again, err := w.putOnce(ctx)
	if e := shopadapter.Explain(err); again || e != nil && e.Kind == shopadapter.Rejected {
		return none, shopadapter.ErrWhole
	}
	return w.listing(), err
}
