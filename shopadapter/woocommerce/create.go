package woocommerce

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
)

// create begins the product, as a draft. A creation of the past whose answer was lost comes to light here, since the shop refuses the SKU a second
// time.
func (w *write) create(ctx context.Context) error {
	category, err := w.a.categories.find(ctx, w.a, w.want.category)
	if err != nil {
		return err
	}
	s := stamp{
		Version: stampVersion, ID: encodeID(string(w.ref.Publication)),
		Title: titleMark(w.want.title), Description: descriptionMark(w.want.description),
	}
	body := map[string]any{
		"name": w.want.title, "description": w.want.description, "slug": w.want.slug, "sku": w.want.sku, "type": "simple", "status": "draft",
	}
	if category > 0 {
		body["categories"] = []map[string]any{{"id": category}}
		s.Category = w.a.categoryMark([]placement{{ID: number(category)}})
	}
	if w.want.variable {
		body["type"], body["attributes"] = "variable", w.attributes(w.want.options)
	} else {
		s.Variant = encodeID(w.want.variants[0].id)
		for name, value := range w.figuresOf(w.want.variants[0], figures) {
			body[name] = value
		}
	}
	body["meta_data"] = []map[string]any{{"key": metaKey, "value": s.encode()}}
	var made product
	_, err = w.a.call(ctx, request{
		method: http.MethodPost, path: "/products", body: body, kind: kindWrite,
		query: url.Values{"_fields": {productFields}, "include_meta": {metaKey}},
	}, &made)
	switch r := refused(err); {
	case hasCode(err, codeSKU) && r.resource > 0:
		return w.taken(ctx, w.want.sku, r.resource)
	case hasCode(err, codeSKU, codeNotCreated):
		return w.takenBySomething(ctx, w.want.sku, r)
	case err != nil:
		return err
	case made.ID <= 0:
		return shopadapter.Retry("the shop made a product and did not say which")
	}
	w.take(made)
	w.fresh = true
	if marked(made.Meta) == "" {
		w.stamp = s // a shop that shows no metadata is found out by the next look, not here
	}
	w.readBack(shopadapter.TextFields)
	return nil
}

// readBack has the stamp speak of the texts just written as the shop holds them, and tells whether that makes a difference.
func (w *write) readBack(groups shopadapter.Fields) (differs bool) {
	for _, text := range []struct {
		group shopadapter.Fields
		last  *string
		held  string
	}{
		{shopadapter.FieldTitle, &w.stamp.Title, titleMark(string(w.view.Name))},
		{shopadapter.FieldDescription, &w.stamp.Description, descriptionMark(string(w.view.Content))},
		{shopadapter.FieldCategory, &w.stamp.Category, w.a.categoryMark(w.view.Categories)},
		{shopadapter.FieldImages, &w.stamp.Images, picturesMark(pictureMarks(w.view.Images, w.state.Pictures))},
	} {
		if groups.Has(text.group) && *text.last != text.held {
			*text.last, differs = text.held, true
			if text.group == shopadapter.FieldCategory {
				w.a.categories.forget() // the category that was asked for is no more
			}
		}
	}
	return differs
}

// discard deletes a product of ours that was never finished.
func (w *write) discard(ctx context.Context) error {
	if w.stamp.Done || w.view.ID == 0 {
		return nil
	}
	return w.a.remove(ctx, int64(w.view.ID))
}
