package woocommerce

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
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
	unclear     error // why options and variations stay as they are
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
			if w.note.Details.Last[eanName] != "" {
				body[eanField] = ""
				w.note.Details.Last = without(w.note.Details.Last, eanName)
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

// put writes the product, with its note where that differs from what the shop holds.
func (w *write) put(ctx context.Context, fields map[string]any) error {
	body := maps.Clone(fields)
	if encoded := kit.Encode(w.note); encoded != w.noted {
		body["meta_data"] = []any{metaOf(noteKey, encoded)}
	}
	var got product
	_, err := w.a.call(ctx, http.MethodPut, productPath(w.held.ID),
		asking("_fields", productFields, "include_meta", noteKey), body, &got)
	switch r := refused(err); {
	case gone(err):
		return shopadapter.Retry("the product was deleted in the shop at this moment")
	case hasCode(err, codeSKU) && r.Resource > 0 && number(r.Resource) != w.held.ID:
		return w.skuElsewhere(ctx, number(r.Resource), r)
	case r != nil && refusesEAN(r.Code) && body[eanField] != nil && body[eanField] != "":
		w.tellEAN(w.sku(), body[eanField], r.Message)
		delete(fields, eanField)
		w.note.Details.Last = without(w.note.Details.Last, eanName)
		return w.put(ctx, fields)
	case err != nil:
		return err
	case got.ID != w.held.ID:
		return shopadapter.Retry("the shop answered a write with another product")
	}
	w.held = got
	if w.noted = got.meta(noteKey); w.noted == "" {
		w.noted = kit.Encode(w.note) // not shown, but sent
	}
	return nil
}

// skuElsewhere is the error of a SKU that another product has. An unfinished draft of ours beside
// the listing goes.
func (w *write) skuElsewhere(ctx context.Context, id number, r *refusal) error {
	hit, err := w.a.product(ctx, id)
	if err != nil {
		return err
	}
	p, err := w.a.ownerOf(ctx, hit)
	switch {
	case err != nil:
		return err
	case p.ID == 0 || p.ID == w.held.ID:
		return shopadapter.Retry("the shop has not let go of the SKU yet: %s", r.Message)
	case owned(p, w.ref.Publication) && w.Own:
		if err := w.a.remove(ctx, w.held.ID); err != nil {
			return err
		}
		return shopadapter.Retry("product %s is the listing, and an unfinished one beside it was deleted", w.a.called(p))
	}
	return w.foreign(p, string(hit.SKU))
}

// remove deletes a product for good. One that is gone already is no error.
func (a *adapter) remove(ctx context.Context, id number) error {
	var got raw
	_, err := a.call(ctx, http.MethodDelete, productPath(id), asking("force", "true", "_fields", "id"), nil, &got)
	if gone(err) {
		return nil
	}
	return err
}

// heldTexts are the text groups as the product was last seen.
func (w *write) heldTexts() map[shopadapter.Fields]kit.Hash {
	return map[shopadapter.Fields]kit.Hash{
		shopadapter.FieldTitle:       hashTitle(string(w.held.Name)),
		shopadapter.FieldDescription: hashDescription(string(w.held.Content)),
		shopadapter.FieldCategory:    hashCategories(w.held.Categories),
		shopadapter.FieldImages:      kit.HashList(w.shownMarks()),
	}
}

// finish writes what differs of the product itself, in one request with the complete note, and puts
// it on sale.
func (w *write) finish(ctx context.Context) error {
	fields := map[string]any{}
	if err := w.decide(ctx, fields); err != nil {
		return err
	}
	if w.held.Status != "publish" && !w.staysDraft {
		fields["status"] = "publish"
	}
	maps.Copy(fields, w.held.hidden())
	w.note.Done, w.note.Product = true, kit.ProductID(idText(w.held.ID))
	wrote := maps.Clone(fields)
	if err := w.putPictures(ctx, fields); err != nil {
		return err
	}
	switch again, err := w.settle(ctx, wrote); {
	case err != nil:
		return err
	case !w.held.onSale() && !w.staysDraft:
		return shopadapter.Retry("the shop does not put the product on sale: it is %s", w.a.clean(string(w.held.Status)))
	case again != nil:
		return w.put(ctx, again)
	}
	return nil
}

// decide fills in what is to be written of the product, and brings the note to it.
func (w *write) decide(ctx context.Context, fields map[string]any) error {
	held := w.heldTexts()
	title, description := escapeTitle(w.p.Title), defuse(w.p.Description)
	if w.Decide(shopadapter.FieldTitle, held[shopadapter.FieldTitle], hashTitle(title), &w.note.Title) {
		fields["name"] = title
	}
	if w.Decide(shopadapter.FieldDescription, held[shopadapter.FieldDescription], hashDescription(description),
		&w.note.Description) {
		fields["description"] = description
	}
	if err := w.decideCategory(ctx, fields); err != nil {
		return err
	}
	if err := w.decideBrand(ctx, fields); err != nil {
		return err
	}
	w.decideAttributes(fields)
	if w.variable {
		w.note.Variant = ""
		w.decideSizes(fields, shopadapter.Variant{})
	} else {
		w.decideItself(fields)
	}
	return nil
}

// decideCategory leaves a product where it is when the shop has no category for it.
func (w *write) decideCategory(ctx context.Context, fields map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldCategory) {
		return nil
	}
	held := hashCategories(w.held.Categories)
	if held.Exact == "" {
		if deleted, err := w.a.categories.deleted(ctx, w.note.Category, w.begunAt); err != nil {
			return err
		} else if deleted {
			w.note.Category = kit.Written{} // nobody took it out
		}
	}
	if !w.fresh { // draft has looked for it
		var err error
		makes := w.note.Category.IsOwn(held, false) || w.Reset.Has(shopadapter.FieldCategory)
		w.category, err = w.a.categories.find(ctx, w.p.Category, w.state.Category, makes, w.ref.Asked)
		if err != nil {
			return err
		}
	}
	if w.category == nil || w.category.ID == 0 {
		return nil
	}
	if w.Decide(shopadapter.FieldCategory, held, hashIDs([]int64{w.category.ID}), &w.note.Category) {
		fields["categories"] = idList(w.category.ID)
	}
	return nil
}

// readBack has the note speak of texts just written as the shop holds them, and reports whether
// that makes a difference.
func (w *write) readBack(groups shopadapter.Fields) (differs bool) {
	held := w.heldTexts()
	for group, last := range w.note.texts() {
		if groups.Has(group) && last.ReadBack(held[group]) {
			differs = true
		}
	}
	return differs
}

// settle looks at what the shop made of a write, and returns what is to be written once more, nil
// for nothing: the note, where the shop altered a text; a category or a brand that was deleted
// meanwhile.
func (w *write) settle(ctx context.Context, wrote map[string]any) (map[string]any, error) {
	again := map[string]any{}
	if wrote["categories"] != nil && w.note.Category.Exact != hashCategories(w.held.Categories).Exact {
		w.a.categories.forget()
		w.note.Category, w.fresh = kit.Written{Hash: hashCategories(w.held.Categories)}, false
		if err := w.decideCategory(ctx, again); err != nil {
			return nil, err
		}
		if again["categories"] == nil {
			w.note.Category = kit.Written{Hash: hashCategories(w.held.Categories)}
		}
	}
	if brands, _ := wrote["brands"].([]map[string]any); len(brands) > 0 && heldBrands(w.held) == "" {
		w.a.brands.forget()
		w.note.Details.Last = without(w.note.Details.Last, brandName)
		if err := w.decideBrand(ctx, again); err != nil {
			return nil, err
		}
	}
	if shown := kit.HashList(w.shownMarks()); w.wroteImages && w.note.Images.Hash != shown {
		w.note.Images = kit.Written{Hash: shown} // a plugin left some out
	}
	groups := shopadapter.NoFields
	if wrote["name"] != nil {
		groups |= shopadapter.FieldTitle
	}
	if wrote["description"] != nil {
		groups |= shopadapter.FieldDescription
	}
	if w.readBack(groups) || len(again) > 0 || w.noteDiffers() {
		return again, nil
	}
	return nil, nil
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

// optionNames are the names of the options in the supplier's order, those that only a variant
// mentions at the end.
func optionNames(p shopadapter.Product) []string {
	var used []string
	for _, v := range p.Variants {
		for _, o := range v.Options {
			if !slices.Contains(used, o.Name) {
				used = append(used, o.Name)
			}
		}
	}
	var names []string
	for _, name := range slices.Concat(p.Options, used) {
		if slices.Contains(used, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// attributeNames are options' names in a form that gives each a key of its own. WooCommerce keeps
// attributes by a slug of the name.
func attributeNames(options []string, language string) []string {
	if len(options) == 0 {
		options = []string{"Variant"}
		if strings.HasPrefix(language, "de") || strings.HasPrefix(language, "fr") {
			options = []string{"Variante"}
		}
	}
	var names []string
	taken := map[string]bool{}
	for i, name := range options {
		if name = optionValue(name); fold(name) == "" {
			name = fmt.Sprintf("Option %d", i+1)
		}
		own := name
		for n := 2; taken[fold(own)]; n++ {
			own = fmt.Sprintf("%s %d", name, n)
		}
		taken[fold(own)] = true
		names = append(names, own)
	}
	return names
}

// chosenBy is a variant's value for the n-th option. place counts the variants from 1.
func chosenBy(v shopadapter.Variant, options []string, n, place int) string {
	if len(options) == 0 {
		return optionValue(firstOf(v.Title, v.SKU, strconv.Itoa(place)))
	}
	for _, o := range v.Options {
		if o.Name == options[n] {
			return optionValue(o.Value)
		}
	}
	return "-"
}
