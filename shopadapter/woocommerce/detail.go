package woocommerce

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// The EAN among what a note says of a variant, and in a request. It goes with the variants,
// and is kept like a detail.
const (
	eanName  = "ean"
	eanField = "global_unique_id"
)

// sizes is what is to be written of weight, size and EAN: of each value, where it is not the
// merchant's. A value that a variation shows and that is its product's, above, is none, unless the
// note says that it was written. The zero Variant takes away what was written.
func (w *write) sizes(
	held, above figures, last kit.Values, v shopadapter.Variant,
) (body map[string]any, next kit.Values, differs bool) {
	m := w.Merge
	if held.ID == 0 {
		m.Changed, m.Own = shopadapter.AllFields, true
	}
	want := map[string]string{}
	if m.Changed.Has(shopadapter.FieldDetails) && w.units.KnowsUnits() && !w.p.Unknown.Has(shopadapter.FieldDetails) {
		want["weight"] = w.p.Units.WeightIn(v.Weight, w.units.Weight)
		want["length"] = w.p.Units.LengthIn(v.Length, w.units.Length)
		want["width"] = w.p.Units.LengthIn(v.Width, w.units.Length)
		want["height"] = w.p.Units.LengthIn(v.Height, w.units.Length)
	}
	if ean := cleanEAN(v.EAN); m.Changed.Has(shopadapter.FieldVariants) &&
		!w.p.Unknown.Has(shopadapter.FieldVariants) && !slices.Contains(w.leftEANs, ean) {
		want[eanName] = ean
	}
	have, shown, inherited := map[string]string{}, sizesOf(held), sizesOf(above)
	for name := range want {
		switch written := last[name] != ""; {
		case v.ID == "" && !written:
			delete(want, name) // where nothing is written it is nobody's concern
		case shown[name] != inherited[name] || written && last.Holds(name, shown[name]):
			have[name] = shown[name]
		}
	}
	m.Changed |= shopadapter.FieldDetails
	write, next := m.DecideValues(shopadapter.FieldDetails, have, want, last)
	if m.Keeps(shopadapter.FieldDetails) {
		w.Keep(shopadapter.FieldDetails)
	}
	size := map[string]any{}
	body = map[string]any{}
	for name, value := range write {
		switch name {
		case eanName:
			body[eanField] = value
		case "weight":
			body[name] = value
		default:
			size[name] = value
		}
	}
	if len(size) > 0 {
		body["dimensions"] = size
	}
	return body, next, len(write) > 0 || !maps.Equal(next, last)
}

func sizesOf(f figures) map[string]string {
	return map[string]string{
		"weight": trimmedNumber(f.Weight), "length": trimmedNumber(f.Dimensions["length"]),
		"width": trimmedNumber(f.Dimensions["width"]), "height": trimmedNumber(f.Dimensions["height"]),
		eanName: string(f.EAN),
	}
}

// trimmedNumber is a decimal without the zeros that mean nothing. Another text stays as it is.
func trimmedNumber(t text) string {
	d, err := decimal.NewFromString(string(t))
	switch {
	case err != nil:
		return string(t)
	case d.IsZero():
		return ""
	}
	return d.String()
}

// cleanEAN is an EAN as WooCommerce keeps it, "" for one of which it would drop something.
func cleanEAN(ean string) string {
	ean = strings.ReplaceAll(ean, " ", "")
	if strings.Trim(ean, "0123456789-") != "" {
		return ""
	}
	return ean
}

// decideSizes fills in what stands on the product itself; the zero Variant takes it away.
func (w *write) decideSizes(fields map[string]any, v shopadapter.Variant) {
	sizes, next, _ := w.sizes(w.held.figures, figures{}, w.note.Details, v)
	maps.Copy(fields, sizes)
	w.note.Details = next
}

func refusesEAN(code string) bool { return code == codeEAN || code == "woocommerce_"+codeEAN }

// leaveEAN leaves out an EAN that the shop refuses, for the rest of this call. It is said once.
func (w *write) leaveEAN(sku string, ean any, why string) {
	value, _ := ean.(string)
	w.leftEANs = append(w.leftEANs, value)
	w.a.warn(string(w.ref.Publication)+"\n"+value, "shop refuses an EAN, which another product has as a rule: it is left "+
		"out, and tried again when the publication changes or is retried", slog.Any("publication", w.ref.Publication),
		slog.String("sku", sku), slog.String("ean", value), slog.String("error", w.a.clean(why)))
}

// brandName is the name of the brand among the details of the product's note.
const brandName = "brand"

// noBrand stands for a brand that the shop does not have, which no product is of.
const noBrand = "none"

func heldBrands(p product) string { return hashIDs(p.Brands).Exact }

// decideBrand fills in the brand, which is made where the shop lacks it. One that the merchant
// renamed stays the product's; one that a person deleted is made again.
func (w *write) decideBrand(ctx context.Context, fields map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldBrand) || w.p.Unknown.Has(shopadapter.FieldBrand) {
		return nil
	}
	held, name, want, last := heldBrands(w.held), w.p.Brand, "", w.note.Details
	if held == "" && last[brandName] != "" {
		deleted, err := w.a.brandDeleted(ctx, last, w.begunAt)
		if err != nil {
			return err
		}
		if deleted {
			last = without(last, brandName)
		}
	}
	switch {
	case name == "":
	case name == w.note.Brand && held != "" && last.Holds(brandName, held):
		want = held
	default:
		makes := w.Own || w.Reset.Has(shopadapter.FieldBrand) || last.Holds(brandName, held)
		id, err := w.a.brand(ctx, name, makes)
		if err != nil || id == 0 && makes { // the shop refuses this one
			return err
		}
		if want = noBrand; id > 0 {
			want = strconv.FormatInt(id, 10)
		}
	}
	write, next := w.DecideValues(shopadapter.FieldBrand, map[string]string{brandName: held},
		map[string]string{brandName: want}, last)
	w.note.Details = next
	if value, differs := write[brandName]; differs {
		brands := []map[string]any{} // null is no list
		if id, err := strconv.ParseInt(value, 10, 64); err == nil {
			brands = idList(id)
		}
		fields["brands"] = brands
	}
	if !w.Keeps(shopadapter.FieldBrand) {
		w.note.Brand = name
	}
	return nil
}

// brand is the shop's brand of a name, made where that is asked for; 0 where there is none.
func (a *adapter) brand(ctx context.Context, name string, makes bool) (int64, error) {
	if err := a.brands.open(ctx, listedFor); err != nil {
		return 0, err
	}
	defer a.brands.close()
	folded := func(name string) string { return strings.ToLower(plain(termName(name))) }
	id := a.brands.one(func(t term) bool { return folded(string(t.Name)) == folded(name) })
	if id > 0 || !makes {
		return id, nil
	}
	return a.brands.make(ctx, 0, name, "", false)
}

// brandDeleted reports whether the brand that was last written is no more, as of a call that began
// at a time.
func (a *adapter) brandDeleted(ctx context.Context, last kit.Values, begun time.Time) (bool, error) {
	return a.brands.lacks(ctx, begun, func(id string) bool { return last.Holds(brandName, id) })
}
