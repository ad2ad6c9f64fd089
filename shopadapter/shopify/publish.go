package shopify

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A write is one call of Publish.
type write struct {
	kit.Merge
	a    *Adapter
	shop *shop
	ref  shopadapter.Ref
	p    shopadapter.Product // wanted
	have *product            // in the shop; nil until it is made

	note       note   // to be
	stored     string // in the shop
	complete   bool   // before this call
	confirmed  bool   // this call read back what it wrote
	broken     bool   // the last call did not end well
	staysDraft bool   // it becomes complete but not on sale

	planned []kit.Planned
	options []string // in the merchant's words
	choices []kit.Known
	wanted  []wanted
	surplus []*variant // ours, not wanted
	foreign []*variant // the merchant's
	refused kit.Refused
	missing []shopadapter.Picture
	// options and variants are written as the supplier has them; otherwise only prices and stock
	whole   bool
	lists   bool  // write options and variants at all
	unclear error // why options and variants must stay, or nil
	clash   error // for the merchant to mend; until then the product does not go on sale

	rows       []kit.Row                    // texts by language, the product's own first
	words      input                        // to write: texts, vendor, tags
	details    map[string]map[string]string // to write, by variant id
	translated []input                      // to write

	images        bool // write the pictures
	uploads       bool // some are new
	foreignImages bool // the merchant changed them
	sent          []picture
	leftOut       map[string]error // why not sent, by address
}

// Publish makes the product equal to p and puts it on sale by these requests, as far as there is something to
// write:
//
//	Look             the product by its key, with texts, pictures and variants
//	Write            productUpdate: texts and note; productSet: options, variants and pictures
//	Media            until the shop has fetched new pictures
//	Translatable     what translations need
//	Finish           translations, sales channel, "active", and the note with the ids of new pictures
//
// A new product is a draft until Finish. A call may end after any request; the next finds the product by its key.
func (a *Adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if p.Figures {
		changed &= shopadapter.FieldPrice | shopadapter.FieldStock
	}
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, ref: ref, p: p,
		refused: kit.Refused{}, leftOut: map[string]error{},
	}
	if err := w.look(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	if w.p.Figures {
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

// look reads the product and its note. It returns an error if somebody deleted or hid the product. The last write
// is certain if the caller remembers the note's digest.
func (w *write) look(ctx context.Context) (err error) {
	if w.shop, err = w.a.shop.Get(ctx, false); err != nil {
		return err
	}
	w.rows = kit.Rows(w.p, w.shop.primary, w.shop.locales)
	see := whole
	if w.p.Figures {
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
		if !w.have.belongs(w.ref.Publication) { // productSet with this key would overwrite it
			return shopadapter.Block("the product %s has a value in its metafield pubsync.publication that the shop takes "+
				"for this publication's: clear that field in Shopify", number(w.have.ID))
		}
		if !w.p.Figures {
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
	case w.p.Figures:
		l.State = w.ref.State // of the unchanged note
	case w.confirmed:
		l.State, l.Missing = writeState(w.note, w.have.ID), w.missing
	}
	return l
}

// restock writes prices and stock alone. It returns ErrWhole if Publish would do more for the whole product: if it
// is off sale or was never complete, the last write is uncertain, a group is reset, the variants differ, or the
// shop refuses something.
//
// productVariantsBulkUpdate sets quantities of new variants only, and inventorySetQuantities sets no prices; so it
// uses productSet. Note and state stay as they are.
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

// Unpublish makes the product a draft, which the back office keeps, or deletes it for good. Only the key leads to
// it, so a wrong hint never touches a product of the merchant's own.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return "", err
	}
	see := sight{name: "Find", fields: pageFields + noteFields, points: 5}
	p, err := a.find(ctx, s, ref, see)
	if err != nil || p == nil || !p.belongs(ref.Publication) || how == shopadapter.TakeOffline && !p.live() {
		return "", err
	}
	r := request{doing: "withdraw product", document: document("mutation", "Withdraw", partUpdate), estimate: costMutation}
	r.variables = input{"update": input{"id": p.ID, "status": draft}}
	if how == shopadapter.Delete {
		r.doing, r.document, r.variables = "delete product", deleteDocument, input{"input": input{"id": p.ID}}
	}
	got, err := a.call(ctx, r)
	switch {
	case err != nil:
		return "", err
	case how == shopadapter.TakeOffline:
		err = a.took(r.doing, got.Update)
	case got.Delete != nil && len(got.Delete.Errors) > 0:
		err = shopadapter.Block("the shop does not delete the product %s: %s", number(p.ID),
			a.clean(got.Delete.Errors[0].Message))
	default:
		err = a.took(r.doing, got.Delete)
	}
	if err != nil {
		if p, failed := a.find(ctx, s, ref, see); failed == nil && p == nil {
			return "", nil // deleted meanwhile
		}
	}
	return "", err
}

func (a *Adapter) took(doing string, p *payload) error {
	switch {
	case p == nil:
		return fmt.Errorf("%s: %w", doing, shopadapter.Retry("the shop's answer lacks a part"))
	case len(p.Errors) > 0:
		return fmt.Errorf("%s: %w", doing, a.refusal(p.Errors[0]))
	}
	return nil
}
