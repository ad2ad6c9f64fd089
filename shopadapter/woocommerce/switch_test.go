package woocommerce

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// What the merchant switched off stays off, whatever is written and whether or not the State is
// there, until a person asks for it.
func TestAVariationThatWasSwitchedOff(t *testing.T) {
	renamed := func(p shopadapter.Product) shopadapter.Product {
		p.Variants = slices.Clone(p.Variants)
		for i := range p.Variants {
			p.Variants[i].SKU += "-new"
		}
		return p
	}
	for _, tt := range []struct {
		name    string
		lost    bool // the State
		onSale  bool
		change  func(shopadapter.Product) shopadapter.Product
		changed shopadapter.Fields
	}{
		{"a price", false, true, nil, shopadapter.FieldPrice},
		{"SKUs", false, true, renamed, shopadapter.FieldVariants},
		{"all", false, true, renamed, shopadapter.AllFields},
		{"all, by a caller that was killed", false, false, renamed, shopadapter.AllFields},
		{"all, without a State", true, true, renamed, shopadapter.AllFields},
		{"all, without anything", true, false, renamed, shopadapter.AllFields},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("switched", 3)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			off := f.Posts[f.Children(f.Find(ref.Listing).ID)[1]]
			off.Status = "private"
			write := func(revive bool, changed shopadapter.Fields) {
				t.Helper()
				if ref.OnSale, ref.Revive = tt.onSale, revive; tt.lost {
					ref.State = nil
				}
				ref, _ = must(t, a, ref, p, changed)
			}
			if tt.change != nil {
				p = tt.change(p)
			}
			write(false, tt.changed)
			write(false, shopadapter.FieldVariants|figureGroups)
			if off.Status != "private" {
				t.Errorf("it is %s, want private", off.Status)
			}
			if got, want := off.SKU, p.Variants[1].SKU; got != want {
				t.Errorf("its SKU is %s, want %s", got, want)
			}
			write(true, shopadapter.FieldVariants)
			if off.Status != "publish" {
				t.Errorf("once it is asked for it is %s, want publish", off.Status)
			}
			off.Status = "private"
			write(false, shopadapter.AllFields)
			if off.Status != "private" {
				t.Errorf("switched off again it is %s, want private", off.Status)
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
