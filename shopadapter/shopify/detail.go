package shopify

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// The names of a variant's details that Shopify has a field for.
const (
	eanName    = "ean"
	weightName = "weight"
	originName = "origin"
)

// A weight is one as Shopify shows it.
type weight struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// String is "" for no weight: Shopify shows zero. A figure is compared to four decimal places.
func (w *weight) String() string {
	const places = 1e4
	if w == nil || math.Round(w.Value*places) == 0 {
		return ""
	}
	return strconv.FormatFloat(math.Round(w.Value*places)/places, 'f', -1, 64) + " " + w.Unit
}

// kilograms is Shopify's name of the unit in which weights are written.
const kilograms = "KILOGRAMS"

// details are those of a variant in the shop, "" for each that is empty.
func (v *variant) details() map[string]string {
	return map[string]string{
		eanName: v.Barcode, weightName: v.Item.Size.Weight.String(), originName: v.Item.Origin,
	}
}

// wantedDetails are those of a variant as Shopify would show them. A weight or a country that it
// does not accept is "".
func wantedDetails(v shopadapter.Variant, units shopadapter.Units) map[string]string {
	want := map[string]string{eanName: strings.TrimSpace(v.EAN), weightName: "", originName: ""}
	if figure := units.WeightIn(v.Weight, "kg"); figure != "" {
		want[weightName] = figure + " " + kilograms
	}
	if origin := strings.ToUpper(v.Origin); slices.Contains(countries, origin) {
		want[originName] = origin
	}
	return want
}

// planDetails says which details of which variants to write, and brings the stamp to what the shop
// holds afterwards.
func (w *write) planDetails() {
	w.details = map[string]map[string]string{}
	notes := map[string]kit.Values{}
	for _, v := range w.wanted {
		if note := w.planDetail(v, w.namesOf(v), w.note.Details[detailKey(v.ID)]); len(note) > 0 {
			notes[detailKey(v.ID)] = note
		}
	}
	w.note.Details = notes
	w.lists = w.lists || len(w.details) > 0
}

// replaces reports whether a variant takes the place of another of the same choice. What the shop has
// of that one's details is ours.
func (w *write) replaces(v wanted) bool { return v.Held != nil && v.Held.mark() != "" && w.fresh(v) }

// namesOf are the details of a variant that may be written: all of one that is to be made.
func (w *write) namesOf(v wanted) (names []string) {
	made := v.Held != nil && !w.replaces(v)
	back := w.Reset.Has(shopadapter.FieldDetails)
	if !w.p.Unknown.Has(shopadapter.FieldVariants) &&
		(!made || back || w.Changed.Has(shopadapter.FieldVariants)) {
		names = append(names, eanName)
	}
	if !w.p.Unknown.Has(shopadapter.FieldDetails) && (!made || w.Changed.Has(shopadapter.FieldDetails)) {
		names = append(names, weightName, originName)
	}
	return names
}

// planDetail decides the details of one variant that are named. It returns what is noted of them. Note and
// variants are two steps: where the last write did not end well, what the shop holds is what was
// written before.
func (w *write) planDetail(v wanted, names []string, note kit.Values) kit.Values {
	held, last := map[string]string{}, kit.Values{}
	if v.Held != nil {
		held = v.Held.details()
	}
	maps.Copy(last, note)
	for name, value := range held {
		// of a product that was never complete nothing was noted: the barcode followed the supplier
		if ours := w.replaces(v) || w.broken || !w.complete && name == eanName; !ours {
			continue
		}
		if last[name] = kit.HashText(value).Exact; value == "" {
			delete(last, name)
		}
	}
	if len(names) == 0 {
		return last
	}
	one := w.Merge
	one.Changed |= shopadapter.FieldDetails
	one.Own = one.Own || v.Held == nil
	write, next := one.DecideValues(
		shopadapter.FieldDetails, only(names, held), only(names, wantedDetails(v.Variant, w.p.Units)), last,
	)
	if one.Keeps(shopadapter.FieldDetails) {
		w.Keep(shopadapter.FieldDetails)
	}
	if len(write) > 0 {
		w.details[v.ID] = write
	}
	return next
}

// only is the values of these names.
func only(names []string, values map[string]string) map[string]string {
	some := map[string]string{}
	for _, name := range names {
		some[name] = values[name]
	}
	return some
}

// addDetails adds the details of a variant that are to be written, to it and to its inventory item.
func (w *write) addDetails(in, item input, id string) {
	for name, value := range w.details[id] {
		switch name {
		case eanName:
			in["barcode"] = value
		case weightName:
			figure, unit, _ := strings.Cut(value, " ")
			if value == "" {
				figure, unit = "0", kilograms
			}
			item["measurement"] = input{"weight": input{"value": json.Number(figure), "unit": unit}}
		case originName:
			item["countryCodeOfOrigin"] = nil
			if value != "" {
				item["countryCodeOfOrigin"] = value
			}
		}
	}
}

// Shopify's limits on tags.
const (
	mostTags   = 200 // of the 250 that a product may have
	longestTag = 255 // characters
)

// wantedTags are the supplier's, each once. Shopify would part one with a comma in two.
func (w *write) wantedTags() (tags []string) {
	for _, v := range w.p.Variants {
		for _, tag := range v.Tags {
			tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " "))
			if tag != "" && len([]rune(tag)) <= longestTag && len(tags) < mostTags && !hasTag(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// hasTag compares as Shopify does, without regard to case.
func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(one string) bool { return strings.EqualFold(one, tag) })
}

// planTags says which tags to write: the supplier's in place of those that the adapter added
// before. All others stay, and so does the absence of one that the merchant took away.
func (w *write) planTags() {
	want := w.wantedTags()
	if w.have == nil {
		w.note.Tags, w.words["tags"] = want, append([]string{namespace}, want...)
		return
	}
	if !w.Changed.Has(shopadapter.FieldDetails) || w.p.Unknown.Has(shopadapter.FieldDetails) {
		return
	}
	var ours []string
	held := slices.DeleteFunc(slices.Clone(w.have.Tags), func(tag string) bool {
		return hasTag(w.note.Tags, tag) && !hasTag(want, tag)
	})
	for _, tag := range want {
		had := hasTag(w.note.Tags, tag)
		switch there := hasTag(w.have.Tags, tag); {
		case there && had, !there && had && !w.Own && w.Keep(shopadapter.FieldDetails):
			ours = append(ours, tag)
		case !there:
			held, ours = append(held, tag), append(ours, tag)
		}
	}
	if w.note.Tags = ours; !slices.Equal(held, w.have.Tags) {
		w.words["tags"] = held
	}
}
