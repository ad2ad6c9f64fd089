package woocommerce

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func productPath(id number) string { return "/products/" + idText(id) }

// product reads a product. The zero product is none: there is no product of this id.
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

// writeProduct makes or changes a product, and returns what the shop has then.
func (a *adapter) writeProduct(ctx context.Context, method, path string, body map[string]any) (got product, err error) {
	err = a.call(ctx, method, path, asking("_fields", productFields, "include_meta", noteKey), body, &got)
	return got, err
}

// find reads the publication's product: the one of the listing's id, else the one that has the SKU
// and our note. One in the trash is none, and so is a copy that the merchant made.
func (w *write) find(ctx context.Context) error {
	id := number(listingNumber(w.ref.Listing))
	if id == 0 {
		return nil // create looks for it
	}
	hint, err := w.a.product(ctx, id)
	if err != nil {
		return err
	}
	if hint.ID > 0 && hint.Status != "trash" && owned(hint, w.ref.Publication) {
		w.hold(hint)
		return nil
	}
	switch trashed := hint.Status == "trash" && owned(hint, w.ref.Publication); {
	case w.p.Figures && !trashed:
		return shopadapter.ErrWhole // which has the SKUs by which it may be found
	case w.p.Figures:
		return nil
	}
	_, _, err = w.search(ctx)
	if hint = w.unmarked(hint); err != nil || w.held.ID > 0 || hint.ID == 0 {
		return err
	}
	if !w.ref.Revive {
		return shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left "+
			"as it is: `pubsync retry %s` takes it back", w.a.called(hint), w.ref.Publication)
	}
	w.takeBack(hint)
	return nil
}

// unmarked is the product where it is the listing as far as the state tells, and somebody deleted
// its note.
func (w *write) unmarked(p product) product {
	_, known := readState(w.ref)
	if !known || p.Type == "variation" || !p.onSale() || readNote(p.meta(noteKey)).ID != "" {
		return product{}
	}
	return p
}

// takeBack puts a note on the product anew. A text that is not as the supplier has it counts as the
// merchant's.
func (w *write) takeBack(p product) {
	w.hold(p)
	w.note = newNote(w.ref.Publication)
	w.note.Done = true
	own := map[shopadapter.Fields]kit.Hash{
		shopadapter.FieldTitle:       hashTitle(escapeTitle(w.p.Title)),
		shopadapter.FieldDescription: hashDescription(defuse(w.p.Description)),
		shopadapter.FieldImages:      kit.HashList(marksOf(picturesOf(w.p))),
	}
	if c := w.state.Category; c != nil && c.ID > 0 {
		own[shopadapter.FieldCategory] = hashIDs([]int64{c.ID})
	}
	for group, held := range w.heldTexts() {
		last := w.note.texts()[group]
		if *last = kit.Merchants(); held == own[group] {
			*last = kit.Written{Hash: held}
		}
	}
}

// hold takes a product, as the shop answered last, for the listing.
func (w *write) hold(p product) {
	if w.state.ID != int64(p.ID) {
		w.state = state{Version: stateVersion, Key: w.state.Key, ID: int64(p.ID)}
	}
	w.held, w.noted = p, p.meta(noteKey)
	w.note = readNote(w.noted)
}

// maxLookUp is how many bytes of SKUs are asked for in one request.
const maxLookUp = 3000

// lookUp is the products and variations that have one of the SKUs, in a status; "" leaves out the
// trash. WooCommerce folds case and splits at commas, so each answer is held against what was asked
// for.
func (a *adapter) lookUp(ctx context.Context, skus []string, status string) (found []product, err error) {
	for len(skus) > 0 {
		n, length := 0, 0
		for n < len(skus) && n < perPage/2 && (n == 0 || length < maxLookUp) {
			if strings.Contains(skus[n], ",") { // alone, since a comma parts SKUs
				n = max(n, 1)
				break
			}
			length += len(url.QueryEscape(skus[n])) + 3
			n++
		}
		asked := skus[:n]
		skus = skus[n:]
		var some list[product]
		query := []string{
			"sku", strings.Join(asked, ","), "per_page", "100", "context", "edit", "_fields", productFields,
			"include_meta", noteKey,
		}
		if status != "" {
			query = append(query, "status", status)
		}
		if err := a.get(ctx, "/products", &some, query...); err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.ID > 0 && slices.ContainsFunc(asked, func(sku string) bool { return sameSKU(sku, string(p.SKU)) }) {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// search holds the listing where it is found by its SKUs. Else it is told of the first product that
// has one of them: what was hit, and the product that this belongs to.
func (w *write) search(ctx context.Context) (hit, owner product, err error) {
	hits, err := w.a.lookUp(ctx, w.skus(), "")
	owners := map[number]bool{}
	for _, one := range hits {
		if owners[one.owner()] {
			continue
		}
		owners[one.owner()] = true
		p, err := w.a.ownerOf(ctx, one)
		if err != nil {
			return hit, owner, err
		}
		if owned(p, w.ref.Publication) && p.Status != "trash" {
			w.hold(p)
			return hit, owner, nil
		}
		if hit.ID == 0 {
			hit, owner = one, p
		}
	}
	return hit, owner, err
}

// ownerOf is the product that a look-up by SKU hit, or the one that the variation belongs to.
func (a *adapter) ownerOf(ctx context.Context, hit product) (product, error) {
	if hit.owner() == hit.ID {
		return hit, nil
	}
	return a.product(ctx, hit.owner())
}

// create makes the product, a draft that is found by its SKU and its note. Where the shop has it
// already, it takes that one: an answer that was lost, a store that was lost, a draft that PHP died
// over. A product of the merchant's with the SKU is taken over where that is asked for.
func (w *write) create(ctx context.Context) error {
	hit, owner, err := w.search(ctx)
	if err != nil || w.held.ID > 0 {
		return err
	}
	if hit.ID > 0 && w.a.adopting {
		return w.takeOver(owner, hit)
	}
	body, n, err := w.draft(ctx)
	if err != nil {
		return err
	}
	made, err := w.a.writeProduct(ctx, http.MethodPost, "/products", body)
	switch r := refused(err); {
	case hasCode(err, codeSKU) && r.Resource > 0:
		hit, err := w.a.product(ctx, number(r.Resource))
		if err != nil {
			return err
		}
		return w.takeHit(ctx, hit)
	case hasCode(err, codeSKU, codeNotCreated):
		return w.awaited(ctx, r)
	case err != nil:
		return err
	case made.ID <= 0:
		return shopadapter.Retry("the shop made a product and did not say which")
	}
	w.begun(made, n)
	w.fresh = true
	return nil
}

// begun takes a draft that was written just now. A shop that shows no metadata is found out by the
// next look, not here.
func (w *write) begun(p product, n note) {
	w.hold(p)
	if w.noted == "" {
		w.note, w.noted = n, kit.Encode(n)
	}
	w.readBack(shopadapter.FieldTitle | shopadapter.FieldDescription)
}

// draft is the body of a product that is made, and its note.
func (w *write) draft(ctx context.Context) (map[string]any, note, error) {
	n := newNote(w.ref.Publication)
	title, description := escapeTitle(w.p.Title), defuse(w.p.Description)
	n.Title.Hash, n.Description.Hash = hashTitle(title), hashDescription(description)
	body := map[string]any{
		"name": title, "description": description, "slug": slug(w.p.Title, w.ref.Publication), "sku": w.sku(),
		"type": w.kind(), "status": "draft",
	}
	found, err := w.a.categories.find(ctx, w.p.Category, w.state.Category, true, w.ref.Asked)
	if err != nil {
		return nil, n, err
	}
	if w.category = found; found.ID > 0 {
		body["categories"] = idList(found.ID)
		n.Category.Hash = hashIDs([]int64{found.ID})
	}
	if w.variable {
		body["attributes"] = bodies(w.choosing(nil, w.planned))
	} else {
		n.Variant = encodeID(w.planned[0].ID)
		figureBody(body, w.planned[0].Variant, shopadapter.FieldPrice|shopadapter.FieldStock)
	}
	body["meta_data"] = []any{metaOf(noteKey, kit.Encode(n))}
	return body, n, nil
}

func idList(id int64) []map[string]any { return []map[string]any{{"id": id}} }

// awaited finds the product that has the SKU where the refusal does not name it: one that another
// request is still making, or one in the trash.
func (w *write) awaited(ctx context.Context, r *refusal) error {
	for waits := 0; ; waits++ {
		for _, status := range []string{"", "trash"} {
			hits, err := w.a.lookUp(ctx, []string{w.sku()}, status)
			if err != nil {
				return err
			}
			if len(hits) > 0 {
				return w.takeHit(ctx, hits[0])
			}
		}
		if waits == w.a.patience.steps {
			return shopadapter.Retry("the shop refuses the SKU %s and shows no product that has it (%s); should this "+
				"last, run WooCommerce > Status > Tools > Product lookup tables > Regenerate", w.sku(), r.Message)
		}
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
	}
}

// takeHit goes on with the product that has the SKU: ours by its note, or a draft whose slug ends
// in our hash. Any other one is the merchant's.
func (w *write) takeHit(ctx context.Context, hit product) error {
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
		body, n, err := w.draft(ctx)
		if err != nil {
			return err
		}
		w.hold(p)
		delete(body, "meta_data")
		w.note = n
		return w.put(ctx, body)
	}
	return w.takeOver(p, hit)
}

// foreign is the error of a SKU that a product which is not this publication's has.
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

// takeOver makes a product of the merchant's the listing, where the setting says so and both have
// the same shape. Its texts stay the merchant's.
func (w *write) takeOver(p, hit product) error {
	sku := string(hit.SKU)
	switch {
	case !w.a.adopting, p.Status == "trash", noteOf(p).ID != "":
		return w.foreign(p, sku)
	case string(p.Type) != w.kind() || (hit.ID != p.ID) != w.variable:
		return shopadapter.Block("product %s has the SKU %s and cannot be taken over: it is %s, and the supplier's is %s",
			w.a.called(p), sku, p.Type, w.kind())
	}
	w.hold(p)
	w.note = newNote(w.ref.Publication)
	w.note.Adopted = true
	w.note.allMerchants()
	return nil
}
