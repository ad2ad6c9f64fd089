package woocommerce

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const figureGroups = shopadapter.FieldPrice | shopadapter.FieldStock

// A write is one call of Publish. It looks at the product and its variations, always, and writes
// what differs: first what the options need, then the variations in batches, then the product with
// its pictures, its note and "publish" in one request.
type write struct {
	kit.Merge
	a     *adapter
	ref   shopadapter.Ref
	p     shopadapter.Product // prices and SKUs in the form in which the shop has them
	state state

	held       product // as the shop answered last
	note       note    // of this write
	noted      string  // the note as the shop holds it
	variations []heldVariation
	fresh      bool // this call made the product
	restored   bool // this call took it out of the trash
	staysDraft bool
	category   *chosen // nil: this call did not look for it
	begunAt    time.Time

	variable    bool     // there is something to choose
	options     []string // what visitors choose by, in the supplier's words
	planned     []kit.Planned
	words       []kit.Word
	wanted      []kit.Wanted[heldVariation]
	surplus     []*heldVariation
	refused     kit.Refused
	units       shopadapter.Units // of weight and size in the shop
	missing     []shopadapter.Picture
	wroteImages bool
	unclear     error    // why options and variations stay as they are
	leftEANs    []string // refused in this call
}

// begin is a call about a product. A call about figures alone knows nothing else of it.
func (a *adapter) begin(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (*write, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shop, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, err
	}
	w := &write{Merge: kit.NewMerge(ref, changed), a: a, ref: ref, refused: kit.Refused{}, begunAt: time.Now()}
	w.state, _ = readState(ref)
	w.p, w.units = shop.prices.Product(p), shop.units
	w.p.ID = ref.Publication
	w.p.Variants = slices.Clone(w.p.Variants)
	for i := range w.p.Variants {
		w.p.Variants[i].SKU = cleanSKU(w.p.Variants[i].SKU)
	}
	w.variable = len(p.Variants) > 1 ||
		slices.ContainsFunc(p.Variants, func(v shopadapter.Variant) bool { return len(v.Options) > 0 })
	return w, nil
}

func (w *write) kind() string {
	if w.variable {
		return "variable"
	}
	return "simple"
}

// Publish is [shopadapter.Adapter].
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w, err := a.begin(ctx, ref, p, changed)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if p.Figures && (ref.Listing == "" || ref.Reset != shopadapter.NoFields || ref.Revive) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	if err := w.find(ctx); err != nil {
		return shopadapter.Listing{}, err
	}
	if err := ref.Drift(w.held.ID > 0, w.held.onSale()); err != nil {
		return w.listing(), err
	}
	if !p.Figures {
		err = w.publish(ctx)
	} else if err = w.restock(ctx); errors.Is(err, shopadapter.ErrWhole) {
		return shopadapter.Listing{}, err
	}
	return w.listing(), err
}

func (w *write) publish(ctx context.Context) error {
	if err := w.plan(); err != nil {
		return err
	}
	if w.held.ID == 0 {
		if err := w.create(ctx); err != nil {
			return err
		}
	}
	onSale := w.held.onSale()
	w.staysDraft = w.p.Draft && !onSale
	if w.Own = !w.note.Done && !w.note.Adopted; !w.note.Done {
		w.Changed = shopadapter.AllFields
	}
	turned := string(w.held.Type) != w.kind()
	if turned || !w.variable && w.note.Variant != encodeID(w.planned[0].ID) {
		w.Changed |= shopadapter.FieldVariants | figureGroups
	}
	if w.held.Type == "variable" && !w.fresh {
		if err := w.readVariations(ctx); err != nil {
			return err
		}
	}
	if err := w.follow(turned); err != nil {
		return err
	}
	if err := w.shape(ctx, turned); err != nil {
		return err
	}
	var err error
	if w.variable {
		err = w.sync(ctx)
	} else {
		w.variations = nil
	}
	if err == nil && w.unclear != nil && !w.held.onSale() {
		err = w.unclear
	}
	if err == nil {
		err = w.finish(ctx)
	}
	if err != nil {
		return err
	}
	if w.Changed.Has(shopadapter.FieldVariants) || len(w.surplus) > 0 || w.incomplete() {
		return w.unclear // where no choice is to be written the merchant's may stay as they are
	}
	return nil
}

// incomplete reports whether the shop has still to make a variation.
func (w *write) incomplete() bool {
	return slices.ContainsFunc(w.wanted, func(v kit.Wanted[heldVariation]) bool { return v.Held == nil })
}

// shape brings kind and options of the product to what is wanted, where its variations could not be
// told apart meanwhile: it is a draft until the last request.
func (w *write) shape(ctx context.Context, turned bool) error {
	switch {
	case turned && w.note.Adopted && !w.variable:
		return shopadapter.Block("product %s was your own before it was taken over, and has variations; the supplier's "+
			"has a single variant now: give yours another SKU, or delete it, to have one made beside it", w.a.called(w.held))
	case turned:
		body := map[string]any{"status": "draft", "type": w.kind()}
		if w.variable {
			body["attributes"] = bodies(append(w.choosing(nil, w.planned), w.others()...))
			body["sku"], body["manage_stock"], body["regular_price"] = keySKU(w.ref.Publication), false, ""
			if w.note.Details[eanName] != "" {
				body[eanField] = ""
				w.note.Details = without(w.note.Details, eanName)
			}
		} else {
			body["attributes"] = bodies(w.others())
			figureBody(body, w.planned[0].Variant, figureGroups)
		}
		w.variations = nil
		return w.put(ctx, body)
	case !w.variable || w.fresh || !w.structural() || !w.Changed.Has(shopadapter.FieldVariants):
		return nil
	}
	held := w.heldChoosing()
	want := w.choosing(held, w.planned)
	if !sameChoices(held, want, false) {
		return w.put(ctx, map[string]any{"status": "draft", "attributes": bodies(append(want, w.others()...))})
	}
	return nil
}

var decimalPrice = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`)

// plan says which variants the shop can sell, and by what visitors choose them. Where they are told
// apart by nothing, their titles are the choice.
func (w *write) plan() error {
	names := optionNames(w.p)
	if w.variable {
		w.options = attributeNames(names, w.p.Language)
	}
	place, skus := 0, map[string]string{}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) (values []string, why string) {
		place++
		for n := range w.options {
			values = append(values, chosenBy(v, names, n, place))
		}
		key := strings.ToLower(v.SKU)
		switch {
		case !decimalPrice.MatchString(v.Price): // WooCommerce reads 25,55 as 2555 and anything else as no price
			return nil, fmt.Sprintf("the price %q is no decimal number", v.Price)
		case utf8.RuneCountInString(v.SKU) > maxSKU:
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

// sku is the one of the product itself.
func (w *write) sku() string {
	if !w.variable && len(w.planned) == 1 && w.planned[0].SKU != "" {
		return w.planned[0].SKU
	}
	return keySKU(w.ref.Publication)
}

// skus are those by which the product can be found.
func (w *write) skus() []string {
	list := []string{keySKU(w.ref.Publication)}
	for _, v := range w.p.Variants {
		if v.SKU != "" && utf8.RuneCountInString(v.SKU) <= maxSKU {
			list = append(list, v.SKU)
		}
	}
	return list
}

// listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) listing() shopadapter.Listing {
	l := shopadapter.Listing{Refused: w.refused, Kept: w.Kept(), Missing: w.missing, Draft: w.staysDraft}
	if w.held.ID == 0 || w.ref.Listing == "" && w.noted == "" {
		return l
	}
	l.ID = shopadapter.ListingID(idText(w.held.ID))
	if w.held.Status == "publish" {
		l.URL = string(w.held.Link)
	}
	if w.category != nil {
		w.state.Category = w.category
	}
	w.state.ID = int64(w.held.ID)
	l.State = []byte(kit.Encode(w.state))
	made := map[string]string{}
	for _, v := range w.wanted {
		if v.Held != nil && v.Held.ID > 0 && w.refused[v.ID] == "" {
			made[v.ID] = idText(v.Held.ID)
		}
	}
	if !w.variable && w.note.Variant != "" && len(w.planned) == 1 {
		made[w.planned[0].ID] = idText(w.held.ID)
	}
	l.Variants = shopadapter.Made(made)
	return l
}

// unanswered notes a write of variations that PHP may still be working on.
func (w *write) unanswered(err error) error {
	if uncertain(err) {
		w.state.Unanswered = time.Now().UnixMilli()
	}
	return err
}
