package variation

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// mostOps is how many operations WooCommerce accepts in one batch.
const mostOps = 100

// An Op is one operation of a batch.
type Op struct {
	ID     int64 // of the variation; 0: it is to be made
	Wanted skeleton.Planned
	Body   map[string]any
	After  Written // when it has been carried out
	stamp  string  // of the variation on sale
}

// A Plan is what is to be done to the variations.
type Plan struct {
	Clear   []int64 // their SKU stands in the way of another's
	Create  []Op
	Update  []Op
	Delete  []int64
	Release []int64 // the merchant's own that the supplier no longer has: they leave the sale and lose our stamp
}

// A Situation is what decides besides the variations what is to be done to them.
type Situation struct {
	Changed shopadapter.Fields
	Figures bool // nothing but price and stock is written, to variations that are there
	Listed  bool // the variations were read just now; otherwise they are the adapter's last write
	Unsure  bool // the outcome of the last call is not known
	Left    bool // the caller left the listing on sale (Ref.OnSale)
	Written bool // this call has written what was held without a look
	Adopted bool // the product was the merchant's before
	Live    bool // it is on sale
	Revive  bool // what the merchant switched off is put on sale again (Ref.Revive)
}

// Plan compares what is wanted with what is held.
func (set *Set) Plan(list skeleton.List[Held], surplus []*Held, in Situation) Plan {
	var p Plan
	touched := shopadapter.NoFields
	for _, v := range list {
		switch {
		case !v.Unmade():
		case in.Figures:
			continue
		default:
			p.Create = append(p.Create, set.op(v, shopadapter.AllFields, in))
			continue
		}
		groups := set.differing(v, in)
		if o := set.op(v, groups, in); groups != 0 || len(o.Body) > 1 { // beside its id
			p.Update = append(p.Update, o)
			touched |= groups
		}
	}
	if again := in.Changed & Figures; !in.Listed && !in.Written && again != 0 && !touched.Any(again) {
		// The supplier changed something, and by what was written last it is there already. The
		// merchant may have changed it since.
		for _, v := range list {
			if !v.Unmade() {
				p.Update = append(p.Update, set.op(v, again, in))
			}
		}
	}
	for _, s := range surplus {
		switch {
		case in.Figures:
		case in.Adopted && !s.Added:
			p.Release = append(p.Release, s.ID)
		default:
			p.Delete = append(p.Delete, s.ID)
		}
	}
	p.Clear = inTheWay(p, list)
	return p
}

// differing is the groups in which a variation is to be written.
func (set *Set) differing(v skeleton.Wanted[Held], in Situation) shopadapter.Fields {
	groups, s := shopadapter.NoFields, v.Held.Written
	if !in.Figures {
		if s.Form == "" {
			groups = shopadapter.AllFields
		}
		// the last call may have left it private
		if (in.Changed.Has(shopadapter.FieldVariants) || in.Unsure || in.Revive) &&
			s.Form != set.Form(v.Planned, in.sale(s)) {
			groups |= shopadapter.FieldVariants
		}
	}
	if in.Changed.Has(shopadapter.FieldPrice) && s.Price != v.Price {
		groups |= shopadapter.FieldPrice
	}
	if in.Changed.Has(shopadapter.FieldStock) && s.Stock != StockOf(v.Variant) {
		groups |= shopadapter.FieldStock
	}
	// a call that the caller did not see the end of may have written something else
	if !in.Listed && !in.Left && !in.Unsure && !in.Written {
		groups |= in.Changed & Figures
	}
	return groups
}

// sale is whether a variation is on sale after a write.
func (in Situation) sale(s Written) Sale {
	if saleOf(s.Form) == Off && !in.Revive {
		return Off
	}
	return OnSale
}

// inTheWay is the variations that have the SKU another one is about to get, and are to lose it only
// later in the same batch.
func inTheWay(p Plan, list skeleton.List[Held]) []int64 {
	changes := map[int64]bool{}
	for _, u := range p.Update {
		changes[u.ID] = u.Body["sku"] != nil
	}
	holders := map[string]int64{}
	for _, v := range list {
		if !v.Unmade() && v.Held.sku != "" && changes[v.Held.ID] {
			holders[strings.ToLower(v.Held.sku)] = v.Held.ID
		}
	}
	var ids []int64
	for _, o := range slices.Concat(p.Create, p.Update) {
		if holder := holders[strings.ToLower(o.Wanted.SKU)]; holder != 0 && holder != o.ID && o.Body["sku"] != nil {
			ids = append(ids, holder)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// op is the operation that makes a variation, or brings it in line in the groups given.
func (set *Set) op(v skeleton.Wanted[Held], groups shopadapter.Fields, in Situation) Op {
	h := v.Held
	if v.Unmade() {
		h = &Held{}
	}
	s, body := h.Written, FiguresOf(v.Variant, groups)
	value := Stamp(set.Publication, v.ID, in.Adopted && (s.ID == 0 || h.Added))
	if groups.Has(shopadapter.FieldVariants) {
		is := in.sale(s)
		body["sku"], body["attributes"] = v.SKU, set.picked(v.Planned)
		if is == OnSale {
			body["status"] = "publish"
		}
		if s.Form == "" || h.waits { // it is new, or does not carry this variant's stamp
			body["meta_data"] = stamped(value)
		}
		s.Form = set.Form(v.Planned, is)
	}
	if s.ID > 0 {
		body["id"] = s.ID
	} else {
		body["menu_order"] = orderMark(set.Publication)
	}
	if _, puts := body["status"]; puts && (s.ID == 0 || h.dead || h.Price == "") && in.Live {
		// PHP writes the row before the price. On a product that is on sale a variation is put on
		// sale once it is known to have one.
		body["status"], s.Form = "private", set.Form(v.Planned, Waits)
		body["meta_data"] = stamped(Waiting(value))
	}
	if set.Details != nil && !in.Figures && (in.Listed || s.ID == 0) {
		for name, value := range set.Details(*h, v.Planned) {
			if list, both := body[name].([]map[string]any); both { // metadata
				value = slices.Concat(list, value.([]map[string]any))
			}
			body[name] = value
		}
	}
	s.Wrote(v.Variant, groups)
	return Op{ID: s.ID, Wanted: v.Planned, Body: body, After: s, stamp: value}
}

func stamped(value string) []map[string]any {
	return []map[string]any{{"key": rest.StampKey, "value": value}}
}

// Withheld is what puts a variation off sale until a later call. The stamp of one of a product that
// was taken over stays as it is: it may say more than is known here.
func (set *Set) Withheld(v skeleton.Wanted[Held], adopted bool) Op {
	id := v.Held.ID
	body := map[string]any{"id": id, "status": "private"}
	if !adopted {
		body["meta_data"] = stamped(Waiting(Stamp(set.Publication, v.ID, false)))
	}
	return Op{ID: id, Wanted: v.Planned, Body: body, After: Written{ID: id}}
}

// Shown puts a variation on sale that an operation made private, and which is as written since.
func (set *Set) Shown(o Op, last Written) (shown Op, ok bool) {
	if last.ID == 0 || last.Form != set.Form(o.Wanted, Waits) {
		return Op{}, false
	}
	last.Form = set.Form(o.Wanted, OnSale)
	body := map[string]any{"id": last.ID, "status": "publish", "meta_data": stamped(o.stamp)}
	return Op{ID: last.ID, Wanted: o.Wanted, Body: body, After: last}, true
}

// Chooses reports whether the plan gives a variation its attributes.
func (p Plan) Chooses() bool {
	return slices.ContainsFunc(slices.Concat(p.Create, p.Update), func(o Op) bool { return o.Body["attributes"] != nil })
}

// Empty reports whether nothing is to be done.
func (p Plan) Empty() bool { return len(p.Create)+len(p.Update)+len(p.Delete)+len(p.Release) == 0 }

// Batches cuts a plan into requests. WooCommerce carries out additions before changes before
// deletions; where that does not all fit into one request, deletions come first.
func (p Plan) Batches() iter.Seq[Plan] {
	return func(yield func(Plan) bool) {
		if len(p.Create)+len(p.Update)+len(p.Delete) <= mostOps {
			if len(p.Create)+len(p.Update)+len(p.Delete) > 0 {
				yield(p)
			}
			return
		}
		for ids := range slices.Chunk(p.Delete, mostOps) {
			if !yield(Plan{Delete: ids}) {
				return
			}
		}
		for ops := range slices.Chunk(p.Update, mostOps) {
			if !yield(Plan{Update: ops}) {
				return
			}
		}
		for ops := range slices.Chunk(p.Create, mostOps) {
			if !yield(Plan{Create: ops}) {
				return
			}
		}
	}
}

// Send makes one request. The answer has an item for each operation.
func (p Plan) Send(ctx context.Context, c *rest.Client, product int64) (rest.BatchAnswer, error) {
	body := map[string]any{}
	ops := len(p.Create) + len(p.Update) + len(p.Delete)
	for name, list := range map[string][]Op{"create": p.Create, "update": p.Update} {
		if len(list) > 0 {
			bodies := make([]map[string]any, 0, len(list))
			for _, o := range list {
				bodies = append(bodies, maps.Clone(o.Body))
			}
			body[name] = bodies
		}
	}
	if len(p.Delete) > 0 {
		body["delete"] = p.Delete
	}
	var got rest.BatchAnswer
	_, err := c.Call(ctx, rest.Request{
		Method: http.MethodPost, Path: rest.ProductPath(product) + "/variations/batch", Body: body, Kind: rest.KindBatch,
		Ops: ops,
	}, &got)
	if err == nil && (len(got.Create) != len(p.Create) || len(got.Update) != len(p.Update)) {
		err = shopadapter.Retry(
			"the shop answered a batch of %d with %d", ops, len(got.Create)+len(got.Update)+len(got.Delete),
		)
	}
	return got, err
}
