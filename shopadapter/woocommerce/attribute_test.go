package woocommerce

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

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
			"in English", func(*shopadapter.Product) {},
			map[string]string{"Material": "STEEL, LINEN_0", "Country of origin": "NL"},
		},
		{
			"in Dutch", func(p *shopadapter.Product) { p.Language = "nl" },
			map[string]string{"Materiaal": "STEEL, LINEN_0", "Land van herkomst": "NL"},
		},
		{
			"a bar, and twice the same",
			func(p *shopadapter.Product) {
				for i := range p.Variants {
					p.Variants[i].Materials = []string{"OAK|ELM", "OAK/ELM", " "}
				}
			},
			map[string]string{"Material": "OAK/ELM", "Country of origin": "NL"},
		},
		{
			"variants of other origins", func(p *shopadapter.Product) { p.Variants[1].Origin = "PT" },
			map[string]string{"Material": "STEEL, LINEN_0"},
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
			p := detailed("lamp", 2, 0)
			p.Language = "en"
			tt.change(&p)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if diff := cmp.Diff(tt.want, f.read(l.ID)); diff != "" {
				t.Errorf("a visitor reads (-want +got):\n%s", diff)
			}
			if got := len(f.seen(t, p.ID).Variants[0].Options); got != 2 {
				t.Errorf("a visitor chooses by %d attributes, want 2", got)
			}
			f.Requests()
			ref.OnSale = true
			must(t, a, ref, p, changedDetails)
			f.wantRequests(t, "the same again", "GET /products/"+string(l.ID), "GET /products/"+string(l.ID)+"/variations")
		})
	}
}

// What the merchant has among the attributes stays as it is while ours change.
func TestFeaturesBesideTheMerchants(t *testing.T) {
	for _, variants := range []int{1, 3} {
		f := newFakeShop(t)
		p := detailed("lamp", variants, 0)
		p.Language = "en"
		ref, l := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
		setFeature(f.Find(l.ID), "Care", "By hand", "Cold")
		setFeature(f.Find(l.ID), "Country of origin", "The Netherlands")
		q := detailed("lamp", variants, 1)
		q.Language = "en"
		_, l = must(t, f.connect(t, quickly(), nil), ref, q, shopadapter.FieldDetails)
		want := map[string]string{
			"Care": "By hand, Cold", "Country of origin": "The Netherlands", "Material": "STEEL, LINEN_1",
		}
		if diff := cmp.Diff(want, f.read(l.ID)); diff != "" {
			t.Errorf("%d variants: a visitor reads (-want +got):\n%s", variants, diff)
		}
		if l.Kept != shopadapter.FieldDetails {
			t.Errorf("%d variants: kept: got %s, want details", variants, l.Kept)
		}
		if got := len(f.seen(t, p.ID).Variants); got != variants {
			t.Errorf("%d variants: a visitor finds %d", variants, got)
		}
	}
}
