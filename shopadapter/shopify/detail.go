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

// The variant details that Shopify has fields for.
const (
	eanName    = "ean"
	weightName = "weight"
	originName = "origin"
)

type weight struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// String returns "" for zero, Shopify's form of no weight, and rounds to four decimal places.
func (w *weight) String() string {
	const places = 1e4
	if w == nil || math.Round(w.Value*places) == 0 {
		return ""
	}
	return strconv.FormatFloat(math.Round(w.Value*places)/places, 'f', -1, 64) + " " + w.Unit
}

const kilograms = "KILOGRAMS"

func (v *variant) details() map[string]string {
	return map[string]string{
		eanName: v.Barcode, weightName: v.Item.Size.Weight.String(), originName: v.Item.Origin,
	}
}

// wantedDetails returns the details as Shopify would show them, "" for a weight or country that it refuses.
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

// replaces reports whether a variant takes the place of another of ours with the same choice; its details are then
// ours too.
func (w *write) replaces(v wanted) bool { return v.Held != nil && v.Held.mark() != "" && w.fresh(v) }

// namesOf returns the details that may be written: all of them for a new variant.
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

// planDetail decides one variant's details and returns their note. Note and variants are two steps: after a failed
// write the shop holds the values of an earlier one.
func (w *write) planDetail(v wanted, names []string, note kit.Values) kit.Values {
	held, last := map[string]string{}, kit.Values{}
	if v.Held != nil {
		held = v.Held.details()
	}
	maps.Copy(last, note)
	for name, value := range held {
		// the note of an incomplete product lacks the barcode, which follows the supplier
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

func only(names []string, values map[string]string) map[string]string {
	some := map[string]string{}
	for _, name := range names {
		some[name] = values[name]
	}
	return some
}

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

const mostTags = 200 // Shopify allows 250

// wantedTags returns each tag once. Shopify would split one at a comma.
func (w *write) wantedTags() (tags []string) {
	for _, v := range w.p.Variants {
		for _, tag := range v.Tags {
			tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " "))
			if tag != "" && len([]rune(tag)) <= longestText && len(tags) < mostTags && !hasTag(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// hasTag ignores case, as Shopify does.
func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(one string) bool { return strings.EqualFold(one, tag) })
}

// planTags replaces the adapter's own tags. The merchant's stay, and a tag that the merchant removed stays away.
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

// countries lists Shopify's CountryCode values; any other makes Shopify refuse the whole request.
var countries = strings.Fields("" +
	"AC AD AE AF AG AI AL AM AN AO AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT " +
	"BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH " +
	"ER ES ET FI FJ FK FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GW GY HK HM HN HR HT HU ID " +
	"IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU " +
	"LV LY MA MC MD ME MF MG MK ML MM MN MO MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR " +
	"NU NZ OM PA PE PF PG PH PK PL PM PN PS PT PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM " +
	"SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA " +
	"VC VE VG VN VU WF WS XK YE YT ZA ZM ZW ZZ")
