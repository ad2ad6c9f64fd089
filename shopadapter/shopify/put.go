package shopify

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// mostAtOnce bounds a synchronous productSet, in variants. Larger ones work in the background: they may take longer
// than a request may.
const mostAtOnce = 200

// put writes texts and note, then options, variants and pictures, without what the shop refuses.
func (w *write) put(ctx context.Context) error {
	const mostRounds = 8
	for range mostRounds {
		switch {
		case len(w.wanted) > 0:
		case w.clash != nil:
			return w.clash
		default:
			return w.refused.None(w.p)
		}
		if again, err := w.putOnce(ctx); err != nil || !again {
			return err
		}
		if err := w.checkForeign(); err != nil {
			return err
		}
	}
	return shopadapter.Reject("the shop refuses ever more of the product: %w", w.refused.None(w.p))
}

// A payload answers one part of a write.
type payload struct {
	Product     *product `json:"product"`
	Publishable *product `json:"publishable"`
	Operation   *struct {
		ID string `json:"id"`
	} `json:"productSetOperation"`
	Errors []userError `json:"userErrors"`
}

// putOnce sends the plan. If again is true, the shop refused some of it, and the plan now lacks that.
func (w *write) putOnce(ctx context.Context) (again bool, err error) {
	create := w.have == nil
	update, set := w.updateInput(w.words), input(nil)
	if create || w.lists || w.images {
		set = w.setInput()
	}
	if update == nil && set == nil {
		return false, nil
	}
	stored := kit.Encode(w.note)
	got, err := w.a.call(ctx, w.request(update, set))
	if err != nil {
		return false, err
	}
	if update != nil {
		if err := w.a.took("update product", got.Update); err != nil {
			return false, err
		}
		w.have.adoptWords(got.Update.Product)
		w.stored = stored
	}
	if set == nil {
		w.readBack()
		return false, nil
	}
	made, faults, err := w.a.outcome(ctx, got.Set)
	if err != nil {
		return false, err
	}
	if len(faults) > 0 {
		return w.judge(faults)
	}
	if create && made != nil {
		w.have, w.stored = &product{ID: made.ID, Status: draft}, stored
	}
	return false, w.adopt(ctx, made, create, got.Set.Operation != nil)
}

func (p *product) adoptWords(now *product) {
	if now == nil {
		return
	}
	p.Handle, p.Status, p.Title, p.Description, p.Type = now.Handle, now.Status, now.Title, now.Description, now.Type
	p.StoreURL, p.PreviewURL = now.StoreURL, now.PreviewURL
}

func (w *write) adopt(ctx context.Context, made *product, create, background bool) (err error) {
	if background && made != nil && !w.p.Figures {
		made, err = w.a.find(ctx, w.shop, w.ref, whole)
	}
	switch {
	case err != nil:
		return err
	case made == nil:
		return shopadapter.Retry("the shop's answer lacks the product")
	case w.p.Figures:
		return nil
	}
	w.have.adoptWords(made)
	if w.whole || w.images {
		w.have.Media = made.Media
		if w.images && (create || w.uploads) {
			w.confirmImages() // without new pictures the note knows all ids
		}
	}
	w.readBack()
	if !w.whole {
		return nil // the variants keep their ids
	}
	w.have.Variants = made.Variants
	if !background {
		if err := w.a.readOn(ctx, w.shop, w.have, variantFields); err != nil {
			return err
		}
	}
	byChoice := map[string]*variant{}
	for i := range w.have.Variants.Nodes {
		v := &w.have.Variants.Nodes[i]
		byChoice[together(v.values())] = v
	}
	for i := range w.wanted {
		v := &w.wanted[i]
		if v.Held = byChoice[together(v.Values)]; v.Held == nil {
			return shopadapter.Retry("the shop's answer lacks the variant %s", v.ID)
		}
	}
	return nil
}

// updateInput returns nil if there is nothing to write. Only productUpdate adds metafields: productSet would delete
// those of the merchant and other apps.
func (w *write) updateInput(fields input) input {
	in := input{}
	maps.Copy(in, fields)
	if encoded := kit.Encode(w.note); encoded != w.stored {
		in["metafields"] = []input{metafield(noteKey, "json", encoded)}
	}
	if w.have == nil || len(in) == 0 {
		return nil
	}
	in["id"] = w.have.ID
	return in
}

func (w *write) setInput() input {
	in := input{}
	if w.images {
		in["files"] = w.files()
	}
	if w.have == nil || w.lists {
		in["productOptions"], in["variants"] = w.variantInput()
	}
	if w.have != nil {
		return in
	}
	maps.Copy(in, w.words)
	in["status"] = draft
	key := metafield(idKey, "id", kit.Key(w.ref.Publication))
	in["metafields"] = []input{key, metafield(noteKey, "json", kit.Encode(w.note))}
	return in
}

func (w *write) request(update, set input) request {
	var parts []string
	r := request{doing: "write product", variables: input{}}
	if update != nil {
		parts = append(parts, partUpdate)
		r.variables["update"] = update
		r.estimate += costMutation + costMetafield
	}
	if set != nil {
		variants, _ := set["variants"].([]input)
		files, _ := set["files"].([]input)
		fields := wordFields // enough where no id changes
		if w.whole || w.images {
			page := min(max(len(variants), 1), firstVariants)
			fields += mediaField + " " + connection("variants", "first: $variants", variantFields)
			r.variables["variants"], r.variables["images"] = page, mostImages
			r.variables["channel"] = w.shop.publication.ID
			r.estimate += 2*mostImages + 3*float64(page)
		}
		parts = append(parts, partSet(fields))
		r.variables["set"], r.variables["synchronous"] = set, len(variants) <= mostAtOnce
		r.variables["which"] = identifier(w.ref.Publication)
		if w.have != nil {
			// By the key, productSet would make a product without texts if this one was deleted meanwhile.
			r.variables["which"] = input{"id": w.have.ID}
		}
		r.estimate += costMutation + costVariant*float64(len(variants)) + costMetafield*2 + costFile*float64(len(files))
		for _, v := range variants {
			if v["metafields"] != nil {
				r.estimate += costMetafield
			}
		}
	}
	r.document = document("mutation", "Write", parts...)
	return r
}

// An operation is a productSet in the background.
type operation struct {
	Status  string      `json:"status"`
	Product *product    `json:"product"`
	Errors  []userError `json:"userErrors"`
}

// longestWait bounds the wait for a background operation; the next call looks again.
const longestWait = 5 * time.Minute

func (a *Adapter) outcome(ctx context.Context, set *payload) (*product, []userError, error) {
	switch {
	case set == nil:
		return nil, nil, shopadapter.Retry("the shop's answer lacks the product")
	case set.Operation == nil || len(set.Errors) > 0:
		return set.Product, set.Errors, nil
	}
	started := time.Now()
	for delay := time.Second; ; delay = min(2*delay, 10*time.Second) {
		got, err := a.call(ctx, request{
			doing: "await product", document: operationDocument, estimate: 3, variables: input{"id": set.Operation.ID},
		})
		switch {
		case err != nil:
			return nil, nil, err
		case got.Operation == nil:
			return nil, nil, shopadapter.Retry("the shop has forgotten that it was writing the product")
		case got.Operation.Status == operationComplete:
			return got.Operation.Product, got.Operation.Errors, nil
		case time.Since(started) > longestWait:
			return nil, nil, shopadapter.Retry("the shop is still writing the product").After(longestWait)
		}
		if err := kit.Pause(ctx, delay); err != nil {
			return nil, nil, err
		}
	}
}

// judge takes refused variants and pictures out of the plan. If again is true, the rest can be sent; an error
// concerns the whole product.
func (w *write) judge(faults []userError) (again bool, err error) {
	refused, files, sends := map[string]string{}, map[int]string{}, w.sends()
	for _, e := range faults {
		whole, said := w.a.refusal(e), w.a.clean(e.Message)
		if whole.Kind == shopadapter.Blocked {
			w.a.shop.Forget()
		}
		i, ofVariant := e.index("variants")
		n, ofFile := e.index("files")
		switch {
		case whole.Kind != shopadapter.Rejected, !ofVariant && !ofFile:
			return false, fmt.Errorf("write product: %w", whole)
		case !ofVariant:
			files[n] = said
		case i >= len(sends) || sends[i].ours == nil:
			return false, shopadapter.Block("the shop refuses a variant of this product that was added by hand: %s", said)
		default:
			refused[sends[i].ours.ID] = said
		}
	}
	for id, why := range refused {
		w.refuse(id, why)
	}
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(files))) {
		if !w.dropFile(i, files[i]) {
			return false, shopadapter.Retry("a picture of the product has changed meanwhile: %s", files[i])
		}
	}
	return true, nil
}

// finish writes what needs the product's ids: translations, the note as read back, and the publication to the
// channel. Variants that a person asked for come first, so that the product does not go on sale without them.
func (w *write) finish(ctx context.Context) error {
	if w.clash != nil && !w.have.onSale() {
		return w.clash
	}
	if err := w.revive(ctx); err != nil {
		return err
	}
	if w.unclear == nil {
		w.note.Choices = w.choices
	}
	w.note.Product = kit.ProductID(w.have.ID)
	var parts []string
	r := request{doing: "finish product", variables: input{}}
	translates, publishes := len(w.translated) > 0, !w.have.Published
	if translates {
		parts = append(parts, partTranslate)
		r.variables["resource"], r.variables["translations"] = w.have.ID, w.translated
	}
	if publishes {
		parts = append(parts, partPublish)
		maps.Copy(r.variables, w.channel(w.have.ID))
	}
	status := input{}
	if !w.have.live() && !w.staysDraft {
		status["status"] = active
	}
	update := w.updateInput(status)
	if update != nil {
		parts = append(parts, partUpdate)
		r.variables["update"] = update
	}
	if w.confirmed = len(parts) == 0; w.confirmed {
		return nil
	}
	r.document, r.estimate = document("mutation", "Finish", parts...), costMutation*float64(len(parts))
	got, err := w.a.call(ctx, r)
	if err != nil {
		return err
	}
	if translates {
		if got.Translate == nil {
			return shopadapter.Retry("the shop's answer lacks the translations")
		}
		for _, e := range got.Translate.Errors { // they do not stop the sale
			w.a.logger.WarnContext(ctx, "translation left out", slog.String("publication", string(w.ref.Publication)),
				slog.String("reason", w.a.clean(e.Message)))
		}
	}
	if publishes {
		if err := w.published("product", got.Publish); err != nil {
			return err
		}
		w.have.adoptWords(got.Publish.Publishable)
		w.have.Published = true
	}
	if update != nil {
		if err := w.a.took("put product on sale", got.Update); err != nil {
			return err
		}
		w.have.adoptWords(got.Update.Product)
	}
	w.confirmed = true
	return nil
}

// revive puts our variants back on the sales channel if a person asks.
func (w *write) revive(ctx context.Context) error {
	for _, v := range w.wanted {
		if !w.ref.Revive || v.Held == nil || v.Held.Published {
			continue
		}
		got, err := w.a.call(ctx, request{
			doing: "put variants on sale", document: document("mutation", "Revive", partPublish), estimate: costMutation,
			variables: w.channel(v.Held.ID),
		})
		if err == nil {
			err = w.published("variant "+number(v.Held.ID), got.Publish)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *write) channel(id string) input {
	return input{"publishable": id, "publications": []input{{"publicationId": w.shop.publication.ID}}}
}

func (w *write) published(name string, p *payload) error {
	switch {
	case p == nil:
		return shopadapter.Retry("the shop's answer lacks the publication of the %s", name)
	case len(p.Errors) > 0:
		w.a.shop.Forget()
		return shopadapter.Block("the %s cannot be published to the sales channel %s: %s", name,
			w.a.clean(w.shop.publication.Name), w.a.clean(p.Errors[0].Message))
	}
	return nil
}
