package woocommerce

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// wantChoices tells what a visitor may choose: the values, joined, and the SKU that they lead to
// with its price.
func (f *fakeShop) wantChoices(t *testing.T, id shopadapter.ListingID, want map[string]shopadapter.Variant) {
	t.Helper()
	choices, err := f.Visits(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]laws.Choice{}
	for _, c := range choices {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(c.Options)) {
			words = append(words, name+"="+c.Options[name])
		}
		if c.SKU != "" {
			got[strings.Join(words, " ")] = c
		}
	}
	for words, v := range want {
		c, ok := got[words]
		if !ok || c.SKU != v.SKU || c.Price != v.Price || c.Quantity != v.Quantity {
			t.Errorf("%s leads to %+v, want the SKU %s for %s, of which there are %d", words, c, v.SKU, v.Price, v.Quantity)
		}
		delete(got, words)
	}
	for words, c := range got {
		t.Errorf("%s leads to %s, want no such choice", words, c.SKU)
	}
}

// WooCommerce keeps options in several forms. A variation whose value differs from the product's
// cannot be chosen.
func TestOptions(t *testing.T) {
	color := func(value string) func(p *shopadapter.Product) {
		return func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = value }
	}
	shows := func(value string) map[string]string { return map[string]string{"Color": value, "Size": "40 cm"} }
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
		want   map[string]string // of the first variant
	}{
		{"a bar", color("Red | Green"), shows("Red / Green")},
		{"an octet", color("50%Baumwolle"), shows("50% Baumwolle")},
		{"a tag", color("<b>Red"), shows("‹b›Red")},
		{"a backslash", color(`A\B`), shows("A/B")},
		{"an ampersand", color("Black & White"), shows("Black & White")},
		{
			"no value", func(p *shopadapter.Product) { p.Variants[0].Options = p.Variants[0].Options[:1] },
			map[string]string{"Color": "Red", "Size": "-"},
		},
		{
			"no options at all", func(p *shopadapter.Product) {
				p.Options = nil
				for i := range p.Variants {
					p.Variants[i].Options, p.Variants[i].Title = nil, fmt.Sprint("Number ", i)
				}
			}, map[string]string{"Variant": "Number 0"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("options", 3)
			tt.change(&p)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			for _, v := range f.seen(t, p.ID).Variants {
				if v.ID == p.Variants[0].ID {
					if diff := cmp.Diff(tt.want, v.Options); diff != "" {
						t.Errorf("a customer can choose (-want +got):\n%s", diff)
					}
				}
			}
			f.Requests()
			ref.OnSale = true
			must(t, a, ref, p, shopadapter.FieldVariants)
			own := "GET /products/" + string(ref.Listing)
			f.wantRequests(t, "the same again", own, own+"/variations")
		})
	}
}

// A visitor who chooses Blue buys Blue, whatever the merchant calls the attribute and its values, and
// the supplier's own changes go on reaching the product.
func TestChoicesOfTheMerchant(t *testing.T) {
	green := strings.NewReplacer("Green", "Grün").Replace
	same := func(value string) string { return value }
	for _, tt := range []struct {
		name   string
		rename func(f *fakeShop, id shopadapter.ListingID) error
		color  string // what the attribute is called
		value  func(string) string
	}{
		{"an attribute, its variations forgotten", func(f *fakeShop, id shopadapter.ListingID) error {
			err := f.RenameOption(id, "Color", "Farbe")
			for _, child := range f.Children(f.Find(id).ID) {
				delete(f.Posts[child].Options, "farbe")
			}
			return err
		}, "Farbe", same},
		{"made global, and a term renamed", func(f *fakeShop, id shopadapter.ListingID) error {
			return errors.Join(f.MakeGlobal(id, "Color", 1), f.RenameValue(id, "Material", "Green", "Grün"))
		}, "Material", green},
	} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, state lost: %t", tt.name, lost), func(t *testing.T) {
				f, a := opened(t)
				p := sample("merchant", 3) // Red, Green, Blue
				ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
				if err := tt.rename(f, l.ID); err != nil {
					t.Fatal(err)
				}
				if lost {
					ref.State = nil
				}
				ref.OnSale = true
				p.Variants = append(
					slices.Clone(p.Variants), variantOf(p, "known", "Green", "50 cm"), variantOf(p, "new", "Pinké", "50 cm"),
				)
				p.Variants[0].SKU += "-B"
				p.Variants[2].Price = "31.40"
				ref, _ = must(t, a, ref, p, shopadapter.FieldVariants|shopadapter.FieldPrice)
				want := map[string]shopadapter.Variant{}
				for _, v := range p.Variants {
					want[tt.color+"="+tt.value(v.Options[0].Value)+" Size="+v.Options[1].Value] = v
				}
				f.wantChoices(t, l.ID, want)
				f.Requests()
				ref.OnSale = true
				must(t, a, ref, p, shopadapter.FieldVariants)
				f.wantRequests(t, "the same again", "GET /products/"+string(l.ID), "GET /products/"+string(l.ID)+"/variations")
			})
		}
	}
}

// Choices that cannot be followed are blocked and stay as they are; prices and stock are right all the
// same.
func TestChoicesThatCannotBeFollowed(t *testing.T) {
	f, a := opened(t)
	p := sample("unclear", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	own := f.Find(l.ID)
	own.Attributes[0].Options = []string{"Warm", "Blue"}
	for _, child := range f.Children(own.ID)[:2] {
		f.Posts[child].Options["color"] = "Warm"
	}
	shape := func() string {
		text := fmt.Sprintf("%s %+v", own.Status, own.Attributes)
		for _, child := range f.Children(own.ID) {
			text += fmt.Sprintf("\n%s %v", f.Posts[child].SKU, f.Posts[child].Options)
		}
		return text
	}
	before := shape()
	p.Variants[1].Price, p.Variants[1].Quantity, ref.OnSale = "77.70", 2, true
	p.Variants = append(p.Variants, variantOf(p, "fourth", "Pink", "50 cm"))
	_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldVariants|figureGroups)
	e := shopadapter.Explain(err)
	if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide || !strings.Contains(e.Error(), "Color: Red") ||
		!strings.Contains(e.Error(), "one value «Warm» for the supplier's «Red» and «Green»") {
		t.Errorf("the error is %v, want one that is blocked and names the values", err)
	}
	s := f.seen(t, p.ID)
	if v := s.Variants[1]; shape() != before || v.Price != "77.70" || v.Quantity != 2 {
		t.Errorf("it is\n%s\nfor %s, of which there are %d, want\n%s\nfor 77.70, of which there are 2",
			shape(), v.Price, v.Quantity, before)
	}
}

func TestSKUsMove(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
	}{
		{"two are swapped", func(p *shopadapter.Product) {
			p.Variants[0].SKU, p.Variants[1].SKU = p.Variants[1].SKU, p.Variants[0].SKU
		}},
		{"all go round", func(p *shopadapter.Product) {
			first := p.Variants[0].SKU
			p.Variants[0].SKU, p.Variants[1].SKU, p.Variants[2].SKU = p.Variants[1].SKU, p.Variants[2].SKU, first
		}},
		{"one variant is made anew", func(p *shopadapter.Product) { p.Variants[1].ID = "new-" + p.Variants[1].ID }},
		{"a new one takes the SKU of one that stays", func(p *shopadapter.Product) {
			p.Variants = append(slices.Clone(p.Variants), p.Variants[0])
			p.Variants[3].ID, p.Variants[3].Options = "fourth", []shopadapter.Option{
				{Name: "Color", Value: "Pink"},
				{Name: "Size", Value: "1 m"},
			}
			p.Variants[0].SKU = "SOMETHING-ELSE"
		}},
	} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, state lost: %t", tt.name, lost), func(t *testing.T) {
				f, a := opened(t)
				p := sample("moves", 3)
				ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
				if lost {
					ref.State = nil
				}
				q := sample("moves", 3)
				tt.change(&q)
				_, l := must(t, a, ref, q, shopadapter.FieldVariants)
				if broken := f.inconsistent(q); broken != "" || len(l.Refused) > 0 {
					t.Errorf("refused %v, want none: %s", l.Refused, broken)
				}
			})
		}
	}
}

// A merchant has attributes of their own on a product, global ones and ones of the product alone.
// When the supplier adds a variant, its option is offered, and the merchant's stay as they were.
func TestVariantAddedBesideMerchantsAttributes(t *testing.T) {
	for _, change := range []struct {
		name  string
		apply func(p *shopadapter.Product)
	}{
		{"a variant more", func(p *shopadapter.Product) {
			v := p.Variants[0]
			v.ID, v.SKU = "fourth", "LAMP-FOURTH"
			v.Options = []shopadapter.Option{{Name: "Color", Value: "Pink"}, {Name: "Size", Value: "1 m"}}
			p.Variants = append(slices.Clone(p.Variants), v)
		}},
		{"an option renamed", func(p *shopadapter.Product) {
			p.Options[0] = "Kleur"
			for i := range p.Variants {
				p.Variants[i].Options = slices.Clone(p.Variants[i].Options)
				p.Variants[i].Options[0].Name = "Kleur"
			}
		}},
		{"one variant left", func(p *shopadapter.Product) {
			p.Options, p.Variants = nil, p.Variants[:1]
			p.Variants[0].Options = nil
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("attributes", 3)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			merchants := []fakeshop.Attribute{
				{ID: 1, Position: 2, Key: "pa_material", Name: "Material", Visible: true, Options: []string{"Cotton", "Wool"}},
				{Position: 3, Key: "washing", Name: "Washing", Options: []string{"30 degrees"}},
				{ID: 2, Position: 4, Key: "pa_brand", Name: "Brand", Visible: true, Options: []string{"Acme"}},
				{Position: 5, Key: "made-in", Name: "Made in", Visible: true, Options: []string{"Leiden"}},
			}
			own := f.Find(l.ID)
			own.Attributes = append(own.Attributes, merchants...)
			q := sample("attributes", 3)
			change.apply(&q)
			must(t, a, ref, q, shopadapter.FieldVariants)
			f.wantConsistent(t, q)
			kept := slices.DeleteFunc(
				slices.Clone(own.Attributes),
				func(a fakeshop.Attribute) bool { return a.Variation },
			)
			for i := range merchants {
				merchants[i].Position = len(own.Attributes) - len(merchants) + i // behind ours, as before
			}
			if diff := cmp.Diff(merchants, kept, cmp.AllowUnexported(fakeshop.Attribute{})); diff != "" {
				t.Errorf("the merchant's attributes changed (-before +after):\n%s", diff)
			}
		})
	}
}

// Two variants may exchange their EANs.
func TestExchangedEANs(t *testing.T) {
	f, a := opened(t)
	p := laws.WithDetails(sample("lamp", 2), 0)
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

// logged is a shop whose adapter writes its log to a text.
func logged(t *testing.T) (*fakeShop, *bytes.Buffer) {
	f, log := newFakeShop(t), &bytes.Buffer{}
	f.logger = slog.New(slog.NewTextHandler(log, nil))
	return f, log
}

// A second product with an EAN is sold without it. The merchant is told once, and where the EAN is
// free a retry writes it.
func TestAnEANThatAnotherProductHas(t *testing.T) {
	for _, variants := range []int{1, 3} {
		f, log := logged(t)
		a := f.connect(t, quickly(), nil)
		p := laws.WithDetails(sample("lamp", variants), 0)
		taken := p.Variants[0].EAN
		other := f.add(&fakeshop.Post{Kind: "simple", EAN: taken})
		ean := func() string {
			for _, v := range f.seen(t, p.ID).Variants {
				if v.ID == p.Variants[0].ID {
					return v.Details["ean"]
				}
			}
			return "none"
		}
		ref := refOf(p)
		for range 2 {
			var l shopadapter.Listing
			if ref, l = must(t, a, ref, p, shopadapter.AllFields); len(l.Refused) > 0 || l.Kept != 0 || ean() != "" {
				t.Errorf("refused %v, kept %s, EAN %q, want none", l.Refused, l.Kept, ean())
			}
		}
		if told := strings.Count(log.String(), taken); told != 1 {
			t.Errorf("%d variants: told %d times, want 1:\n%s", variants, told, log)
		}
		other.EAN = ""
		if must(t, a, ref, p, shopadapter.AllFields); ean() != taken {
			t.Errorf("%d variants: EAN when it is free: got %q, want %q", variants, ean(), taken)
		}
	}
}

// WooCommerce keeps digits and hyphens of an EAN: one of which it would drop more than spaces is left out.
func TestOddEANs(t *testing.T) {
	for ean, want := range map[string]string{"40 06381 33393-1": "400638133393-1", "ABC123": ""} {
		f, a := opened(t)
		p := sample("odd", 1)
		p.Variants[0].EAN = ean
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		f.Requests()
		_, again := must(t, a, ref, p, shopadapter.AllFields)
		if got := f.Find(l.ID).EAN; got != want || again.Kept != 0 || f.puts() != 0 {
			t.Errorf("%q: got %q, kept %s, want %q once", ean, got, again.Kept, want)
		}
	}
}

// A product that gets variants, or loses all but one, keeps each EAN with its variant.
func TestEANsOfAProductThatIsTurned(t *testing.T) {
	f, a := opened(t)
	ref := refOf(sample("lamp", 1))
	for _, variants := range []int{1, 2, 1} {
		p := laws.WithDetails(sample("lamp", 2), 0)
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

// read is what a visitor reads of a product's attributes that are no choice.
func (f *fakeShop) read(id shopadapter.ListingID) map[string]string {
	all := map[string]string{}
	for _, a := range f.Find(id).Attributes {
		if a.Visible && !a.Variation {
			all[a.Name] = strings.Join(a.Options, ", ")
		}
	}
	return all
}

// Materials and origin are attributes in the product's language, where all variants share them.
func TestFeatures(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
		want   map[string]string
	}{
		{
			"in Dutch", func(p *shopadapter.Product) { p.Language = "nl" },
			map[string]string{"Materiaal": "STEEL, LINEN_0", "Land van herkomst": "NL"},
		},
		{
			"a bar, and variants of other origins",
			func(p *shopadapter.Product) {
				for i := range p.Variants {
					p.Variants[i].Materials = []string{"OAK|ELM", "OAK/ELM", " "}
				}
				p.Variants[1].Origin = "PT"
			},
			map[string]string{"Material": "OAK/ELM"},
		},
		{
			"a choice of the name",
			func(p *shopadapter.Product) {
				p.Options = []string{"Material", "Size"}
				for i := range p.Variants {
					p.Variants[i].Options[0].Name = "Material"
				}
			},
			map[string]string{"Country of origin": "NL"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := laws.WithDetails(sample("lamp", 2), 0)
			p.Language = "en"
			tt.change(&p)
			_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if diff := cmp.Diff(tt.want, f.read(l.ID)); diff != "" {
				t.Errorf("a visitor reads (-want +got):\n%s", diff)
			}
		})
	}
}

// What the adapter itself put off sale comes back, also where the State is lost: a variation that
// the shop refused to change, and one whose making was cut off before it was put on sale.
func TestAVariationThatTheAdapterPutOffSale(t *testing.T) {
	for _, lost := range []bool{false, true} {
		f, a := opened(t)
		p := sample("refused", 3)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		good := p.Variants[1].Price
		p.Variants[1].Price, f.RefusePrice = "66.66", "66.66"
		ref, l := must(t, a, ref, p, figureGroups)
		off := f.Posts[f.Children(f.Find(ref.Listing).ID)[1]]
		if l.Refused[p.Variants[1].ID] == "" {
			t.Fatal("the variant is not refused")
		}
		if off.Status != "private" {
			t.Fatalf("the refused variation is %s, want private", off.Status)
		}
		if p.Variants[1].Price = good; lost {
			ref.State = nil
		}
		must(t, a, ref, p, shopadapter.FieldVariants|figureGroups)
		if off.Status != "publish" {
			t.Errorf("the State lost: %t: the variation is %s, want publish", lost, off.Status)
		}
	}
}
