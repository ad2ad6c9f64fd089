package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func (a *adapter) writeProduct(ctx context.Context, method, path string, body map[string]any) (got product, err error) {
	err = a.call(ctx, method, path, asking("_fields", productFields, "include_meta", noteKey), body, &got)
	return got, err
}

// put writes where the product or its note differs.
func (w *write) put(ctx context.Context, fields map[string]any) error {
	encoded, body := kit.Encode(w.note), maps.Clone(fields)
	last := readNote(w.noted)
	if slices.Equal(last.marksOfImages(w.held.Images), w.shownMarks()) {
		last.Pictures = w.note.Pictures // no reason to write
	}
	if len(fields) == 0 && encoded == kit.Encode(last) {
		return nil
	}
	if encoded != w.noted {
		body["meta_data"] = metaOf(w.note)
	}
	got, err := w.a.writeProduct(ctx, http.MethodPut, productPath(w.held.ID), body)
	switch r := refused(err); {
	case gone(err):
		return shopadapter.Retry("the product was deleted in the shop at this moment")
	case hasCode(err, codeNoImage):
		return shopadapter.Retry("a picture of the product was deleted in the shop at this moment: %s", r.Message)
	case hasCode(err, codeSKU) && r.Resource > 0 && number(r.Resource) != w.held.ID:
		if err := w.clash(ctx, r.Resource); err != nil {
			return err
		}
		return shopadapter.Retry("the shop has not let go of the SKU yet: %s", r.Message)
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
		w.noted = encoded // not shown, but sent
	}
	return nil
}

func (p product) texts(n *note) map[shopadapter.Fields]kit.Hash {
	return map[shopadapter.Fields]kit.Hash{
		shopadapter.FieldTitle:       hashTitle(string(p.Name)),
		shopadapter.FieldDescription: hashDescription(string(p.Content)),
		shopadapter.FieldCategory:    hashTerms(p.Categories),
		shopadapter.FieldImages:      kit.HashList(n.marksOfImages(p.Images)),
		shopadapter.FieldBrand:       hashTerms(p.Brands),
	}
}

// finish writes what differs, with the complete note, and puts the product on sale. Where the shop changes a text,
// one more request mends the note.
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
	if !w.held.onSale() && !w.staysDraft {
		return shopadapter.Retry("the shop does not put the product on sale: it is %s", w.a.clean(string(w.held.Status)))
	}
	now, last, lost := w.held.texts(&w.note), w.note.texts(), false
	for field, group := range map[string]shopadapter.Fields{
		"name": shopadapter.FieldTitle, "description": shopadapter.FieldDescription,
		"categories": shopadapter.FieldCategory, "brands": shopadapter.FieldBrand,
	} {
		terms, _ := wrote[field].([]map[string]any)
		switch {
		case len(terms) > 0 && now[group].Exact == "":
			w.a.categories.forget()
			w.a.brands.forget()
			*last[group], lost = kit.Written{}, true
		case wrote[field] != nil:
			last[group].ReadBack(now[group])
		}
	}
	if err := w.put(ctx, map[string]any{}); err != nil || !lost {
		return err
	}
	return shopadapter.Retry("a category or a brand of the product was deleted in the shop at this moment")
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
	var itself shopadapter.Variant // the variant that a simple product is
	if w.note.Variant = ""; !w.variable {
		itself = w.planned[0].Variant
		w.note.Variant = encodeID(itself.ID)
		w.held.figures.write(fields, itself, w.Changed)
		if sku := w.sku(); w.Changed.Has(shopadapter.FieldVariants) && string(w.held.SKU) != sku {
			fields["sku"] = sku
		}
	}
	sizes, next := w.sizes(w.held.figures, figures{}, w.note.Details, itself)
	maps.Copy(fields, sizes)
	w.note.Details = next
	return nil
}

// Names of the EAN in a note and in a request. It belongs to the variants, and is kept like a detail.
const (
	eanName  = "ean"
	eanField = "global_unique_id"
)

// sizes returns what to write of weight, size and EAN, without values of the merchant's. A variation shows the
// values of its product, above; they count as none unless last has them. The zero Variant removes what was written.
func (w *write) sizes(
	held, above figures, last kit.Values, v shopadapter.Variant,
) (body map[string]any, next kit.Values) {
	m, unit := w.Merge, w.p.Units
	if held.ID == 0 {
		m.Changed, m.Own = shopadapter.AllFields, true
	}
	want, have := map[string]string{}, map[string]string{}
	if m.Changed.Has(shopadapter.FieldDetails) && w.units.KnowsUnits() && !w.p.Unknown.Has(shopadapter.FieldDetails) {
		for name, length := range map[string]string{"length": v.Length, "width": v.Width, "height": v.Height} {
			want[name] = unit.LengthIn(length, w.units.Length)
		}
		want["weight"] = unit.WeightIn(v.Weight, w.units.Weight)
	}
	if ean := cleanEAN(v.EAN); m.Changed.Has(shopadapter.FieldVariants) &&
		!w.p.Unknown.Has(shopadapter.FieldVariants) && !slices.Contains(w.leftEANs, ean) {
		want[eanName] = ean
	}
	shown, inherited := held.sizes(), above.sizes()
	for name := range want {
		switch written := last[name] != ""; {
		case v.ID == "" && !written:
			delete(want, name) // never written
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
			size[name], body["dimensions"] = value, size
		}
	}
	return body, next
}

func (f figures) sizes() map[string]string {
	all := map[string]string{"weight": string(f.Weight), eanName: string(f.EAN)}
	for _, name := range []string{"length", "width", "height"} {
		all[name] = string(f.Dimensions[name])
	}
	return all
}

// cleanEAN returns the EAN as WooCommerce keeps it, "" where it would drop something.
func cleanEAN(ean string) string {
	ean = strings.ReplaceAll(ean, " ", "")
	if strings.Trim(ean, "0123456789-") != "" {
		return ""
	}
	return ean
}

func refusesEAN(code string) bool { return code == codeEAN || code == "woocommerce_"+codeEAN }

func (w *write) leaveEAN(sku string, ean any, why string) {
	value, _ := ean.(string)
	w.leftEANs = append(w.leftEANs, value)
	if w.a.first(string(w.ref.Publication) + "\n" + value) {
		w.a.logger.Warn("shop refuses an EAN, which another product has as a rule: it is left out, and tried again when "+
			"the publication changes or is retried",
			"publication", w.ref.Publication, "sku", sku, "ean", value, "error", w.a.clean(why))
	}
}
