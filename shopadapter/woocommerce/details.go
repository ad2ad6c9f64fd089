package woocommerce

import (
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/detail"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

const unseenUnits = "shop does not tell its units of weight and size, or has one that is not known: both are left " +
	"out (give the key to a shop manager or an administrator)"

// readUnits asks the shop for the units of WooCommerce > Settings > Products. The zero Units are
// none that can be written in.
func (a *adapter) readUnits(ctx context.Context) (units shopadapter.Units, err error) {
	for name, unit := range map[string]*string{
		"products/woocommerce_weight_unit": &units.Weight, "products/woocommerce_dimension_unit": &units.Length,
	} {
		if *unit, _, err = a.setting(ctx, name); err != nil {
			return shopadapter.Units{}, err
		}
	}
	if units.KnowsUnits() {
		return units, nil
	}
	if a.first("units") {
		a.logger.Warn(unseenUnits)
	}
	return shopadapter.Units{}, nil
}

// first reports whether something is to be told: the first time in this process.
func (a *adapter) first(key string) bool {
	_, again := a.told.LoadOrStore(key, true)
	return !again
}

// planSizes says which of the variants' sizes are to be written. The shop's units are asked for
// where there is one to write, and remembered.
func (w *write) planSizes(ctx context.Context) error {
	w.sizer = detail.Sizer{Given: w.Product.Units}
	if w.Changed.Any(shopadapter.FieldDetails | shopadapter.FieldVariants) {
		w.sizer.Groups = (shopadapter.FieldDetails | shopadapter.FieldVariants) &^ w.Product.Unknown
	}
	if !w.Changed.Has(shopadapter.FieldDetails) {
		w.sizer.Groups &^= shopadapter.FieldDetails
	}
	sized := func(v shopadapter.Variant) bool { return v.Weight+v.Length+v.Width+v.Height != "" }
	needed := w.stamp.Sizes != "" || slices.ContainsFunc(w.Product.Variants, sized)
	if !needed || !w.sizer.Groups.Has(shopadapter.FieldDetails) {
		return nil
	}
	var err error
	w.sizer.Shop, err = w.a.units.Get(ctx, false)
	return err
}

// comparesSizes reports whether the sizes that the shop holds have to be seen: others are to be
// written than the last time, or the merchant may have typed some.
func (w *write) comparesSizes() bool {
	again := w.Ref.Asked || w.Ref.Reset.Has(shopadapter.FieldDetails)
	for group, last := range w.stamp.sizes() {
		digest := w.sizer.Digest(w.Product.Variants, group)
		if w.sizer.Groups.Has(group) && (digest != *last || digest != "" && again) {
			return true
		}
	}
	return false
}

// decideSizes is what to write of sizes, and the note that speaks of them.
func (w *write) decideSizes(note *detail.Note, shown, above rest.Sizes, want map[string]string) map[string]any {
	held := w.sizer.Held(shown, above, *note)
	for name := range held {
		if _, written := want[name]; !written && !note.Has(name) {
			delete(held, name) // where nothing is written it is nobody's concern
		}
	}
	m := w.Merge
	m.Changed |= shopadapter.FieldDetails // the EAN goes with the variants, and is kept like a detail
	write := note.Decide(&m, shopadapter.FieldDetails, held, want)
	if m.Keeps(shopadapter.FieldDetails) {
		w.Keep(shopadapter.FieldDetails)
	}
	return detail.Fields(write)
}

// variationSizes is what to write of a variation's sizes, with the note.
func (w *write) variationSizes(held variation.Held, v skeleton.Planned) map[string]any {
	if w.sizer.Groups == 0 {
		return nil
	}
	want, above := w.sizer.Wanted(v.Variant), w.view.Sizes
	note := detail.ReadNote(held.Note)
	body := w.decideSizes(&note, held.Sizes, above, want)
	if note.Text() != held.Note {
		body["meta_data"] = []map[string]any{detail.Meta(note)}
	}
	return body
}

// planProductSizes adds to the fields what differs of the sizes of the product itself. Where it has
// variations these have them.
func (w *write) planProductSizes() {
	if w.sizer.Groups == 0 {
		return
	}
	want := map[string]string{}
	if !w.want.variable {
		want = w.sizer.Wanted(w.Planned[0].Variant)
	}
	maps.Copy(w.fields, w.decideSizes(&w.stamp.Details, w.view.Sizes, rest.Sizes{}, want))
	for group, last := range w.stamp.sizes() {
		switch {
		case !w.sizer.Groups.Has(group):
		case w.Keeps(shopadapter.FieldDetails), w.shared, len(w.Refused) > 0, w.Unclear != nil:
			*last = "" // to be compared again
		default:
			*last = w.sizer.Digest(w.Product.Variants, group)
		}
	}
}

// tellEAN says that another product of the shop has an EAN, which is left out.
func (w *write) tellEAN(sku, ean, why string) {
	w.shared = true
	if !w.a.first(string(w.Ref.Publication) + "\n" + ean) {
		return
	}
	w.a.logger.Warn(
		"shop refuses an EAN, which another product has as a rule: it is left out, and tried again when the "+
			"publication changes or is retried",
		"publication", w.Ref.Publication, "sku", sku, "ean", ean, "error", w.a.Clean(why),
	)
}

// withoutEANs writes again, without their EANs, what a batch was refused for them, and puts what
// comes of it in place.
func (w *write) withoutEANs(ctx context.Context, ops []variation.Op, items []rest.BatchItem) error {
	var p variation.Plan
	var created, updated []int
	for i, o := range ops {
		fault := items[i].Error
		if fault == nil || !rest.RefusesEAN(string(fault.Code)) || detail.EANOf(o.Body) == "" {
			continue
		}
		w.tellEAN(o.Wanted.SKU, detail.EANOf(o.Body), string(fault.Message))
		ops[i].Body = maps.Clone(o.Body)
		detail.WithoutEAN(ops[i].Body)
		if o.ID > 0 {
			p.Update, updated = append(p.Update, ops[i]), append(updated, i)
		} else {
			p.Create, created = append(p.Create, ops[i]), append(created, i)
		}
	}
	if len(created)+len(updated) == 0 {
		return nil
	}
	got, err := w.batch(ctx, p)
	if err != nil {
		return err
	}
	for n, i := range slices.Concat(created, updated) {
		items[i] = slices.Concat(got.Create, got.Update)[n]
	}
	return nil
}
