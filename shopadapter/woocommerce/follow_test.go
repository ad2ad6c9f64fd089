package woocommerce

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// variantOf is one more variant of a sample.
func variantOf(p shopadapter.Product, name, color, size string) shopadapter.Variant {
	v := p.Variants[0]
	v.ID, v.SKU, v.Price, v.Quantity = name, "LAMP-"+strings.ToUpper(name), "88.95", 7
	v.EAN = ""
	v.Options = []shopadapter.Option{{Name: "Color", Value: color}, {Name: "Size", Value: size}}
	return v
}

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

// A visitor who chooses Blue buys Blue, whatever the merchant calls the attribute and its values.
func TestChoicesOfTheMerchant(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rename func(f *fakeShop, id shopadapter.ListingID) error
		words  func(color, size string) string
	}{
		{
			"an attribute renamed", func(f *fakeShop, id shopadapter.ListingID) error {
				return f.RenameOption(id, "Color",
					"Farbe")
			},
			func(color, size string) string { return "Farbe=" + color + " Size=" + size },
		}, {
			"both attributes renamed", func(f *fakeShop, id shopadapter.ListingID) error {
				if err := f.RenameOption(id, "Color", "Farbe"); err != nil {
					return err
				}
				return f.RenameOption(id, "Size", "Größe & Maß")
			},
			func(color, size string) string { return "Farbe=" + color + " Größe & Maß=" + size },
		}, {
			"an attribute renamed, its variations forgotten", func(f *fakeShop, id shopadapter.ListingID) error {
				err := f.RenameOption(id, "Color", "Farbe")
				for _, child := range f.Children(f.Find(id).ID) {
					delete(f.Posts[child].Options, "farbe")
				}
				return err
			},
			func(color, size string) string { return "Farbe=" + color + " Size=" + size },
		}, {
			"a value renamed", func(f *fakeShop, id shopadapter.ListingID) error {
				return f.RenameValue(id, "Color", "Green",
					"Grün")
			},
			func(color, size string) string {
				return "Color=" + strings.ReplaceAll(color, "Green", "Grün") + " Size=" + size
			},
		}, {
			"a value renamed, and the attribute", func(f *fakeShop, id shopadapter.ListingID) error {
				if err := f.RenameValue(id, "Color", "Green", "Grün"); err != nil {
					return err
				}
				return f.RenameOption(id, "Color", "Farbe")
			},
			func(color, size string) string {
				return "Farbe=" + strings.ReplaceAll(color, "Green", "Grün") + " Size=" + size
			},
		}, {
			"made global", func(f *fakeShop, id shopadapter.ListingID) error { return f.MakeGlobal(id, "Color", 1) },
			func(color, size string) string { return "Material=" + color + " Size=" + size },
		}, {
			"made global, and a term renamed", func(f *fakeShop, id shopadapter.ListingID) error {
				err := f.MakeGlobal(id, "Color", 1)
				f.RenameTerm(1, "Green", "Grün")
				return err
			},
			func(color, size string) string {
				return "Material=" + strings.ReplaceAll(color, "Green", "Grün") + " Size=" + size
			},
		}, {
			"moved to another place", func(f *fakeShop, id shopadapter.ListingID) error {
				slices.Reverse(f.Find(id).Attributes)
				return nil
			},
			func(color, size string) string { return "Color=" + color + " Size=" + size },
		},
	} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, state lost: %t", tt.name, lost), func(t *testing.T) {
				f, a := opened(t)
				p := sample("merchant", 3) // Red, Green, Blue
				ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
				if err := tt.rename(f, l.ID); err != nil {
					t.Fatal(err)
				}
				before := slices.Clone(f.Find(l.ID).Attributes)
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
					want[tt.words(v.Options[0].Value, v.Options[1].Value)] = v
				}
				f.wantChoices(t, l.ID, want)
				for i, a := range f.Find(l.ID).Attributes {
					if a.Name != before[i].Name || a.ID != before[i].ID {
						t.Errorf("attribute %d is %+v, want %+v as before", i, a, before[i])
					}
				}
				if f.Find(l.ID).Status != "publish" {
					t.Error("the product is not on sale")
				}
				f.Requests()
				ref.OnSale = true
				must(t, a, ref, p, shopadapter.FieldVariants)
				f.wantRequests(t, "the same again", "GET /products/"+string(l.ID), "GET /products/"+string(l.ID)+"/variations")
			})
		}
	}
}

// The supplier's own changes go on reaching a product whose choices the merchant renamed.
func TestSupplierChangesWhatTheMerchantRenamed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
		want   []string // the choice of each variant
	}{
		{
			"a value", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = "Crimson" },
			[]string{"Farbe=Crimson Size=40 cm", "Farbe=Grün Size=40 cm", "Farbe=Blue Size=40 cm"},
		},
		{
			"the choice of a variant", func(p *shopadapter.Product) {
				p.Variants[0].Options[0].Value, p.Variants[1].Options[0].Value = "Green", "Red"
			},
			[]string{"Farbe=Grün Size=40 cm", "Farbe=Red Size=40 cm", "Farbe=Blue Size=40 cm"},
		},
		{
			"fewer variants", func(p *shopadapter.Product) { p.Variants = p.Variants[1:] },
			[]string{"Farbe=Grün Size=40 cm", "Farbe=Blue Size=40 cm"},
		},
		{"another attribute", func(p *shopadapter.Product) {
			p.Options = append(p.Options, "Cable")
			for i := range p.Variants {
				p.Variants[i].Options = append(p.Variants[i].Options, shopadapter.Option{Name: "Cable", Value: "2 m"})
			}
		}, []string{"Cable=2 m Farbe=Red Size=40 cm", "Cable=2 m Farbe=Grün Size=40 cm", "Cable=2 m Farbe=Blue " +
			"Size=40 cm"}},
		{"an attribute less", func(p *shopadapter.Product) {
			p.Options = p.Options[:1]
			for i := range p.Variants {
				p.Variants[i].Options = p.Variants[i].Options[:1]
			}
		}, []string{"Farbe=Red", "Farbe=Grün", "Farbe=Blue"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("both", 3)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if err := f.RenameValue(l.ID, "Color", "Green", "Grün"); err != nil {
				t.Fatal(err)
			}
			if err := f.RenameOption(l.ID, "Color", "Farbe"); err != nil {
				t.Fatal(err)
			}
			p.Variants[0].SKU += "-B"
			ref, _ = must(t, a, ref, p, shopadapter.FieldVariants) // what the merchant did is known from here on
			q := sample("both", 3)
			q.Variants[0].SKU += "-B"
			tt.change(&q)
			must(t, a, ref, q, shopadapter.FieldVariants)
			want := map[string]shopadapter.Variant{}
			for i, words := range tt.want {
				want[words] = q.Variants[i]
			}
			f.wantChoices(t, l.ID, want)
		})
	}
}

// Choices that cannot be followed are blocked and stay as they are; prices and stock are right all
// the same.
func TestChoicesThatCannotBeFollowed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rename func(f *fakeShop, id shopadapter.ListingID)
		want   string
	}{
		{"two values made one", func(f *fakeShop, id shopadapter.ListingID) {
			p := f.Find(id)
			p.Attributes[0].Options = []string{"Warm", "Blue"}
			for _, child := range f.Children(p.ID)[:2] {
				f.Posts[child].Options["color"] = "Warm"
			}
		}, "one value «Warm» for the supplier's «Red» and «Green»"},
		{"an attribute gone", func(f *fakeShop, id shopadapter.ListingID) {
			p := f.Find(id)
			p.Attributes = p.Attributes[:1]
		}, "no longer offers «Size»"},
		{"an attribute of the merchant's own to choose by", func(f *fakeShop, id shopadapter.ListingID) {
			p := f.Find(id)
			p.Attributes = append(p.Attributes, fakeshop.Attribute{
				Key: "gift", Name: "Gift", Variation: true,
				Options: []string{"Yes", "No"},
			})
		}, "«Gift»"},
		{"a value renamed in the product alone", func(f *fakeShop, id shopadapter.ListingID) {
			f.Find(id).Attributes[0].Options = []string{"Red", "Grün", "Blue"}
		}, "no longer has the value «Green»"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("unclear", 3)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			tt.rename(f, l.ID)
			shape := func() string {
				text := fmt.Sprintf("%s %+v", f.Find(l.ID).Status, f.Find(l.ID).Attributes)
				for _, child := range f.Children(f.Find(l.ID).ID) {
					text += fmt.Sprintf("\n%s %v", f.Posts[child].SKU, f.Posts[child].Options)
				}
				return text
			}
			before := shape()
			ref.OnSale = true
			q := sample("unclear", 3)
			q.Title = "Another title"
			q.Variants[0].Price = "66.60"
			ref, _ = must(t, a, ref, q, shopadapter.FieldTitle|shopadapter.FieldPrice) // no choice is to be written
			if after := shape(); after != before || f.seen(t, p.ID).Title != "Another title" {
				t.Errorf("after a change of title and price it is\n%s\nwant with another title\n%s", after, before)
			}
			ref.OnSale = true
			q = sample("unclear", 3)
			q.Variants[1].Price, q.Variants[1].Quantity = "77.70", 2
			q.Variants = append(q.Variants, variantOf(p, "fourth", "Pink", "50 cm"))
			_, err := a.Publish(t.Context(), ref, q, shopadapter.FieldVariants|figureGroups)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide || !strings.Contains(e.Error(), tt.want) ||
				!strings.Contains(e.Error(), "Color: Red") {
				t.Fatalf("the error is %v, want one that is blocked and says %q", err, tt.want)
			}
			if after := shape(); after != before {
				t.Errorf("it is\n%s\nwant\n%s", after, before)
			}
			for _, v := range f.seen(t, p.ID).Variants {
				if v.ID == q.Variants[1].ID && (v.Price != "77.70" || v.Quantity != 2) {
					t.Errorf("the price is %s and the stock %d, want 77.70 and 2", v.Price, v.Quantity)
				}
			}
		})
	}
}

// A variation that somebody deleted is made again under the names that the product has, although
// the supplier changed no choice.
func TestMissingVariationGetsTheMerchantsNames(t *testing.T) {
	f, a := opened(t)
	p := sample("again", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	if err := f.RenameOption(l.ID, "Color", "Farbe"); err != nil {
		t.Fatal(err)
	}
	f.Erase(f.Children(f.Find(l.ID).ID)[1])
	p.Title = "Another title"
	ref.OnSale = true
	must(t, a, ref, p, shopadapter.FieldTitle)
	want := map[string]shopadapter.Variant{}
	for _, v := range p.Variants {
		want["Farbe="+v.Options[0].Value+" Size="+v.Options[1].Value] = v
	}
	f.wantChoices(t, l.ID, want)
}

// The merchant's own variation stays one that a visitor can choose.
func TestMerchantsOwnVariationStaysOffered(t *testing.T) {
	f, a := opened(t)
	p := sample("own", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	own := f.Find(l.ID)
	f.NextPost++
	f.Posts[f.NextPost] = &fakeshop.Post{
		ID: f.NextPost, Parent: own.ID, Kind: "variation", Status: "publish", SKU: "MY-OWN", Price: "1.00",
		Backorders: "no", Meta: map[string]any{},
		Options: map[string]string{"color": "Gold", "size": "40 cm"}, Managed: true, Quantity: 4,
	}
	own.Attributes[0].Options = append(slices.Clone(own.Attributes[0].Options), "Gold")
	p.Variants = append(slices.Clone(p.Variants), variantOf(p, "fourth", "Pink", "50 cm"))
	must(t, a, ref, p, shopadapter.FieldVariants)
	want := map[string]shopadapter.Variant{"Color=Gold Size=40 cm": {SKU: "MY-OWN", Price: "1.00", Quantity: 4}}
	for _, v := range p.Variants {
		want["Color="+v.Options[0].Value+" Size="+v.Options[1].Value] = v
	}
	f.wantChoices(t, l.ID, want)
}

// A product of the merchant's own that would be taken over keeps the merchant's words for its
// choices. Where they cannot be followed it is not touched.
func TestChoicesOfAnAdoptedProduct(t *testing.T) {
	for name, unclear := range map[string]bool{"followed": false, "one attribute more": true} {
		t.Run(name, func(t *testing.T) {
			f, a := opened(t, "ADOPT", "sku")
			p := sample("adopted", 3)
			own := f.AddForeign(p)
			if err := f.RenameOption(own, "Color", "Farbe"); err != nil {
				t.Fatal(err)
			}
			if unclear {
				f.Find(own).Attributes = append(
					f.Find(own).Attributes, fakeshop.Attribute{Key: "gift", Name: "Gift", Variation: true, Options: []string{"Yes"}},
				)
			}
			p.Variants[0].Price = "66.60"
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			price := f.Posts[f.Children(f.Find(own).ID)[0]].Price
			if unclear && (e == nil || e.Kind != shopadapter.Blocked || price == "66.60" || len(f.Find(own).Meta) > 0) {
				t.Errorf("got %v, the price %s, the stamp %v, want an error that is blocked, and nothing written",
					err, price, f.Find(own).Meta)
			}
			if !unclear && (err != nil || price != "66.60" || f.Find(own).Attributes[0].Name != "Farbe") {
				t.Errorf("got %v, the price %s, the attributes %v, want no error, 66.60 and Farbe",
					err, price, f.Find(own).Attributes)
			}
		})
	}
}
