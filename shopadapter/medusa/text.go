package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type translation struct {
	ID     string                  `json:"id"`
	Locale string                  `json:"locale_code"`
	Texts  shopadapter.Translation `json:"translations"`
}

// translationsOf returns nil without the translation module.
func (a *Adapter) translationsOf(ctx context.Context, product string) ([]translation, error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil || len(s.locales) == 0 {
		return nil, err
	}
	q := query{"reference": "product", "reference_id[0]": product, "limit": "200"}
	got, err := a.get(ctx, "read translations", "translations", q)
	return got.Translations, err
}

// translate writes the other locales. The note goes first, since they lie outside the product.
func (w *write) translate(ctx context.Context) error {
	if len(w.shop.locales) == 0 || !w.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		return nil
	}
	held, err := w.a.translationsOf(ctx, w.held.ID)
	if err != nil {
		return err
	}
	notes, fresh, changes := map[string]kit.Text{}, []input{}, []input{}
	maps.Copy(notes, w.note.Translations)
	for _, locale := range w.shop.locales {
		text, group, ok := kit.TextIn(w.p, locale)
		i := slices.IndexFunc(held, func(t translation) bool { return t.Locale == locale })
		last := notes[locale]
		switch {
		case !ok || i < 0 && group == shopadapter.FieldTitle:
			// The product holds its own language. A translation into that would hide the merchant's edits.
		case i < 0:
			notes[locale] = last.Then(kit.WrittenText(text))
			fresh = append(fresh, input{
				"reference": "product", "reference_id": w.held.ID, "locale_code": locale, "translations": text,
			})
		default:
			next := last
			if texts := w.DecideText(shopadapter.FieldDescription, held[i].Texts, text, &next); len(texts) > 0 {
				next = last.Then(next)
				changes = append(changes, input{"id": held[i].ID, "translations": texts})
			}
			notes[locale] = next
		}
	}
	if w.note.Translations = notes; len(fresh)+len(changes) == 0 {
		return nil
	}
	if err := w.put(ctx); err != nil {
		return err
	}
	_, err = w.a.post(ctx, "write translations", "translations/batch", "", input{"create": fresh, "update": changes})
	return err
}

func categoryHandle(c shopadapter.Category) []string {
	path := cmp.Or(c.Path, c.Name)
	if path == "" {
		return nil
	}
	return []string{cmp.Or(slug.ASCII(path, 200), kit.Digest(path, 8))}
}

// category finds a category by its handle, wherever the merchant has it, or makes it with its missing ancestors.
func (a *Adapter) category(ctx context.Context, handle string, c shopadapter.Category) (string, error) {
	found, err := a.get(ctx, "find category", "product-categories", query{"handle": handle, "fields": "id,handle"})
	if err != nil {
		return "", err
	}
	if len(found.Categories) > 0 {
		return found.Categories[0].ID, nil
	}
	fields := input{"name": c.Label(), "handle": handle, "is_active": true}
	if n := len(c.Branch) - 1; n > 0 {
		above := shopadapter.Category{Path: c.Branch[n-1].Path, Branch: c.Branch[:n]}
		if fields["parent_category_id"], err = a.category(ctx, categoryHandle(above)[0], above); err != nil {
			return "", err
		}
	}
	made, err := a.post(ctx, "create category", "product-categories", "id,handle", fields)
	if taken(err, "") {
		return "", shopadapter.Retry("the category %s has just been made by another program", handle)
	}
	return made.Category.ID, err
}

// sizes are details that Medusa has fields for. null reads as "".
type sizes struct {
	Weight   json.Number `json:"weight"`
	Length   json.Number `json:"length"`
	Width    json.Number `json:"width"`
	Height   json.Number `json:"height"`
	Origin   string      `json:"origin_country"`
	Material string      `json:"material"`
}

func (s sizes) held() map[string]string {
	return map[string]string{
		"weight": single(string(s.Weight)), "length": single(string(s.Length)), "width": single(string(s.Width)),
		"height": single(string(s.Height)), "origin_country": s.Origin, "material": s.Material,
	}
}

// Members of metadata for values without a field. Storefronts can read them.
const (
	brandMark  = "brand"           // of the product
	detailMark = "pubsync_details" // of a variant: the note of its details
)

var (
	told    = []string{"diameter", "volume", "lead_time", "tags", "case_quantity"} // of a variant
	numeric = []string{"weight", "length", "width", "height"}
)

// detailsOf returns a variant's details by Medusa's names. Countries are in lower case, as in the back office.
func (w *write) detailsOf(v shopadapter.Variant) map[string]string {
	length := func(figure string) string { return single(w.p.Units.LengthIn(figure, w.a.set.Dimensions)) }
	return map[string]string{
		"weight": single(w.p.Units.WeightIn(v.Weight, w.a.set.Weight)), "length": length(v.Length),
		"width": length(v.Width), "height": length(v.Height), "diameter": length(v.Diameter), "volume": v.Volume,
		"origin_country": strings.ToLower(v.Origin), "material": strings.Join(v.Materials, ", "),
		"lead_time": v.LeadTime, "tags": strings.Join(v.Tags, ", "), "case_quantity": v.CaseQuantity,
	}
}

// single returns a number as Medusa keeps it: a single float of about seven digits.
func single(number string) string {
	f, err := strconv.ParseFloat(number, 32)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(f, 'f', -1, 32)
}

// split separates fields, where null empties one, from members of metadata.
func split(values map[string]string) (fields input, marks metadata) {
	fields, marks = input{}, metadata{}
	for name, value := range values {
		switch {
		case name == brandMark, slices.Contains(told, name):
			marks[name] = value
		case value == "":
			fields[name] = nil
		case slices.Contains(numeric, name):
			fields[name] = json.Number(value)
		default:
			fields[name] = value
		}
	}
	return fields, marks
}

// planSizes selects the brand and the product's own sizes: those in which all variants agree.
func (w *write) planSizes() {
	write, sizes := map[string]string{}, map[string]string{}
	if !w.p.Unknown.Has(shopadapter.FieldBrand) {
		held := map[string]string{brandMark: w.held.Metadata.whole(brandMark)}
		want := map[string]string{brandMark: w.p.Brand}
		write, w.note.Details = w.DecideValues(shopadapter.FieldBrand, held, want, w.note.Details)
	}
	if !w.p.Unknown.Has(shopadapter.FieldDetails) {
		want := w.detailsOf(w.planned[0].Variant)
		for _, v := range w.planned {
			one := w.detailsOf(v.Variant)
			maps.DeleteFunc(want, func(name, value string) bool {
				return value == "" || one[name] != value || slices.Contains(told, name)
			})
		}
		held := w.held.sizes.held()
		maps.DeleteFunc(held, func(name, _ string) bool { return want[name] == "" && w.note.Details[name] == "" })
		sizes, w.note.Details = w.DecideValues(shopadapter.FieldDetails, held, want, w.note.Details)
	}
	maps.Copy(write, sizes)
	var fields input
	fields, w.told = split(write)
	maps.Copy(w.fields, fields)
}

// planDetails adds a variant's changed details, EAN and note to the change.
func (w *write) planDetails(v kit.Wanted[variant], structural bool, change input) {
	held, merge := v.Held, &w.Merge
	if held == nil {
		held, merge = &variant{}, &kit.Merge{Changed: shopadapter.FieldDetails, Own: true}
	}
	last, write := held.noted(), map[string]string{}
	if !w.p.Unknown.Has(shopadapter.FieldDetails) {
		write, last = merge.DecideValues(shopadapter.FieldDetails, held.details(), w.detailsOf(v.Variant), last)
	}
	if structural && !w.p.Unknown.Has(shopadapter.FieldVariants) {
		follow := kit.Merge{Changed: shopadapter.FieldVariants, Reset: shopadapter.FieldVariants}
		has, want := map[string]string{"ean": held.EAN}, map[string]string{"ean": v.EAN}
		has, last = follow.DecideValues(shopadapter.FieldVariants, has, want, last)
		maps.Copy(write, has)
	}
	fields, marks := split(write)
	maps.Copy(change, fields)
	noted := ""
	if len(last) > 0 {
		noted = kit.Encode(last)
	}
	if noted != held.Metadata.text(detailMark) {
		marks[detailMark] = noted
	}
	if v.Held == nil {
		marks[mark] = v.ID
	}
	if len(marks) > 0 {
		change["metadata"] = marks
	}
}

// noted returns nil for somebody's own text.
func (v *variant) noted() kit.Values {
	last := kit.Values{}
	if json.Unmarshal([]byte(v.Metadata.text(detailMark)), &last) != nil {
		return nil
	}
	return last
}

func (v *variant) details() map[string]string {
	held := v.sizes.held()
	for _, name := range told {
		held[name] = v.Metadata.whole(name)
	}
	return held
}
