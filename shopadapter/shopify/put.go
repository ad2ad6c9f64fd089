package shopify

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Above this many variants productSet is asked to work in the background: it may take longer than a
// request may.
const mostAtOnce = 200

// mostRounds bounds how often a product is sent again without what the shop refused of it.
const mostRounds = 8

// put writes the product: its texts and the stamp, then options, variants and pictures. What the
// shop refuses of it is left out.
func (w *write) put(ctx context.Context) error {
	for range mostRounds {
		if len(w.Variants) == 0 {
			return w.Refused.None(w.Product)
		}
		if again, err := w.putOnce(ctx); err != nil || !again {
			return err
		}
		if err := w.checkForeign(); err != nil {
			return err
		}
	}
	return shopadapter.Reject("the shop refuses ever more of the product: %w", w.Refused.None(w.Product))
}

// A payload is the answer of one part of a write.
type payload struct {
	Product     *product `json:"product"`
	Publishable *product `json:"publishable"`
	Operation   *struct {
		ID string `json:"id"`
	} `json:"productSetOperation"`
	Errors userErrors `json:"userErrors"`
}

type writeAnswer struct {
	Update    *payload `json:"update"`
	Set       *payload `json:"set"`
	Translate *payload `json:"translate"`
	Publish   *payload `json:"publish"`
}

// putOnce sends what is planned. again tells that the shop refused some of it, and that the plan
// now leaves that out.
func (w *write) putOnce(ctx context.Context) (again bool, err error) {
	create := w.have == nil
	update, set := w.updateInput(), input(nil)
	var marks int
	if create || w.lists || w.images {
		set, marks = w.setInput()
	}
	stored := stamp.Encode(w.stamp)
	r := w.request(update, set, marks)
	if r.document == "" {
		return false, nil
	}
	var answer writeAnswer
	if err := w.a.call(ctx, r, &answer); err != nil {
		if lacksDefinition(err) {
			w.a.shop.Forget() // the next call makes the definition again
		}
		return false, step.Within("write product", err)
	}
	if update != nil {
		if err := w.a.took(answer.Update); err != nil {
			return false, step.Within("update product", err)
		}
		w.have.adoptWords(answer.Update.Product)
		w.stored = stored
	}
	if set == nil {
		w.readBack(false)
		return false, nil
	}
	made, faults, err := w.a.outcome(ctx, answer.Set)
	if err != nil {
		return false, err
	}
	if len(faults) > 0 {
		return w.judge(faults)
	}
	if create && made != nil {
		w.have, w.stored = &product{ID: made.ID, Status: draft}, stored
	}
	return false, w.adopt(ctx, made, create, answer.Set.Operation != nil)
}

// took is nil when a part was executed.
func (a *Adapter) took(p *payload) error {
	switch {
	case p == nil:
		return shopadapter.Retry("the shop's answer lacks a part")
	case len(p.Errors) > 0:
		return a.refusal(p.Errors[0])
	}
	return nil
}

// adoptWords takes over what an answer shows of the product itself.
func (p *product) adoptWords(now *product) {
	if now == nil {
		return
	}
	p.Handle, p.Status, p.Title, p.Description, p.Type = now.Handle, now.Status, now.Title, now.Description, now.Type
	p.StoreURL, p.PreviewURL = now.StoreURL, now.PreviewURL
}

// adopt takes over the product as the shop shows it after a productSet that it has confirmed.
func (w *write) adopt(ctx context.Context, made *product, create, background bool) error {
	if made == nil {
		return shopadapter.Retry("the shop's answer lacks the product")
	}
	if background {
		whole, err := w.a.readProduct(ctx, w.shop, w.Ref, false)
		if err != nil {
			return err
		}
		if whole == nil {
			return shopadapter.Retry("the product was deleted while it was written")
		}
		made = whole
	}
	w.have.adoptWords(made)
	if !w.whole && !w.images {
		w.readBack(create)
		return nil // the lists have the ids they had
	}
	w.have.Media = made.Media
	if w.images && (create || w.uploads) {
		w.confirmImages() // where no picture is new, the stamp knows all ids already
	}
	w.readBack(create)
	if !w.whole {
		return nil
	}
	w.have.Variants = made.Variants
	if err := w.a.readOn(ctx, w.have, false); err != nil {
		return err
	}
	return w.assign()
}

// assign gives each of our variants the one that the shop made of it.
func (w *write) assign() error {
	byChoice := map[string]*variant{}
	for i := range w.have.Variants.Nodes {
		v := &w.have.Variants.Nodes[i]
		byChoice[together(v.values())] = v
	}
	for i := range w.Variants {
		v := &w.Variants[i]
		if v.Held = byChoice[together(v.Values)]; v.Held == nil {
			return shopadapter.Retry("the shop's answer lacks the variant %s", v.ID)
		}
	}
	return nil
}

// updateInput is what productUpdate is to write, nil for nothing. It alone can add to the product's
// metafields: productSet would delete those of the merchant and of other apps.
func (w *write) updateInput() input {
	if w.have == nil {
		return nil
	}
	in, base := input{"id": w.have.ID}, w.base()
	if w.words.title {
		in["title"] = base.title
	}
	if w.words.description {
		in["descriptionHtml"] = base.description
	}
	if w.words.category {
		in["productType"] = category(w.Product.Category)
	}
	if w.brand {
		in["vendor"] = w.maker()
	}
	if w.tags != nil {
		in["tags"] = w.tags
	}
	if stamp.Encode(w.stamp) != w.stored {
		in["metafields"] = []input{w.stampInput()}
	}
	if len(in) == 1 {
		return nil
	}
	return in
}

func (w *write) stampInput() input {
	return input{"namespace": namespace, "key": stampKey, "type": "json", "value": stamp.Encode(w.stamp)}
}

// setInput is what productSet is to write: the lists, and all of a product that is not there yet.
func (w *write) setInput() (in input, marks int) {
	in = input{}
	if w.images {
		in["files"] = w.files()
	}
	if w.have == nil || w.lists {
		in["productOptions"], in["variants"], marks = w.variantInput()
	}
	if w.have != nil {
		return in, marks
	}
	base := w.base()
	in["title"], in["descriptionHtml"], in["productType"] = base.title, base.description, category(w.Product.Category)
	in["tags"] = append([]string{namespace}, w.wantedTags()...)
	if maker := w.maker(); maker != "" {
		in["vendor"] = maker
	}
	in["status"] = draft
	in["metafields"] = []input{keyInput(w.Ref.Publication), w.stampInput()}
	return in, marks
}

// request puts the parts of a write together; without any the document is "".
func (w *write) request(update, set input, marks int) request {
	var parts []part
	r := request{variables: input{}}
	if update != nil {
		parts = append(parts, partUpdate)
		r.variables["update"] = update
		r.estimate += costMutation + costMetafield
	}
	if set != nil {
		variants, _ := set["variants"].([]input)
		files, _ := set["files"].([]input)
		if w.whole || w.images {
			page := min(max(len(variants), 1), firstVariants)
			parts = append(parts, partSet)
			r.variables["page"] = page
			r.estimate += mostImages + 3*float64(page)
		} else {
			parts = append(parts, partAmounts)
		}
		r.variables["set"] = set
		r.variants = len(variants)
		r.variables["synchronous"] = len(variants) <= mostAtOnce
		r.variables["identifier"] = identifier(w.Ref.Publication)
		if w.have != nil {
			// By its own id: by the key, productSet would make a product without texts if this one
			// was deleted meanwhile.
			r.variables["identifier"] = input{"id": w.have.ID}
		}
		r.estimate += costMutation + costVariant*float64(len(variants)) + costMetafield*float64(marks+2) +
			costFile*float64(len(files))
	}
	if len(parts) > 0 {
		r.document = writeDocument("Write", parts...)
	}
	return r
}

// operationComplete is the status of a background operation that is done, well or not.
const operationComplete = "COMPLETE"

// longestWait is how long a background operation of the shop may take before the call gives up on
// it; the next call looks again.
const longestWait = 5 * time.Minute

// outcome is what became of a productSet, also of one that the shop carries out in the background.
func (a *Adapter) outcome(ctx context.Context, set *payload) (*product, userErrors, error) {
	switch {
	case set == nil:
		return nil, nil, shopadapter.Retry("the shop's answer lacks the product")
	case set.Operation != nil && len(set.Errors) == 0:
		return a.await(ctx, set.Operation.ID)
	}
	return set.Product, set.Errors, nil
}

// await polls a background productSet until it is complete.
func (a *Adapter) await(ctx context.Context, id string) (*product, userErrors, error) {
	started := time.Now()
	for delay := time.Second; ; delay = min(2*delay, 10*time.Second) {
		var answer struct {
			Operation *struct {
				Status  string     `json:"status"`
				Product *product   `json:"product"`
				Errors  userErrors `json:"userErrors"`
			} `json:"productOperation"`
		}
		err := a.call(ctx, request{document: operationDocument, estimate: 3, variables: input{"id": id}}, &answer)
		switch op := answer.Operation; {
		case err != nil:
			return nil, nil, step.Within("await product", err)
		case op == nil:
			return nil, nil, shopadapter.Retry("the shop has forgotten that it was writing the product")
		case op.Status == operationComplete:
			return op.Product, op.Errors, nil
		case time.Since(started) > longestWait:
			return nil, nil, shopadapter.Retry("the shop is still writing the product").After(longestWait)
		}
		if err := step.Pause(ctx, delay); err != nil {
			return nil, nil, err
		}
	}
}
