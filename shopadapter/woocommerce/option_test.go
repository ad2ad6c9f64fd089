package woocommerce

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// WooCommerce keeps options in several forms. A variation whose value differs from the product's
// cannot be chosen.
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
		want   map[string]string // of the first variant
	}{
		{
			"a bar", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = "Red | Green" },
			map[string]string{"Color": "Red / Green", "Size": "40 cm"},
		},
		{
			"an octet", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = "50%Baumwolle" },
			map[string]string{"Color": "50% Baumwolle", "Size": "40 cm"},
		},
		{
			"a tag", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = "<b>Red" },
			map[string]string{"Color": "‹b›Red", "Size": "40 cm"},
		},
		{
			"a backslash", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = `A\B` },
			map[string]string{"Color": "A/B", "Size": "40 cm"},
		},
		{
			"an ampersand", func(p *shopadapter.Product) { p.Variants[0].Options[0].Value = "Black & White" },
			map[string]string{"Color": "Black & White", "Size": "40 cm"},
		},
		{
			"no value", func(p *shopadapter.Product) { p.Variants[0].Options = p.Variants[0].Options[:1] },
			map[string]string{"Color": "Red", "Size": "-"},
		},
		{
			"names that are the same to WooCommerce", func(p *shopadapter.Product) {
				p.Options[1] = "color"
				for i := range p.Variants {
					p.Variants[i].Options[1].Name = "color"
				}
			}, map[string]string{"Color": "Red", "color 2": "40 cm"},
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

// A customer who has the page open while an option gets another name must not meet a product that
// cannot be bought.
func TestOptionRenamed(t *testing.T) {
	f := newFakeShop(t)
	p := sample("renamed", 3)
	renamed := sample("renamed", 3)
	renamed.Options[0] = "Kleur"
	for i := range renamed.Variants {
		renamed.Variants[i].Options[0].Name = "Kleur"
	}
	a := f.connect(t, quickly(), nil)
	ref, before := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.Before = func(*http.Request, int) error {
		products, err := f.Observe(t.Context())
		for _, s := range products {
			if len(s.Variants[0].Options) != 2 && s.OnSale {
				t.Errorf("on sale with the options %v, want 2, or a draft", s.Variants[0].Options)
			}
		}
		return err
	}
	_, after := must(t, a, ref, renamed, shopadapter.FieldVariants)
	f.Before = nil
	if diff := cmp.Diff(before.Variants, after.Variants); diff != "" {
		t.Errorf("variations were made anew (-want +got):\n%s", diff)
	}
	if broken := f.inconsistent(renamed); broken != "" || f.seen(t, p.ID).Variants[0].Options["Kleur"] == "" {
		t.Errorf("the options are %v, want Kleur among them: %s", f.seen(t, p.ID).Variants[0].Options, broken)
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
