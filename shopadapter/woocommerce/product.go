package woocommerce

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func (a *adapter) writeProduct(ctx context.Context, method, path string, body map[string]any) (got product, err error) {
	err = a.call(ctx, method, path, asking("_fields", productFields, "include_meta", noteKey), body, &got)
	return got, err
}

// put writes the product where something of it, or of its note, differs from what the shop holds. The
// ids of pictures go with the next write: their names tell them until then.
func (w *write) put(ctx context.Context, fields map[string]any) error {
	before, now := readNote(w.noted), w.note
	now.Pictures = before.Pictures
	if len(fields) == 0 && kit.Encode(before) == kit.Encode(now) {
		return nil
	}
	body := maps.Clone(fields)
	if encoded := kit.Encode(w.note); encoded != w.noted {
		body["meta_data"] = []any{metaOf(noteKey, encoded)}
	}
	got, err := w.a.writeProduct(ctx, http.MethodPut, productPath(w.held.ID), body)
	switch r := refused(err); {
	case gone(err):
		return shopadapter.Retry("the product was deleted in the shop at this moment")
	case hasCode(err, codeSKU) && r.Resource > 0 && number(r.Resource) != w.held.ID:
		return w.skuElsewhere(ctx, r)
	case r != nil && refusesEAN(r.Code) && body[eanField] != nil && body[eanField] != "":
		w.leaveEAN(w.sku(), body[eanField], r.Message)
		delete(fields, eanField)
		w.note.Details = without(w.note.Details, eanName)
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
func (w *write) skuElsewhere(ctx context.Context, r *refusal) error {
	hit, p, err := w.a.holder(ctx, r.Resource)
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
	err := a.call(ctx, http.MethodDelete, productPath(id), asking("force", "true", "_fields", "id"), nil,
		new(json.RawMessage))
	if gone(err) {
		return nil
	}
	return err
}

// texts are the text groups of a product, with these pictures known.
func (p product) texts(pictures map[string]int64) map[shopadapter.Fields]kit.Hash {
	return map[shopadapter.Fields]kit.Hash{
		shopadapter.FieldTitle:       hashTitle(string(p.Name)),
		shopadapter.FieldDescription: hashDescription(string(p.Content)),
		shopadapter.FieldCategory:    hashCategories(p.Categories),
		shopadapter.FieldImages:      kit.HashList(marksOfImages(p.Images, pictures)),
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
	w.note.Product = kit.ProductID(idText(w.held.ID))
	wrote := maps.Clone(fields)
	if err := w.putPictures(ctx, fields); err != nil {
		return err
	}
	again, err := w.settle(ctx, wrote)
	if err == nil && !w.held.onSale() && !w.staysDraft {
		err = shopadapter.Retry("the shop does not put the product on sale: it is %s", w.a.clean(string(w.held.Status)))
	}
	if err != nil {
		return err
	}
	return w.put(ctx, again)
}

func (w *write) decide(ctx context.Context, fields map[string]any) error {
	title, description := escapeTitle(w.p.Title), defuse(w.p.Description)
	if w.Decide(shopadapter.FieldTitle, hashTitle(string(w.held.Name)), hashTitle(title), &w.note.Title) {
		fields["name"] = title
	}
	if w.Decide(shopadapter.FieldDescription, hashDescription(string(w.held.Content)), hashDescription(description),
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
	var itself shopadapter.Variant // the one that the product is, where there is nothing to choose
	if w.note.Variant = ""; !w.variable {
		itself = w.planned[0].Variant
		w.note.Variant = encodeID(itself.ID)
		w.figures(fields, w.held.figures, itself, w.Changed)
		if sku := w.sku(); w.Changed.Has(shopadapter.FieldVariants) && string(w.held.SKU) != sku {
			fields["sku"] = sku
		}
	}
	sizes, next := w.sizes(w.held.figures, figures{}, w.note.Details, itself)
	maps.Copy(fields, sizes)
	w.note.Details = next
	return nil
}

// settle looks at what the shop made of a write, and returns what is to be written once more, beside
// a note that speaks of texts as the shop altered them: a category or a brand that was deleted
// meanwhile.
func (w *write) settle(ctx context.Context, wrote map[string]any) (map[string]any, error) {
	again, categories := map[string]any{}, hashCategories(w.held.Categories)
	if wrote["categories"] != nil && w.note.Category.Exact != categories.Exact {
		w.a.categories.forget()
		w.note.Category = kit.Written{Hash: categories}
		if err := w.decideCategory(ctx, again); err != nil {
			return nil, err
		}
	}
	if brands, _ := wrote["brands"].([]map[string]any); len(brands) > 0 && heldBrands(w.held) == "" {
		w.a.brands.forget()
		w.note.Details = without(w.note.Details, brandName)
		if err := w.decideBrand(ctx, again); err != nil {
			return nil, err
		}
	}
	if wrote["name"] != nil {
		w.note.Title.ReadBack(hashTitle(string(w.held.Name)))
	}
	if wrote["description"] != nil {
		w.note.Description.ReadBack(hashDescription(string(w.held.Content)))
	}
	return again, nil
}

// The EAN among what a note says of a variant, and in a request. It goes with the variants,
// and is kept like a detail.
const (
	eanName  = "ean"
	eanField = "global_unique_id"
)

// sizes is what is to be written of weight, size and EAN: of each value, where it is not the
// merchant's. A value that a variation shows and that is its product's, above, is none, unless the
// note says that it was written. The zero Variant takes away what was written.
func (w *write) sizes(
	held, above figures, last kit.Values, v shopadapter.Variant,
) (body map[string]any, next kit.Values) {
	m := w.Merge
	if held.ID == 0 {
		m.Changed, m.Own = shopadapter.AllFields, true
	}
	want := map[string]string{}
	if m.Changed.Has(shopadapter.FieldDetails) && w.units.KnowsUnits() && !w.p.Unknown.Has(shopadapter.FieldDetails) {
		want["weight"] = w.p.Units.WeightIn(v.Weight, w.units.Weight)
		want["length"] = w.p.Units.LengthIn(v.Length, w.units.Length)
		want["width"] = w.p.Units.LengthIn(v.Width, w.units.Length)
		want["height"] = w.p.Units.LengthIn(v.Height, w.units.Length)
	}
	if ean := cleanEAN(v.EAN); m.Changed.Has(shopadapter.FieldVariants) &&
		!w.p.Unknown.Has(shopadapter.FieldVariants) && !slices.Contains(w.leftEANs, ean) {
		want[eanName] = ean
	}
	have, shown, inherited := map[string]string{}, sizesOf(held), sizesOf(above)
	for name := range want {
		switch written := last[name] != ""; {
		case v.ID == "" && !written:
			delete(want, name) // where nothing is written it is nobody's concern
		case shown[name] != inherited[name] || written && last.Holds(name, shown[name]):
			have[name] = shown[name]
		}
	}
	m.Changed |= shopadapter.FieldDetails
	write, next := m.DecideValues(shopadapter.FieldDetails, have, want, last)
	if m.Keeps(shopadapter.FieldDetails) {
		w.Keep(shopadapter.FieldDetails)
	}
	size := map[string]any{}
	body = map[string]any{}
	for name, value := range write {
		switch name {
		case eanName:
			body[eanField] = value
		case "weight":
			body[name] = value
		default:
			size[name] = value
		}
	}
	if len(size) > 0 {
		body["dimensions"] = size
	}
	return body, next
}

func sizesOf(f figures) map[string]string {
	return map[string]string{
		"weight": trimmedNumber(f.Weight), "length": trimmedNumber(f.Dimensions["length"]),
		"width": trimmedNumber(f.Dimensions["width"]), "height": trimmedNumber(f.Dimensions["height"]),
		eanName: string(f.EAN),
	}
}

// trimmedNumber is a decimal without the zeros that mean nothing. Another text stays as it is.
func trimmedNumber(t text) string {
	d, err := decimal.NewFromString(string(t))
	switch {
	case err != nil:
		return string(t)
	case d.IsZero():
		return ""
	}
	return d.String()
}

// cleanEAN is an EAN as WooCommerce keeps it, "" for one of which it would drop something.
func cleanEAN(ean string) string {
	ean = strings.ReplaceAll(ean, " ", "")
	if strings.Trim(ean, "0123456789-") != "" {
		return ""
	}
	return ean
}

func refusesEAN(code string) bool { return code == codeEAN || code == "woocommerce_"+codeEAN }

// leaveEAN leaves out an EAN that the shop refuses, for the rest of this call. It is said once.
func (w *write) leaveEAN(sku string, ean any, why string) {
	value, _ := ean.(string)
	w.leftEANs = append(w.leftEANs, value)
	if w.a.first(string(w.ref.Publication) + "\n" + value) {
		w.a.logger.Warn("shop refuses an EAN, which another product has as a rule: it is left out, and tried again when "+
			"the publication changes or is retried",
			"publication", w.ref.Publication, "sku", sku, "ean", value, "error", w.a.clean(why))
	}
}

// brandName is the name of the brand among the details of the product's note.
const brandName = "brand"

// noBrand stands for a brand that the shop does not have, which no product is of.
const noBrand = "none"

func heldBrands(p product) string { return hashIDs(p.Brands).Exact }

// decideBrand fills in the brand, which is made where the shop lacks it. One that the merchant
// renamed stays the product's; one that a person deleted is made again.
func (w *write) decideBrand(ctx context.Context, fields map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldBrand) || w.p.Unknown.Has(shopadapter.FieldBrand) {
		return nil
	}
	held, name, want, last := heldBrands(w.held), w.p.Brand, "", w.note.Details
	if held == "" && last[brandName] != "" {
		deleted, err := w.a.brandDeleted(ctx, last, w.begunAt)
		if err != nil {
			return err
		}
		if deleted {
			last = without(last, brandName)
		}
	}
	switch {
	case name == "":
	case name == w.note.Brand && held != "" && last.Holds(brandName, held):
		want = held
	default:
		makes := w.Own || w.Reset.Has(shopadapter.FieldBrand) || last.Holds(brandName, held)
		id, err := w.a.brand(ctx, name, makes)
		if err != nil || id == 0 && makes { // the shop refuses this one
			return err
		}
		if want = noBrand; id > 0 {
			want = strconv.FormatInt(id, 10)
		}
	}
	write, next := w.DecideValues(shopadapter.FieldBrand, map[string]string{brandName: held},
		map[string]string{brandName: want}, last)
	w.note.Details = next
	if value, differs := write[brandName]; differs {
		brands := []map[string]any{} // null is no list
		if id, err := strconv.ParseInt(value, 10, 64); err == nil {
			brands = idList(id)
		}
		fields["brands"] = brands
	}
	if !w.Keeps(shopadapter.FieldBrand) {
		w.note.Brand = name
	}
	return nil
}

// brand is the shop's brand of a name, made where that is asked for; 0 where there is none.
func (a *adapter) brand(ctx context.Context, name string, makes bool) (int64, error) {
	if err := a.brands.open(ctx, listedFor); err != nil {
		return 0, err
	}
	defer a.brands.close()
	folded := func(name string) string { return strings.ToLower(plain(termName(name))) }
	id := a.brands.one(func(t term) bool { return folded(string(t.Name)) == folded(name) })
	if id > 0 || !makes {
		return id, nil
	}
	return a.brands.make(ctx, 0, name, "", false)
}

// brandDeleted reports whether the brand that was last written is no more, as of a call that began
// at a time.
func (a *adapter) brandDeleted(ctx context.Context, last kit.Values, begun time.Time) (bool, error) {
	return a.brands.lacks(ctx, begun, func(id string) bool { return last.Holds(brandName, id) })
}
