package woocommerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const figureGroups = shopadapter.FieldPrice | shopadapter.FieldStock

// A write is one call of Publish or Unpublish.
type write struct {
	kit.Merge
	a       *adapter
	ref     shopadapter.Ref
	p       shopadapter.Product // prices and SKUs as the shop has them
	state   state
	units   shopadapter.Units // the shop's
	begunAt time.Time

	hit        product // has a SKU of the publication, is not its listing
	held       product // as the shop answered last
	made       bool    // by this call
	restored   bool    // from the trash; its variations are still there
	note       note
	noted      string // as the shop holds it
	variations []heldVariation
	staysDraft bool

	variable bool
	options  []string // in the supplier's words
	planned  []kit.Planned
	words    []kit.Word
	wanted   []wanted
	surplus  []*heldVariation
	refused  kit.Refused
	missing  []shopadapter.Picture
	unclear  error    // why only price and stock are written
	leftEANs []string // refused in this call
}

func (w *write) kind() string {
	if w.variable {
		return "variable"
	}
	return "simple"
}

// sku is that of the product itself.
func (w *write) sku() string {
	if w.variable {
		return keySKU(w.ref.Publication)
	}
	return cmp.Or(w.planned[0].SKU, keySKU(w.ref.Publication))
}

// structural reports whether variations may be made, deleted, renamed and given other SKUs.
func (w *write) structural() bool { return w.unclear == nil && !w.p.Figures }

// Publish implements [shopadapter.Adapter].
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if err := ctx.Err(); err != nil {
		return shopadapter.Listing{}, err
	}
	if p.Figures && (ref.Listing == "" || ref.Reset != shopadapter.NoFields || ref.Revive) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	shop, err := a.shop.Get(ctx, false)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	w := &write{
		Merge: kit.NewMerge(ref, changed), a: a, ref: ref, p: shop.prices.Product(p), units: shop.units,
		refused: kit.Refused{}, begunAt: time.Now(),
	}
	w.state, _ = readState(ref)
	w.p.ID, w.p.Variants = ref.Publication, slices.Clone(w.p.Variants)
	for i := range w.p.Variants {
		v := &w.p.Variants[i]
		v.SKU = cleanSKU(v.SKU)
		w.variable = w.variable || len(p.Variants) > 1 || len(v.Options) > 0
	}
	unsold := w.plan() // restock plans again, when it knows the kind
	if err := w.find(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	if err := ref.Drift(w.held.ID > 0, w.held.onSale()); err != nil {
		return w.listing(), err
	}
	switch {
	case p.Figures:
		if err = w.restock(ctx); errors.Is(err, shopadapter.ErrWhole) {
			return shopadapter.Listing{}, err
		}
	case unsold != nil:
		err = unsold
	default:
		err = w.publish(ctx)
	}
	return w.listing(), err
}

func (w *write) publish(ctx context.Context) error {
	if w.held.ID == 0 {
		if err := w.create(ctx); err != nil {
			return err
		}
	}
	w.staysDraft = w.p.Draft && !w.held.onSale()
	w.Own = !w.note.finished() && !w.note.Adopted && w.note.Version == noteVersion
	if w.note.Version = noteVersion; !w.note.finished() {
		w.Changed = shopadapter.AllFields
	}
	turned := string(w.held.Type) != w.kind()
	if turned || !w.variable && w.note.Variant != encodeID(w.planned[0].ID) {
		w.Changed |= shopadapter.FieldVariants | figureGroups
	}
	if w.held.Type == "variable" && !w.made {
		if err := w.readVariations(ctx); err != nil {
			return err
		}
	}
	if w.follow(turned); w.unclear != nil {
		if w.note.finished() && w.held.onSale() {
			if err := w.sync(ctx); err != nil {
				return err
			}
		}
		return w.unclear
	}
	if err := w.shape(ctx, turned); err != nil {
		return err
	}
	if w.variable {
		if err := w.sync(ctx); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

var decimalPrice = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`)

// plan decides which variants the shop can sell. Without options visitors choose by their titles.
func (w *write) plan() error {
	if w.variable {
		w.options = attributeNames(w.p.Options, w.p.Language)
	}
	skus := map[string]string{}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) (values []string, why string) {
		for n := range w.options {
			values = append(values, chosenBy(v, w.p.Options, n))
		}
		key := strings.ToLower(v.SKU)
		switch {
		case !decimalPrice.MatchString(v.Price): // WooCommerce reads 25,55 as 2555 and anything else as no price
			return nil, fmt.Sprintf("the price %q is no decimal number", v.Price)
		case !fitsSKU(v.SKU):
			return nil, fmt.Sprintf("the SKU is longer than the %d characters that WooCommerce can look up", maxSKU)
		case key != "" && skus[key] != "":
			return nil, fmt.Sprintf("the SKU %s is that of variant %s too", v.SKU, skus[key])
		}
		skus[key] = v.ID
		return values, ""
	})
	if len(w.planned) == 0 {
		return w.refused.None(w.p)
	}
	return nil
}

func fitsSKU(sku string) bool { return utf8.RuneCountInString(sku) <= maxSKU }

// shape writes kind and options. While variations cannot be told apart, the product is a draft, until the last
// request. A global attribute must offer a new value before a variation takes it.
func (w *write) shape(ctx context.Context, turned bool) error {
	body := map[string]any{"status": "draft"}
	held, others := w.attributes(true), w.attributes(false)
	want := w.choosing(held, w.planned)
	switch {
	case turned && w.note.Adopted && !w.variable:
		return shopadapter.Block("product %s was your own before it was taken over, and has variations; the supplier's "+
			"has a single variant now: give yours another SKU, or delete it, to have one made beside it", w.a.called(w.held))
	case turned && !w.variable:
		body["type"], body["attributes"] = w.kind(), bodies(others)
		figures{}.write(body, w.planned[0].Variant, figureGroups)
	case turned:
		body["type"], body["attributes"] = w.kind(), bodies(append(w.choosing(nil, w.planned), others...))
		body["sku"], body["manage_stock"], body["regular_price"] = keySKU(w.ref.Publication), false, ""
		if w.note.Details[eanName] != "" {
			body[eanField], w.note.Details = "", without(w.note.Details, eanName)
		}
	case !w.variable || w.made || !w.structural():
		return nil
	default:
		differs := w.Changed.Has(shopadapter.FieldVariants) && !sameChoices(held, want, false)
		offers := slices.ContainsFunc(w.words, func(o kit.Word) bool { return o.ID != "" && len(o.New) > 0 })
		if body["attributes"] = bodies(append(want, others...)); !differs {
			delete(body, "status")
		}
		if !differs && !offers {
			return nil
		}
		return w.put(ctx, body)
	}
	w.variations = nil // WooCommerce deletes them with the type
	return w.put(ctx, body)
}

// restock writes figures only where the product is as Publish left it and its variations are exactly those named.
func (w *write) restock(ctx context.Context) error {
	w.variable = w.held.Type == "variable"
	if w.plan() != nil || len(w.refused) > 0 || !w.note.finished() || !w.held.onSale() {
		return shopadapter.ErrWhole
	}
	if !w.variable {
		if w.held.Type != "simple" || w.note.Variant != encodeID(w.planned[0].ID) {
			return shopadapter.ErrWhole
		}
		fields := map[string]any{}
		w.held.figures.write(fields, w.planned[0].Variant, w.Changed)
		if err := w.put(ctx, fields); err != nil || w.held.onSale() {
			return err
		}
		return w.overtaken()
	}
	if err := w.readVariations(ctx); err != nil {
		return err
	}
	w.match()
	if len(w.surplus) > 0 || slices.ContainsFunc(w.wanted, func(v wanted) bool {
		return v.Held == nil || !v.Held.settled
	}) {
		return shopadapter.ErrWhole
	}
	return w.sync(ctx)
}

func (w *write) overtaken() error {
	return shopadapter.Retry("product %d was changed in the shop while its figures were written", w.held.ID)
}

// listing returns what is known, also after a failure.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.refused, Kept: w.Kept(), Missing: w.missing, Draft: w.staysDraft}
	if w.held.ID == 0 || w.ref.Listing == "" && w.noted == "" {
		return l
	}
	l.ID = shopadapter.ListingID(idText(w.held.ID))
	if w.held.Status == "publish" {
		l.URL = string(w.held.Link)
	}
	w.state.ID, w.state.Pictures = int64(w.held.ID), w.note.Pictures
	l.State = []byte(kit.Encode(w.state))
	if !w.variable && w.note.Variant != "" && len(w.planned) == 1 {
		w.wanted = []wanted{{Planned: w.planned[0], Held: &heldVariation{figures: w.held.figures}}}
	}
	sold := slices.DeleteFunc(slices.Clone(w.wanted), func(v wanted) bool { return w.refused[v.ID] != "" })
	l.Variants = kit.Made(sold, func(v *heldVariation) string { return idText(v.ID) })
	return l
}

// Unpublish implements [shopadapter.Adapter]. In place of a deletion, a product that was taken over is given back.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w := &write{a: a, ref: ref, refused: kit.Refused{}}
	w.state, _ = readState(ref)
	if err := w.find(ctx); err != nil {
		return "", err
	}
	if w.held.ID == 0 { // find does not look for a supplier's SKU here
		for p, err := range a.listed(ctx) {
			if err != nil {
				return "", err
			}
			if owned(p, ref.Publication) {
				w.hold(p)
				break
			}
		}
	}
	switch {
	case w.held.ID == 0:
		return "", nil
	case how == shopadapter.Delete && !w.note.Adopted:
		path, query := productPath(w.held.ID), asking("force", "true", "_fields", "id")
		if err := a.call(ctx, http.MethodDelete, path, query, nil, new(json.RawMessage)); !gone(err) {
			return "", err
		}
		return "", nil
	case w.held.Status == "publish" || w.held.Status == "future":
		if err := w.put(ctx, map[string]any{"status": "draft"}); err != nil {
			return "", err
		}
		if w.held.Status == "publish" {
			return "", shopadapter.Retry("the shop does not take the product out of sale")
		}
	}
	if how == shopadapter.Delete {
		return w.giveBack(ctx)
	}
	return "", nil
}

// giveBack takes off our notes, and deletes the variations that we added.
func (w *write) giveBack(ctx context.Context) (said string, err error) {
	if w.held.Type == "variable" {
		if err := w.readVariations(ctx); err != nil {
			return "", err
		}
		var ops []op
		for _, v := range w.variations {
			o := op{place: -1, id: v.ID}
			if !v.mark.Added {
				o.body = map[string]any{"meta_data": metaOf(nil)}
			}
			if v.key != "" {
				ops = append(ops, o)
			}
		}
		if _, err := w.send(ctx, ops); err != nil {
			return "", err
		}
	}
	got, err := w.a.writeProduct(ctx, "PUT", productPath(w.held.ID), map[string]any{"meta_data": metaOf(nil)})
	switch {
	case gone(err):
	case err != nil:
		return "", err
	case got.meta(noteKey) != "": // a plugin guards it, and the product would pass for ours
		return "", shopadapter.Retry("the shop does not take the mark off product %d", w.held.ID)
	}
	return fmt.Sprintf("product #%d was your own before it was taken over: it was made a draft in place of being "+
		"deleted, and our mark is off", w.held.ID), nil
}
