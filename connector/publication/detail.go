package publication

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// day is how the marketplace writes a date.
const day = "2006-01-02"

// detailGroups are what the product itself says, beside its listing.
const detailGroups = shopadapter.FieldBrand | shopadapter.FieldDetails

// details are a variant's: its own, and the product's size and weight where it has none.
func (m *mapper) details(l *marketplace.Listing, v marketplace.Variant) shopadapter.Details {
	var own marketplace.Details
	if v.SKU != "" {
		own = l.BySKU[v.SKU]
	}
	of := func(own, product string) string { return m.clean.Line(cmp.Or(stated(own), stated(product)), maxLine) }
	lines := func(list []string) (out []string) {
		for _, word := range list {
			if word = m.clean.Line(word, maxLine); word != "" {
				out = append(out, word)
			}
		}
		return out
	}
	return shopadapter.Details{
		Weight: of(own.Weight, l.Size.Weight), Length: of(own.Length, l.Size.Length),
		Width: of(own.Width, l.Size.Width), Height: of(own.Height, l.Size.Height),
		Diameter: of(own.Diameter, l.Size.Diameter), Volume: of(own.Volume, l.Size.Volume),
		Origin: of(own.MadeIn, ""), LeadTime: of(own.LeadTime, ""), AvailableAt: date(own.AvailableAt),
		Tags: lines(own.Tags), Materials: lines(own.Materials), CaseQuantity: of(own.CaseQuantity, ""),
	}
}

// stated is a figure, "" for a zero: nothing weighs that, so that it says nothing.
func stated(figure string) string {
	if strings.Trim(figure, "0. ") == "" {
		return ""
	}
	return figure
}

// date is a text that is a date, "" for any other.
func date(text string) string {
	if _, err := time.Parse(day, text); err != nil {
		return ""
	}
	return text
}

// lostDetails is brand and details, each where a field of the marketplace's schema gave some of
// what was written, and the schema does not have that field now: nothing says that the value is
// another. Groups that the merchant gives back to the supplier are not among them.
func lostDetails(r store.Record, l *marketplace.Listing) (groups shopadapter.Fields) {
	lost := marketplace.DetailFields(r.Given) &^ l.Asked
	if lost&marketplace.BrandFields != 0 {
		groups |= shopadapter.FieldBrand
	}
	if lost&^marketplace.BrandFields != 0 {
		groups |= shopadapter.FieldDetails
	}
	return groups &^ r.Reset
}

// given is the fields that gave brand and details of what is written now. Those of groups that stay
// as they were written keep theirs.
func (d *Decision) given() uint32 {
	if d.Product.Unknown.Has(detailGroups) || d.pub == nil || d.pub.Listing == nil {
		return d.rec.Given
	}
	given := d.pub.Listing.Given
	if d.Product.Unknown.Has(shopadapter.FieldBrand) {
		given |= marketplace.DetailFields(d.rec.Given) & marketplace.BrandFields
	}
	if d.Product.Unknown.Has(shopadapter.FieldDetails) {
		given |= marketplace.DetailFields(d.rec.Given) &^ marketplace.BrandFields
	}
	return uint32(given)
}

// knowsDetails reports whether a reading has brand and details whole.
func knowsDetails(l *marketplace.Listing) bool {
	return l.Details && !slices.Contains(l.Unread, marketplace.UnreadDetails)
}

// availableAt is from which day a variant can be had, as read now, or else as read last.
func (m *mapper) availableAt(l *marketplace.Listing, v marketplace.Variant, last map[string]store.Supply) string {
	if !m.rules.Details {
		return ""
	}
	if !knowsDetails(l) || l.Asked&marketplace.AvailableFields == 0 {
		return last[v.ID].AvailableAt
	}
	return date(l.BySKU[v.SKU].AvailableAt)
}

// isLater reports whether a day, "" for none, has not begun.
func isLater(at string, now time.Time) bool { return at > now.UTC().Format(day) }

// suppliesOf are the supplier's figures in a record, by variant.
func suppliesOf(r store.Record) map[string]store.Supply {
	last := make(map[string]store.Supply, len(r.Variants))
	for _, v := range r.Variants {
		last[v.ID] = v.Supplied
	}
	return last
}
