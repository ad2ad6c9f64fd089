package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// An op is what is to be done to one variation.
type op struct {
	place int    // among wanted; -1: it is of none
	id    number // 0: it is to be made
	body  map[string]any
}

// A batch is what is to be done to the variations of a product.
type batch struct {
	create, update []op
	remove         []number
}

func (b batch) size() int { return len(b.create) + len(b.update) + len(b.remove) }

// parts are the batch in requests of at most a hundred operations: deletions first, so that what
// they hold is free.
func (b batch) parts() (all []batch) {
	if b.size() <= perPage {
		return []batch{b}
	}
	for ids := range slices.Chunk(b.remove, perPage) {
		all = append(all, batch{remove: ids})
	}
	for ops := range slices.Chunk(b.update, perPage) {
		all = append(all, batch{update: ops})
	}
	for ops := range slices.Chunk(b.create, perPage) {
		all = append(all, batch{create: ops})
	}
	return all
}

// send makes the requests of a batch. The answer has an item for each operation, in order.
func (w *write) send(ctx context.Context, b batch) (got batchAnswer, err error) {
	if b.size() == 0 {
		return got, nil
	}
	for _, part := range b.parts() {
		body := map[string]any{}
		for name, ops := range map[string][]op{"create": part.create, "update": part.update} {
			var list []map[string]any
			for _, o := range ops {
				one := maps.Clone(o.body)
				if o.id > 0 {
					one["id"] = o.id
				}
				list = append(list, one)
			}
			if list != nil {
				body[name] = list
			}
		}
		if len(part.remove) > 0 {
			body["delete"] = part.remove
		}
		var some batchAnswer
		path := productPath(w.held.ID) + "/variations/batch"
		if err := w.a.call(ctx, http.MethodPost, path, nil, body, &some); err != nil {
			return got, w.unanswered(err)
		}
		if len(some.Create) != len(part.create) || len(some.Update) != len(part.update) {
			return got, w.unanswered(shopadapter.Retry("the shop answered a batch of %d with %d", part.size(),
				len(some.Create)+len(some.Update)+len(some.Delete)))
		}
		got.Create = append(got.Create, some.Create...)
		got.Update = append(got.Update, some.Update...)
		got.Delete = append(got.Delete, some.Delete...)
	}
	return got, nil
}

// outcome records what became of an operation. fine is false where the shop holds something else
// than was thought, or the operation is to be tried without its EAN.
func (w *write) outcome(ctx context.Context, o op, item batchItem) (fine bool, err error) {
	if item.Error == nil {
		if item.ID <= 0 || o.id > 0 && item.ID != o.id {
			return false, w.unanswered(shopadapter.Retry("the shop answered a batch with something else than was asked for"))
		}
		if o.place >= 0 && w.wanted[o.place].Held == nil {
			w.wanted[o.place].Held = &heldVariation{
				variation: item.variation, key: w.wanted[o.place].ID, marked: true, added: true,
			}
		}
		return true, nil
	}
	r := w.a.refusalOf(*item.Error, int(item.Error.Data.Status))
	switch {
	case r.Code == codeNoVariation, r.Code == codeNotCreated:
		return false, nil
	case r.Status >= http.StatusInternalServerError || r.Code == "" || o.place < 0:
		return false, shopadapter.Retry("the shop could not write a variation: %s", r.Message)
	case r.Code == codeSKU && r.Resource > 0:
		return w.skuTaken(ctx, o, number(r.Resource))
	case refusesEAN(r.Code) && o.body[eanField] != nil:
		w.leaveEAN(w.wanted[o.place].SKU, o.body[eanField], r.Message)
		return false, nil
	}
	w.refused[w.wanted[o.place].ID] = r.Message
	return true, nil
}

// skuTaken judges a variation whose SKU stands elsewhere in the shop.
func (w *write) skuTaken(ctx context.Context, o op, by number) (fine bool, err error) {
	hit, err := w.a.product(ctx, by)
	if err != nil {
		return false, err
	}
	owner, err := w.a.ownerOf(ctx, hit)
	v := w.wanted[o.place]
	switch {
	case err != nil:
		return false, err
	case owner.ID == 0, owner.ID == w.held.ID && hit.ID != owner.ID:
		return false, nil // one of our own, of which the picture was wrong
	case !w.note.Done:
		if w.fresh {
			err = w.a.remove(ctx, w.held.ID)
		}
		if err == nil {
			err = w.foreign(owner, v.SKU)
		}
		return false, err
	}
	w.refused[v.ID] = w.foreign(owner, v.SKU).Message
	return true, nil
}
