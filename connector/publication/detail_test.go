package publication

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// soon is a day after that of the table, on which a variant can be had.
const soon = "2026-12-01"

// everyField is a schema that has all fields of details.
const everyField = ^marketplace.DetailFields(0)

// planter is a publication of two variants, of which the first can be had later.
func planter(change func(*marketplace.Listing)) *marketplace.Publication {
	n, m := 5, 7
	p := &marketplace.Publication{ID: "p1", UpdatedAt: "2026-11-20T11:30:00Z", Listing: &marketplace.Listing{
		ID: "l1", ProductID: "d1", Translations: map[string]marketplace.Translation{"en": {Title: "Planter"}},
		Details: true, Asked: everyField, Brand: " Kleibakker ",
		Pictured: "original", Images: []string{"https://i.example/1.png"},
		Size: marketplace.Details{Weight: "2.00", Height: "30"},
		BySKU: map[string]marketplace.Details{
			"P-1": {Weight: "1.85", MadeIn: "PT", AvailableAt: soon, Tags: []string{"ECO", ""}},
			"P-2": {AvailableAt: "soon"},
		},
		Variants: []marketplace.Variant{
			{ID: "v1", SKU: "P-1", Cost: "10.00", MSRP: "20.00", Quantity: &n},
			{ID: "v2", SKU: "P-2", Cost: "10.00", MSRP: "20.00", Quantity: &m},
		},
	}}
	if change != nil {
		change(p.Listing)
	}
	return p
}

// detailed is a decider that reads details.
func detailed(t *testing.T, change func(*Rules)) *Decider {
	return tableDecider(t, func(s *Settings) {
		s.Rules.Details, s.Rules.Units = true, shopadapter.Units{Weight: "kg", Length: "cm"}
		if change != nil {
			change(&s.Rules)
		}
	})
}

func TestDetailsOfAProduct(t *testing.T) {
	by := detailed(t, nil)
	p := by.mapper.desire(planter(nil), store.Record{}, tableNow).product
	if p.Brand != "Kleibakker" {
		t.Errorf("brand: got %q, want Kleibakker", p.Brand)
	}
	if want := (shopadapter.Units{Weight: "kg", Length: "cm"}); p.Units != want {
		t.Errorf("units: got %v, want %v", p.Units, want)
	}
	want := []shopadapter.Details{
		{Weight: "1.85", Height: "30", Origin: "PT", AvailableAt: soon, Tags: []string{"ECO"}},
		{Weight: "2.00", Height: "30"},
	}
	if diff := cmp.Diff(want, []shopadapter.Details{p.Variants[0].Details, p.Variants[1].Details}); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if !p.Variants[0].Later {
		t.Error("the first variant can be had later: got false, want true")
	}
	if p.Variants[1].Later {
		t.Error("the second variant can be had later: got true, want false")
	}
	off := detailed(t, func(r *Rules) { r.Details = false })
	if p := off.mapper.desire(planter(nil), store.Record{}, tableNow).product; p.Brand != "" ||
		len(p.Variants[0].Details.List()) > 0 {
		t.Errorf("without details: got %q and %v, want none", p.Brand, p.Variants[0].Details)
	}
}

// A zero is no size: the product's own counts, and where that is one too there is none.
func TestAZeroIsNoSize(t *testing.T) {
	by := detailed(t, nil)
	p := by.mapper.desire(planter(func(l *marketplace.Listing) {
		l.Size.Height, l.BySKU["P-1"] = "0", marketplace.Details{Weight: "0.00", Height: "0.0", CaseQuantity: "0"}
	}), store.Record{}, tableNow).product
	if diff := cmp.Diff(shopadapter.Details{Weight: "2.00"}, p.Variants[0].Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

// Brand and details that could not be read stay as they are in the shop, and are owed.
func TestUnreadDetails(t *testing.T) {
	by := detailed(t, nil)
	_, made := drive(by.Decide(
		store.Record{ID: "p1"}, store.Mark{ID: "p1"}, Seen{Publication: planter(nil), At: tableNow},
	), takes)
	skus := Facts{SKUs: map[string]string{"v1": "P-1", "v2": "P-2"}}
	for name, change := range map[string]func(*marketplace.Listing){
		"unread": func(l *marketplace.Listing) {
			l.Unread, l.Brand, l.BySKU = []string{marketplace.UnreadDetails}, "", nil
		},
		"not asked for": func(l *marketplace.Listing) { l.Details, l.Brand, l.BySKU = false, "", nil },
	} {
		read := planter(change)
		d := by.Decide(made.Record, store.Mark{ID: "p1"}, Seen{Publication: read, At: tableNow}).Compared(skus)
		if d.Step != Settle {
			t.Errorf("%s: got %v of %v, want nothing written", name, d.Step, d.Changed)
		}
	}
	d := by.Decide(made.Record, store.Mark{ID: "p1"}, Seen{
		Publication: planter(func(l *marketplace.Listing) { l.Brand = "Other" }), At: tableNow,
	}).Compared(skus)
	if d.Changed != shopadapter.FieldBrand {
		t.Errorf("another brand: got %v changed, want the brand", d.Changed)
	}
}

// A schema that loses a field does not clear what that field gave; the rest of the group waits with
// it. A field that gave nothing is no loss, and a person may give the group back to the supplier.
func TestDetailsThatTheSchemaLoses(t *testing.T) {
	const (
		brand  marketplace.DetailFields = 1
		weight marketplace.DetailFields = 1 << 1 << 16
		volume marketplace.DetailFields = 1 << 6 << 16
	)
	less := func(lost marketplace.DetailFields) func(*marketplace.Listing) {
		return func(l *marketplace.Listing) {
			l.Given = (brand | weight) &^ lost
			if l.Asked = everyField &^ lost; lost&brand != 0 {
				l.Brand = ""
			}
			if lost&weight != 0 {
				l.BySKU["P-1"] = marketplace.Details{MadeIn: "PT", AvailableAt: soon, Tags: []string{"ECO", ""}}
				l.Size.Weight = ""
			}
		}
	}
	by := detailed(t, nil)
	skus := Facts{SKUs: map[string]string{"v1": "P-1", "v2": "P-2"}}
	_, made := drive(by.Decide(
		store.Record{ID: "p1"}, store.Mark{ID: "p1"}, Seen{Publication: planter(less(0)), At: tableNow},
	), takes)
	both := func(l *marketplace.Listing) { less(weight)(l); l.Brand = "Other" }
	for _, tt := range []struct {
		name  string
		read  func(*marketplace.Listing)
		reset shopadapter.Fields
		want  shopadapter.Fields
		told  bool
	}{
		{"nothing", less(0), 0, 0, false},
		{"a field without a value", less(volume), 0, 0, false},
		{"the weight", less(weight), 0, 0, true},
		{"the brand", less(brand), 0, 0, true},
		{"all fields", less(everyField), 0, 0, true},
		{"the weight, and the brand is another", both, 0, shopadapter.FieldBrand, true},
		{"the weight, given back", less(weight), shopadapter.FieldDetails, shopadapter.FieldDetails, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := made.Record
			before.Reset = tt.reset
			mark := store.Mark{ID: "p1"}
			d := by.Decide(before, mark, Seen{Publication: planter(tt.read), At: tableNow}).Compared(skus)
			if d.Changed != tt.want {
				t.Fatalf("written: got %v, want %v", d.Changed, tt.want)
			}
			_, after := drive(d, takes)
			if told := after.Record.Unread != ""; told != tt.told {
				t.Errorf("unread: got %q, want told %t", after.Record.Unread, tt.told)
			}
			again := by.Decide(after.Record, mark, Seen{Publication: planter(less(0)), At: tableNow}).Compared(skus)
			if want := tt.want; again.Changed != want {
				t.Errorf("written once the field is back: got %v, want %v", again.Changed, want)
			}
		})
	}
}

// The day of availability stays where the schema loses it: the shop keeps showing it.
func TestADayThatTheSchemaLoses(t *testing.T) {
	by := detailed(t, nil)
	r := store.Record{Variants: []store.Variant{{ID: "v1", Supplied: store.Supply{AvailableAt: soon}}}}
	d := by.mapper.desire(planter(func(l *marketplace.Listing) {
		l.Asked &^= marketplace.AvailableFields
		l.BySKU["P-1"] = marketplace.Details{}
	}), r, tableNow)
	if v := d.product.Variants[0]; v.AvailableAt != soon || !v.Later {
		t.Errorf("got it from %q on, later %t, want %s and true", v.AvailableAt, v.Later, soon)
	}
}

// Pictures that are asked for in another way stay as they were written, until one changes.
func TestPicturesStayAsTheyWereWritten(t *testing.T) {
	by := detailed(t, nil)
	_, made := drive(by.Decide(
		store.Record{ID: "p1"}, store.Mark{ID: "p1"}, Seen{Publication: planter(nil), At: tableNow},
	), takes)
	if made.Record.Pictured != "original" {
		t.Fatalf("way in the record: got %q, want original", made.Record.Pictured)
	}
	another := func(before ...string) Seen {
		return Seen{At: tableNow, Publication: planter(func(l *marketplace.Listing) {
			l.Pictured, l.Images, l.ImagesBefore = "FIT 800", []string{"https://i.example/1.png?fit=800"}, before
		})}
	}
	skus := Facts{SKUs: map[string]string{"v1": "P-1", "v2": "P-2"}}
	same := by.Decide(made.Record, store.Mark{ID: "p1"}, another("https://i.example/1.png")).Compared(skus)
	if same.Changed != shopadapter.NoFields {
		t.Errorf("the same pictures in another way: got %v changed, want none", same.Changed)
	}
	changed := by.Decide(made.Record, store.Mark{ID: "p1"}, another("https://i.example/2.png")).Compared(skus)
	if changed.Changed != shopadapter.FieldImages {
		t.Errorf("other pictures: got %v changed, want the images", changed.Changed)
	}
	if diff := cmp.Diff([]string{"https://i.example/1.png?fit=800"}, changed.Product.Images); diff != "" {
		t.Errorf("other pictures (-want +got):\n%s", diff)
	}
	_, written := drive(changed, takes)
	if written.Record.Pictured != "FIT 800" {
		t.Errorf("way in the record: got %q, want FIT 800", written.Record.Pictured)
	}
}
