package woocommerce

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/detail"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// Sell writes what the product itself holds, and puts it on sale.
func (w *write) Sell(ctx context.Context) error {
	if w.blind {
		return nil
	}
	if w.want.variable {
		w.planAttributes()
		w.stamp.Variant = ""
	}
	if err := w.planBrand(ctx); err != nil {
		return err
	}
	w.planFeatures()
	w.planProductSizes()
	if err := w.finish(ctx, w.fields); err != nil || w.Clash != nil {
		return err
	}
	if w.want.variable {
		w.state.Choices = w.choices
	}
	if w.state.Done = true; w.album == nil || !w.album.MayBeLoading() {
		w.state.Unanswered, w.state.Uploads = 0, false
	}
	return nil
}

// planAttributes has the product offer the values of the variations that it has.
func (w *write) planAttributes() {
	if !w.Changed.Has(shopadapter.FieldVariants) || w.Unclear != nil {
		return
	}
	var sold []skeleton.Planned
	for _, v := range w.Variants {
		if !v.Unmade() {
			sold = append(sold, v.Planned)
		}
	}
	held := variation.AttributesOf(w.view)
	if want := w.set().Attributes(held, sold); !variation.Same(held, want, true) {
		w.fields["attributes"] = variation.WithMerchants(w.view, want)
	}
}

// finish writes what differs. put is what is to be written besides pictures and stamp.
func (w *write) finish(ctx context.Context, put map[string]any) error {
	before := w.stampAsWritten()
	wrote := shopadapter.NoFields
	for field, group := range map[string]shopadapter.Fields{
		"name": shopadapter.FieldTitle, "description": shopadapter.FieldDescription, "categories": shopadapter.FieldCategory,
	} {
		if _, ok := put[field]; ok {
			wrote |= group
		}
	}
	if w.view.Status != "publish" && !w.StaysDraft {
		put["status"] = "publish"
	}
	maps.Copy(put, w.view.Hidden())
	w.stamp.Done, w.stamp.Product, w.stamp.Pictures = true, int64(w.view.ID), w.state.Remembered(w.view.Images)
	pictures, err := w.planPictures(ctx, before)
	if err != nil {
		return err
	}
	after := w.stamp
	after.Product, after.Pictures = before.Product, before.Pictures
	switch {
	case pictures:
		wrote |= shopadapter.FieldImages
		err = w.album.Write(ctx, put)
	case len(put) == 0 && !w.retaken && stamp.Encode(after) == stamp.Encode(before):
		return nil
	default:
		err = w.put(ctx, put, w.stamp, time.Time{})
	}
	if err != nil {
		return err
	}
	if w.view.Status != "publish" && !w.StaysDraft {
		return shopadapter.Retry("the shop does not put the product on sale: it is %s", w.a.Clean(string(w.view.Status)))
	}
	if err := w.settleBrand(ctx, put["brands"]); err != nil || !w.readBack(wrote) {
		return err
	}
	// The shop made something else of a text than it makes of texts. Were the stamp not to know,
	// the supplier's own words would pass for the merchant's.
	return w.put(ctx, map[string]any{}, w.stamp, time.Time{})
}

// put writes fields of the product, together with the stamp that speaks of them. until is when it
// is given up where the shop is to load pictures for it, zero elsewhere.
func (w *write) put(ctx context.Context, fields map[string]any, s productStamp, until time.Time) error {
	uploads := !until.IsZero()
	body := maps.Clone(fields)
	if encoded := stamp.Encode(w.remembering(s)); encoded != w.written || len(w.unheard) > 0 {
		others, _ := body["meta_data"].([]map[string]any)
		body["meta_data"] = append(slices.Clone(others), map[string]any{"key": rest.StampKey, "value": encoded})
	}
	id := int64(w.view.ID)
	limited, kind := ctx, rest.KindWrite
	if uploads {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, until)
		defer cancel()
		kind = rest.KindUpload
	}
	got, err := w.a.Write(limited, kind, id, body)
	switch r := rest.Refused(err); {
	case rest.Gone(err):
		return shopadapter.Retry("the product was deleted in the shop at this moment")
	case rest.HasCode(err, rest.CodeSKU) && r.Resource > 0 && r.Resource != id:
		owner, _, failed := w.a.owner(ctx, r.Resource)
		if failed != nil {
			return failed
		}
		if owner.ID == 0 || owner.ID == w.view.ID {
			return shopadapter.Retry("the shop has not let go of the SKU yet: %s", r.Message)
		}
		if w.Own && w.a.owned(owner, w.Ref.Publication) {
			return &elsewhere{owner}
		}
		return w.foreign(owner, w.sku())
	case r != nil && rest.RefusesEAN(r.Code) && detail.EANOf(fields) != "":
		w.tellEAN(w.sku(), detail.EANOf(fields), r.Message)
		detail.WithoutEAN(fields)
		s.Details.Forget(detail.EAN)
		w.stamp.Details.Forget(detail.EAN)
		s.EANs, w.stamp.EANs = "", ""
		return w.put(ctx, fields, s, until)
	case err != nil:
		if rest.Uncertain(err) {
			w.unheard, w.state.Cut = append(w.unheard, s), true
			w.state.unanswered(uploads && !rest.Died(err))
		}
		return err
	case int64(got.ID) != id:
		w.state.unanswered(uploads)
		return shopadapter.Retry("the shop answered a write with another product")
	}
	w.hold(got)
	w.retaken = false
	if w.written == "" {
		w.written = stamp.Encode(s) // not shown, but sent
	}
	return nil
}
