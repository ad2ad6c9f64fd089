package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func productPath(id number) string { return "/products/" + idText(id) }

// product returns the zero product where the shop has none of this id.
func (a *adapter) product(ctx context.Context, id number) (p product, err error) {
	err = a.get(ctx, productPath(id), &p, "context", "edit", "_fields", productFields, "include_meta", noteKey)
	switch {
	case gone(err):
		return product{}, nil
	case err == nil && p.ID != id:
		return product{}, shopadapter.Retry("the shop answered with another product than was asked for")
	}
	return p, err
}

func (a *adapter) ownerOf(ctx context.Context, hit product) (product, error) {
	if hit.Type != "variation" {
		return hit, nil
	}
	return a.product(ctx, hit.Parent)
}

// find reads the listing's product, or else one with a SKU of the publication and our note. It leaves out the trash,
// and a copy that the merchant made.
func (w *write) find(ctx context.Context) error {
	var hint product
	var err error
	if id := listingNumber(w.ref.Listing); id > 0 {
		if hint, err = w.a.product(ctx, id); err != nil {
			return err
		}
	}
	switch ours := owned(hint, w.ref.Publication); {
	case ours && hint.Status != "trash":
		w.hold(hint)
		return nil
	case ours && w.p.Figures:
		return nil // in the trash
	case w.p.Figures:
		return shopadapter.ErrWhole // a whole product has the SKUs to search by
	}
	if err = w.search(ctx); err != nil || w.held.ID > 0 {
		return err
	}
	_, known := readState(w.ref)
	switch unmarked := known && hint.Type != "variation" && hint.onSale() && readNote(hint.meta(noteKey)).ID == ""; {
	case !unmarked:
		return nil
	case !w.ref.Revive:
		return kit.Cleared(w.a.called(hint), w.ref.Publication)
	}
	// Its last texts are unknown: any that differ count as the merchant's.
	w.hold(hint)
	w.note, w.Changed = newNote(w.ref.Publication), shopadapter.AllFields
	w.note.Product = kit.ProductID(idText(hint.ID))
	return nil
}

func (w *write) hold(p product) {
	if w.state.ID != int64(p.ID) {
		w.state = state{ID: int64(p.ID)}
	}
	w.held, w.noted = p, p.meta(noteKey)
	if w.note = readNote(w.noted); len(w.state.Pictures) > 0 {
		known := maps.Clone(w.state.Pictures)
		maps.Copy(known, w.note.Pictures)
		w.note.Pictures = known
	}
}

// lookUp leaves out the trash with status "". WooCommerce folds case and splits at commas, so each answer is
// compared, and a SKU with a comma is asked for alone.
func (a *adapter) lookUp(ctx context.Context, skus []string, status string) (found []product, err error) {
	const mostSKUs, mostBytes = 50, 3000 // of one look-up; the bytes are of its address
	var runs [][]string
	bytes := 0
	for _, sku := range skus {
		n, alone, size := len(runs)-1, strings.Contains(sku, ","), len(url.QueryEscape(sku))+len("%2C")
		if n < 0 || alone || len(runs[n]) == mostSKUs || bytes+size > mostBytes || strings.Contains(runs[n][0], ",") {
			runs, bytes = append(runs, nil), 0
			n++
		}
		runs[n], bytes = append(runs[n], sku), bytes+size
	}
	for _, run := range runs {
		query := asking("sku", strings.Join(run, ","), "per_page", "100", "context", "edit", "_fields", productFields,
			"include_meta", noteKey)
		if status != "" {
			query.Set("status", status)
		}
		var some list[product]
		if err := a.call(ctx, http.MethodGet, "/products", query, nil, &some); err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.ID > 0 && slices.ContainsFunc(run, func(sku string) bool { return sameSKU(sku, string(p.SKU)) }) {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// search holds the listing that has one of the SKUs, or else keeps the first product that has a SKU to be sold.
func (w *write) search(ctx context.Context) error {
	skus := []string{keySKU(w.ref.Publication)}
	for _, v := range w.p.Variants {
		if v.SKU != "" && fitsSKU(v.SKU) {
			skus = append(skus, v.SKU)
		}
	}
	hits, err := w.a.lookUp(ctx, skus, "")
	seen := map[number]bool{}
	for _, one := range hits {
		sold := sameSKU(skus[0], string(one.SKU)) || slices.ContainsFunc(w.planned, func(v kit.Planned) bool {
			return sameSKU(v.SKU, string(one.SKU))
		})
		if w.hit.ID == 0 && sold {
			w.hit = one
		}
		if one.Type == "variation" && seen[one.Parent] {
			continue
		}
		seen[one.Parent] = true
		p, err := w.a.ownerOf(ctx, one)
		switch {
		case err != nil:
			return err
		case owned(p, w.ref.Publication) && p.Status != "trash":
			w.hold(p)
			return nil
		}
	}
	return err
}

// create makes a draft, or takes the product that the shop has already: its answer or pubsync's store was lost, PHP
// died over it, or it is the merchant's.
func (w *write) create(ctx context.Context) error {
	if w.hit.ID > 0 {
		return w.take(ctx, w.hit)
	}
	if _, err := w.a.categories.find(ctx, w.p.Category, true, w.ref.Asked); err != nil {
		return err // before a product is made
	}
	n := newNote(w.ref.Publication)
	body := w.draft()
	body["name"], body["slug"] = escapeTitle(w.p.Title), slugOf(w.p.Title, w.ref.Publication)
	body["meta_data"] = metaOf(n)
	made, err := w.a.writeProduct(ctx, http.MethodPost, "/products", body)
	switch r := refused(err); {
	case hasCode(err, codeSKU) && r.Resource > 0:
		hit, err := w.a.product(ctx, number(r.Resource))
		if err != nil {
			return err
		}
		return w.take(ctx, hit)
	case hasCode(err, codeSKU, codeNotCreated):
		return w.awaited(ctx, r)
	case err != nil:
		return err
	case made.ID <= 0:
		return shopadapter.Retry("the shop made a product and did not say which")
	}
	w.hold(made)
	if w.made = true; w.noted == "" { // the answer shows no metadata
		w.note, w.noted = n, kit.Encode(n)
	}
	return nil
}

// draft returns what a product is found by, and what it needs before it is on sale.
func (w *write) draft() map[string]any {
	body := map[string]any{"sku": w.sku(), "type": w.kind(), "status": "draft"}
	if w.variable {
		body["attributes"] = bodies(w.choosing(nil, w.planned))
	} else {
		figures{}.write(body, w.planned[0].Variant, figureGroups)
	}
	return body
}

// awaited handles a refusal that does not name the product: it is in the trash, or another request is still making
// it.
func (w *write) awaited(ctx context.Context, r *refusal) error {
	for _, status := range []string{"", "trash"} {
		hits, err := w.a.lookUp(ctx, []string{w.sku()}, status)
		if err != nil {
			return err
		}
		if len(hits) > 0 {
			return w.take(ctx, hits[0])
		}
	}
	return shopadapter.Retry("the shop refuses the SKU %s and shows no product that has it (%s); should this last, run "+
		"WooCommerce > Status > Tools > Product lookup tables > Regenerate", w.sku(), r.Message)
}

// take goes on with the product that has a SKU of the publication: ours by its note, or a draft whose slug ends in
// our hash, over which PHP died. Any other is the merchant's: it is taken over only where the setting says so and
// both have the same shape. Its texts stay the merchant's.
func (w *write) take(ctx context.Context, hit product) error {
	p, err := w.a.ownerOf(ctx, hit)
	switch {
	case err != nil:
		return err
	case p.ID == 0:
		return shopadapter.Retry("the product that has the SKU %s has just been deleted", w.sku())
	case owned(p, w.ref.Publication):
		if w.hold(p); p.Status != "trash" {
			return nil
		}
		w.restored = true
		return w.put(ctx, map[string]any{"status": "draft"})
	case p.Status == "draft" && p.meta(noteKey) == "" && strings.HasSuffix(string(p.Slug), slugEnd(w.ref.Publication)):
		w.hold(p)
		w.note = newNote(w.ref.Publication)
		return w.put(ctx, w.draft())
	case !w.a.adopts, p.Status == "trash", noteOf(p).ID != "":
		return w.foreign(p, string(hit.SKU))
	case string(p.Type) != w.kind() || (hit.ID != p.ID) != w.variable:
		return shopadapter.Block("product %s has the SKU %s and cannot be taken over: it is %s, and the supplier's is %s",
			w.a.called(p), hit.SKU, p.Type, w.kind())
	}
	w.hold(p)
	w.note = newNote(w.ref.Publication)
	w.note.Adopted = true
	for group, last := range w.note.texts() {
		if group != shopadapter.FieldBrand { // which is written where there is none
			*last = kit.Merchants()
		}
	}
	return nil
}

func (w *write) foreign(p product, sku string) *shopadapter.Error {
	switch {
	case noteOf(p).ID != "":
		return shopadapter.Block("the SKU %s is used by product %s, which is the listing of another publication",
			sku, w.a.called(p))
	case p.Status == "trash":
		return shopadapter.Block("the SKU %s is used by your product %s in the trash: delete it permanently",
			sku, w.a.called(p))
	}
	return shopadapter.Block("the SKU %s is used by your own product %s: change its SKU, delete it, or set "+
		"PUBSYNC_WOOCOMMERCE_ADOPT=sku to have it kept in step", sku, w.a.called(p))
}

// clash judges a SKU that stands elsewhere in the shop. It returns nil where a variation of the listing has it, or
// nothing any more: what was read of the shop is out of date.
func (w *write) clash(ctx context.Context, at int64) error {
	hit, err := w.a.product(ctx, number(at))
	if err != nil {
		return err
	}
	p, err := w.a.ownerOf(ctx, hit)
	switch {
	case err != nil, p.ID == 0, p.ID == w.held.ID && hit.ID != p.ID:
		return err
	case p.ID == w.held.ID:
		return shopadapter.Block("the SKU %s, which is that of a variant, the product itself has: give %s another SKU",
			hit.SKU, w.a.called(p))
	}
	return w.foreign(p, string(hit.SKU))
}
