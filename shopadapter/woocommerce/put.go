package woocommerce

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// writeProduct makes or changes a product, and returns what the shop has then.
func (a *adapter) writeProduct(ctx context.Context, method, path string, body map[string]any) (got product, err error) {
	err = a.call(ctx, method, path, asking("_fields", productFields, "include_meta", noteKey), body, &got)
	return got, err
}

// put writes the product, with its note where that differs from what the shop holds.
func (w *write) put(ctx context.Context, fields map[string]any) error {
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

// putChanged writes the product where something of it, or of its note, differs.
func (w *write) putChanged(ctx context.Context, fields map[string]any) error {
	if len(fields) == 0 && !w.noteDiffers() {
		return nil
	}
	return w.put(ctx, fields)
}

// noteDiffers reports whether the note says something else than the one in the shop. The ids of
// pictures go with the next write: their names tell them until then.
func (w *write) noteDiffers() bool {
	before, now := readNote(w.noted), w.note
	now.Product, now.Pictures = before.Product, before.Pictures
	return kit.Encode(before) != kit.Encode(now)
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

// heldTexts are the text groups as the product was last seen.
func (w *write) heldTexts() map[shopadapter.Fields]kit.Hash { return w.held.texts(w.note.Pictures) }

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
		return nil
	}
	v := w.planned[0].Variant
	w.note.Variant = encodeID(v.ID)
	w.figures(fields, w.held.figures, v, w.Changed)
	if sku := w.sku(); w.Changed.Has(shopadapter.FieldVariants) && string(w.held.SKU) != sku {
		fields["sku"] = sku
	}
	w.decideSizes(fields, v)
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
