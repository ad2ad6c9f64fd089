package woocommerce

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// brandName is the name of the brand in the note of what was written last.
const brandName = "brand"

// noBrand is wanted where the brand is not known: what is held is another one.
const noBrand = "none"

func (w *write) heldBrands() string { return brandsOf(w.view) }

// brandsOf is the ids of a product's brands.
func brandsOf(p rest.Product) string {
	var ids []string
	for _, one := range p.Brands {
		ids = append(ids, strconv.FormatInt(int64(one.ID), 10))
	}
	slices.Sort(ids)
	return strings.Join(ids, ",")
}

// lostBrand reports whether the shop no longer has the brand that was written, of a product that has
// none: somebody deleted it for all products. It is made again, and is no edit.
func (a *adapter) lostBrand(ctx context.Context, s productStamp, held string) (bool, error) {
	if held != "" || s.Brand == "" || !s.Details.Has(brandName) {
		return false, nil
	}
	id, told, err := a.brands.Stands(ctx, s.Brand)
	return told && !s.Details.Is(brandName, strconv.FormatInt(id, 10)), err
}

// planBrand adds the brand to the fields where it differs. A brand is known by its id: the merchant
// may have renamed it. One that the merchant chose stays, and no other is made for the product.
func (w *write) planBrand(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldBrand) || w.Product.Unknown.Has(shopadapter.FieldBrand) {
		return nil
	}
	held, name, want := w.heldBrands(), w.Product.Brand, ""
	lost, err := w.a.lostBrand(ctx, w.stamp, held)
	if err != nil {
		return err
	}
	if lost {
		w.stamp.Details.Forget(brandName)
	}
	switch {
	case name == "":
	case name == w.stamp.Brand && held != "" && w.stamp.Details.Is(brandName, held):
		want = held
	default:
		makes := w.Own || w.Reset.Has(shopadapter.FieldBrand) || w.stamp.Details.Wrote(brandName, held)
		id, err := w.a.brands.Find(ctx, name, makes)
		switch want = strconv.FormatInt(id, 10); {
		case err != nil:
			return err
		case id == 0 && makes:
			return nil // the shop has no brands, or refuses this one
		case id == 0:
			want = noBrand
		}
	}
	write := w.stamp.Details.Decide(
		&w.Merge, shopadapter.FieldBrand, map[string]string{brandName: held}, map[string]string{brandName: want},
	)
	if value, writes := write[brandName]; writes {
		w.fields["brands"] = brandList(value)
	}
	if !w.Keeps(shopadapter.FieldBrand) {
		w.stamp.Brand = name
	}
	return nil
}

func brandList(id string) []map[string]any {
	list := []map[string]any{} // null is no list
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		list = append(list, map[string]any{"id": n})
	}
	return list
}

// settleBrand writes the brand again where the shop has left it out: it was deleted there since it
// was last seen. wrote is what was written of it.
func (w *write) settleBrand(ctx context.Context, wrote any) error {
	list, _ := wrote.([]map[string]any)
	if len(list) == 0 || w.heldBrands() != "" {
		return nil
	}
	w.a.brands.Forget(ctx, w.stamp.Brand)
	id, err := w.a.brands.Find(ctx, w.stamp.Brand, true)
	if err != nil {
		return err
	}
	w.stamp.Details.Forget(brandName)
	fields := map[string]any{}
	if id > 0 {
		w.stamp.Details.Decide(
			&w.Merge, shopadapter.FieldBrand, map[string]string{brandName: ""},
			map[string]string{brandName: strconv.FormatInt(id, 10)},
		)
		fields["brands"] = brandList(strconv.FormatInt(id, 10))
	}
	if err := w.put(ctx, fields, w.stamp, time.Time{}); err != nil || w.heldBrands() != "" {
		return err
	}
	w.stamp.Details.Forget(brandName) // a shop that drops every brand
	return w.put(ctx, map[string]any{}, w.stamp, time.Time{})
}
