package woocommerce

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

const changedDetails = laws.DetailGroups | shopadapter.FieldVariants

// detailed is a product with all details, after the supplier's n-th change of them.
func detailed(id string, variants, n int) shopadapter.Product {
	return laws.WithDetails(sample(id, variants), n)
}

// logged is a shop whose adapter writes its log to a text.
func logged(t *testing.T) (*fakeShop, *bytes.Buffer) {
	f, log := newFakeShop(t), &bytes.Buffer{}
	f.logger = slog.New(slog.NewTextHandler(log, nil))
	return f, log
}

// sizesOf are those of the i-th variant: one that was made again stands at the end.
func (f *fakeShop) sizesOf(t *testing.T, p shopadapter.Product, i int) map[string]string {
	for _, v := range f.seen(t, p.ID).Variants {
		if v.ID == p.Variants[i].ID {
			return v.Details
		}
	}
	return nil
}

// A second product with an EAN is sold without it. The merchant is told once, and where the EAN is
// free a retry writes it.
func TestAnEANThatAnotherProductHas(t *testing.T) {
	for _, variants := range []int{1, 3} {
		for _, pictures := range []bool{false, true} {
			checkSharedEAN(t, variants, pictures)
		}
	}
}

func checkSharedEAN(t *testing.T, variants int, pictures bool) {
	f, log := logged(t)
	a := f.connect(t, quickly(), nil)
	p := detailed("lamp", variants, 0)
	if pictures {
		p.Images = laws.Sample(p.ID, 1).Images
		f.Rewrite = func(name string) string { return name + "!" } // the stamp is mended in one more request
	}
	taken := p.Variants[0].EAN
	other := &fakeshop.Post{ID: 7, Kind: "simple", Status: "publish", Meta: map[string]any{}, EAN: taken}
	f.Posts[other.ID] = other
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	if len(l.Refused) > 0 {
		t.Errorf("%d variants: refused: got %v, want none", variants, l.Refused)
	}
	seen := f.seen(t, p.ID)
	if got := f.sizesOf(t, p, 0); got["ean"] != "" || got["weight"] != "1.05" || !seen.OnSale {
		t.Errorf("%d variants: got %v, on sale %t, want no EAN, the weight 1.05, and on sale", variants, got, seen.OnSale)
	}
	if pictures {
		p.Title, p.Images = "Another lamp", []string{laws.Image(5), p.Images[0]}
	}
	ref, l = must(t, a, ref, p, shopadapter.AllFields)
	if l.Kept != 0 {
		t.Errorf("%d variants: kept: got %s, want none", variants, l.Kept)
	}
	if told := strings.Count(log.String(), taken); told != 1 {
		t.Errorf("%d variants: told %d times, want 1:\n%s", variants, told, log)
	}
	other.EAN = ""
	must(t, a, ref, p, shopadapter.AllFields)
	if got := f.sizesOf(t, p, 0)["ean"]; got != taken {
		t.Errorf("%d variants: EAN when it is free: got %q, want %q", variants, got, taken)
	}
}

// Two variants may exchange their EANs.
func TestExchangedEANs(t *testing.T) {
	f, a := opened(t)
	p := detailed("lamp", 2, 0)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	p.Variants[0].EAN, p.Variants[1].EAN = p.Variants[1].EAN, p.Variants[0].EAN
	ref, _ = must(t, a, ref, p, shopadapter.FieldVariants)
	must(t, a, ref, p, shopadapter.FieldVariants)
	for i, v := range f.seen(t, p.ID).Variants {
		if got := v.Details["ean"]; got != p.Variants[i].EAN {
			t.Errorf("EAN of variant %d: got %q, want %q", i+1, got, p.Variants[i].EAN)
		}
	}
}

// Sizes are written in the shop's units. Where it does not tell them they are left out.
func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		name, weight, length, seenWeight, seenLength string
		told                                         bool
	}{
		{"a stock install", "lbs", "in", "2.3149", "8.0709", false},
		{"metric", "kg", "cm", "1.05", "20.5", false},
		{"a unit that is not known", "stone", "in", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, log := logged(t)
			f.WeightUnit, f.DimensionUnit = tt.weight, tt.length
			p := detailed("lamp", 1, 0)
			_, l := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			if got := f.Find(l.ID).Weight; got != tt.seenWeight {
				t.Errorf("weight: got %q, want %q", got, tt.seenWeight)
			}
			if got := f.Find(l.ID).Dimensions["length"]; got != tt.seenLength {
				t.Errorf("length: got %q, want %q", got, tt.seenLength)
			}
			if told := strings.Contains(log.String(), "units"); told != tt.told {
				t.Errorf("told: got %t, want %t:\n%s", told, tt.told, log)
			}
		})
	}
	f, log := logged(t)
	f.Currency = "" // the key's user may not see the settings
	p := detailed("lamp", 2, 0)
	must(t, f.connect(t, quickly(), nil, "PRICES", "gross"), refOf(p), p, shopadapter.AllFields)
	if got := f.seen(t, p.ID).Variants[0].Details["weight"]; got != "" {
		t.Errorf("weight in an unknown unit: got %q, want none", got)
	}
	if !strings.Contains(log.String(), "units") {
		t.Error("nobody is told that the units are not known")
	}
}

// A product that gets variants, or loses all but one, keeps each EAN with its variant.
func TestEANsOfAProductThatIsTurned(t *testing.T) {
	f, a := opened(t)
	ref := refOf(sample("lamp", 1))
	for _, variants := range []int{1, 2, 1} {
		p := detailed("lamp", 2, 0)
		if p.Variants = p.Variants[:variants]; variants == 1 {
			p.Options, p.Variants[0].Options = nil, nil
		}
		ref, _ = must(t, a, ref, p, shopadapter.AllFields)
		var got, want []string
		for i, v := range f.seen(t, p.ID).Variants {
			got, want = append(got, v.Details["ean"]), append(want, p.Variants[i].EAN)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("EANs of %d variants (-want +got):\n%s", variants, diff)
		}
	}
}

// What the merchant typed into a listing that was made before stays, and is no reason to leave the
// empty fields empty.
func TestSizesOfAListingMadeBefore(t *testing.T) {
	for _, variants := range []int{1, 2} {
		f, a := opened(t)
		bare := sample("lamp", variants)
		for i := range bare.Variants {
			bare.Variants[i].EAN = ""
		}
		ref, _ := must(t, a, refOf(bare), bare, shopadapter.AllFields)
		v := f.seen(t, bare.ID).Variants[0]
		if err := f.EditDetail(t.Context(), "", v, "weight"); err != nil {
			t.Fatal(err)
		}
		mine := f.seen(t, bare.ID).Variants[0].Details["weight"]
		p := detailed("lamp", variants, 0)
		_, l := must(t, a, ref, p, changedDetails)
		if l.Kept != shopadapter.FieldDetails {
			t.Errorf("%d variants: kept: got %s, want details", variants, l.Kept)
		}
		want := map[string]string{"weight": mine, "length": "20.5", "width": "10", "height": "40", "ean": p.Variants[0].EAN}
		if diff := cmp.Diff(want, f.seen(t, p.ID).Variants[0].Details); diff != "" {
			t.Errorf("%d variants (-want +got):\n%s", variants, diff)
		}
	}
}
