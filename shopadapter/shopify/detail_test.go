package shopify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

// detailed is a lamp with brand and details.
func detailed(id shopadapter.PublicationID, variants, n int) shopadapter.Product {
	return laws.WithDetails(lamp(id, variants), n)
}

const detailGroups = laws.DetailGroups | shopadapter.FieldVariants

// TestTags come and go with the supplier's. The merchant's own stay, and so does the absence of one
// that they took away.
func TestTags(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := detailed("p", 2, 0)
	p.Variants[1].Tags = []string{"eco", " A, B ", strings.Repeat("x", 256)}
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	expect := func(name string, kept shopadapter.Fields, l shopadapter.Listing, want ...string) {
		t.Helper()
		if got := fake.products[0].tags; !slices.Equal(got, want) {
			t.Errorf("%s: got the tags %q, want %q", name, got, want)
		}
		if l.Kept != kept {
			t.Errorf("%s: kept: got %s, want %s", name, l.Kept, kept)
		}
	}
	expect("made", shopadapter.NoFields, shopadapter.Listing{}, "A  B", "ECO", "SEASON_0", "pubsync")
	fake.products[0].tags = append(fake.products[0].tags, "sale", "SEASON_2")
	ref, l := publish(t, a, ref, detailed("p", 2, 1), shopadapter.FieldDetails)
	expect("followed", shopadapter.NoFields, l, "ECO", "SEASON_1", "SEASON_2", "pubsync", "sale")
	fake.products[0].tags = []string{"SEASON_1", "SEASON_2", "pubsync", "sale"}
	ref, l = publish(t, a, ref, detailed("p", 2, 2), shopadapter.FieldDetails)
	expect("one was taken away", shopadapter.FieldDetails, l, "SEASON_2", "pubsync", "sale")
	ref, l = publish(t, a, ref, detailed("p", 2, 3), shopadapter.FieldDetails)
	expect("the merchant had it before", shopadapter.FieldDetails, l, "SEASON_2", "SEASON_3", "pubsync", "sale")
	ref.Reset = shopadapter.FieldDetails
	_, l = publish(t, a, ref, detailed("p", 2, 3), shopadapter.FieldDetails)
	expect("given back", shopadapter.NoFields, l, "ECO", "SEASON_2", "SEASON_3", "pubsync", "sale")
}

// TestDetailsOfAReplacedVariant: a variant that takes the place of another of the same choice has its own
// EAN, weight and origin, and none that it lacks. That is no merchant's edit, even where the answer was
// lost, nor where the details are known later. What the merchant enters then stays.
func TestDetailsOfAReplacedVariant(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := detailed("p", 2, 0)
	p.Variants[1].EAN = "4006381333931"
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	expect := func(name string, l shopadapter.Listing, kept shopadapter.Fields, want ...string) {
		t.Helper()
		for i, v := range fake.sole(t).variants {
			if got := fmt.Sprint(v.barcode, " ", v.weight, " ", v.origin); got != want[i] {
				t.Errorf("%s: variant %d: got %q, want %q", name, i, got, want[i])
			}
		}
		if l.Kept != kept {
			t.Errorf("%s: kept: got %s, want %s", name, l.Kept, kept)
		}
	}
	first, second := &p.Variants[0], &p.Variants[1]
	first.ID, first.EAN, first.Weight, first.Origin = "new", "5901234123457", "7", "JP"
	second.ID, second.EAN, second.Weight, second.Origin = "bare", "", "", ""
	lost := ref
	_, l := publish(t, a, lost, p, shopadapter.FieldVariants)
	expect("replaced", l, shopadapter.NoFields, "5901234123457 7 JP", " 0 ")
	first.EAN, first.Weight = "4006381333931", "8"
	ref, l = publish(t, a, lost, p, detailGroups)
	expect("after a lost answer", l, shopadapter.NoFields, "4006381333931 8 JP", " 0 ")

	first.ID, p.Unknown = "late", shopadapter.FieldDetails
	ref, l = publish(t, a, ref, p, shopadapter.FieldVariants)
	expect("not known yet", l, shopadapter.NoFields, "4006381333931 8 JP", " 0 ")
	first.Weight, first.Origin, p.Unknown = "9", "", shopadapter.NoFields
	ref, l = publish(t, a, ref, p, detailGroups)
	expect("known later", l, shopadapter.NoFields, "4006381333931 9 ", " 0 ")
	fake.products[0].variants[0].weight = 10
	first.Weight = "11"
	_, l = publish(t, a, ref, p, detailGroups)
	expect("edited", l, shopadapter.FieldDetails, "4006381333931 10 ", " 0 ")
}

// TestDetailsThatShopifyHasNoRoomFor are left out, and the product is whole without them.
func TestDetailsThatShopifyHasNoRoomFor(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := detailed("p", 4, 0)
	p.Units.Weight = "lb"
	p.Variants[0].Weight, p.Variants[0].Origin = "heavy", "Holland"
	p.Variants[1].Weight, p.Variants[1].Origin = "-3", "QQ"
	p.Variants[2].Weight, p.Variants[2].Origin = "0.00001", "nl"
	p.Variants[3].Weight, p.Variants[3].EAN = "2.50", p.Variants[2].EAN
	publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	twin := detailed("twin", 1, 0)
	twin.Variants[0].EAN = p.Variants[2].EAN
	publish(t, a, shopadapter.Ref{}, twin, shopadapter.AllFields)
	for i, want := range []string{"0 ", "0 ", "0 NL", "1.134 KILOGRAMSNL"} {
		v := fake.products[0].variants[i]
		if got := fmt.Sprint(v.weight, " ", v.unit, v.origin); got != want {
			t.Errorf("variant %d: got %q, want %q", i, got, want)
		}
	}
	if got := fake.products[1].variants[0].barcode; got != p.Variants[2].EAN {
		t.Errorf("the second product with an EAN: got %q, want it too", got)
	}
}

// TestManyDetails holds the stamp to the size that Shopify accepts of a metafield.
func TestManyDetails(t *testing.T) { inVirtualTime(manyDetails)(t) }

func manyDetails(t *testing.T) {
	const most, variants = 128 << 10, 900
	fake := newFakeShop(t)
	a := fake.open(t)
	ref, _ := publish(t, a, shopadapter.Ref{}, lamp("p", variants), shopadapter.AllFields)
	p := detailed("p", variants, 1)
	publish(t, a, ref, p, detailGroups)
	if got := fake.products[0].variants[7].weight; fmt.Sprint(got) != p.Variants[7].Weight {
		t.Errorf("weight: got %v, want %s", got, p.Variants[7].Weight)
	}
	if note := fake.sole(t).metafields["pubsync.stamp"]; len(note) > most {
		t.Errorf("the stamp: got %d bytes, want at most %d", len(note), most)
	}
}

// TestTheNamesOfTheSchema: a code that Shopify never says would be a case that never comes, and a
// country that it does not know has the whole request refused.
func TestTheNamesOfTheSchema(t *testing.T) {
	schema := loadSchema(t)
	for enum, names := range shopify.Names() {
		values := schema.Types[enum].EnumValues
		for _, name := range names {
			if values.ForName(name) == nil {
				t.Errorf("%s has no value %s", enum, name)
			}
		}
		if enum == "CountryCode" && len(names) != len(values) {
			t.Errorf("got %d countries, want all %d", len(names), len(values))
		}
	}
}
