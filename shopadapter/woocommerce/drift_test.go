package woocommerce

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// After a listing was found in the trash, or out of sale, no figures are written to it blindly: the
// next call looks first.
func TestAfterADriftTheNextCallLooks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		drift func(*fakeShop, *fakeshop.Post)
		want  error
	}{
		{"in the trash", (*fakeShop).Trash, shopadapter.ErrGone},
		{"private", status("private"), shopadapter.ErrHidden},
		{"hidden in the catalogue", hidden, shopadapter.ErrHidden},
		{"behind a password", locked, shopadapter.ErrHidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("drifted", 2)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			tt.drift(f, f.Find(ref.Listing))
			ref.OnSale = true
			l, err := a.Publish(t.Context(), ref, p, shopadapter.FieldTitle)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if l.ID != "" {
				ref.State = l.State
			}
			f.Requests()
			p = restocked(p, 1)
			_, _ = a.Publish(t.Context(), ref, p, figureGroups)
			got := f.Requests()
			if want := "GET /products/" + string(ref.Listing); len(got) == 0 || got[0] != want {
				t.Errorf("the requests are %v, want %s first", got, want)
			}
		})
	}
}

// A product that comes out of the trash with choices that cannot be followed stays a draft, since
// its variations are still there.
func TestRestoredWithChoicesThatCannotBeFollowed(t *testing.T) {
	f, a := opened(t)
	p := sample("restored", 2)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	own := f.Find(ref.Listing)
	own.Attributes = append(own.Attributes, fakeshop.Attribute{
		Key: "gift", Name: "Gift", Variation: true, Options: []string{"Yes", "No"},
	})
	f.Trash(own)
	_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.FieldPrice)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked {
		t.Errorf("got %v, want an error that is blocked", err)
	}
	if own.Status != "draft" {
		t.Errorf("the product is %s, want a draft", own.Status)
	}
}

func hidden(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "hidden" }

func locked(_ *fakeShop, p *fakeshop.Post) { p.Password = "open sesame" }

// What the merchant hid is not on sale for anybody who asks, and comes back once it is asked for.
// In the catalogue alone, or in searches alone, it is still found.
func TestAProductThatTheMerchantHid(t *testing.T) {
	for _, tt := range []struct {
		name   string
		hide   func(*fakeShop, *fakeshop.Post)
		onSale bool
	}{
		{"hidden in the catalogue", hidden, false},
		{"behind a password", locked, false},
		{"in the catalogue alone", func(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "catalog" }, true},
		{"in searches alone", func(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "search" }, true},
	} {
		for _, variants := range []int{1, 2} {
			t.Run(fmt.Sprint(tt.name, ", variants: ", variants), func(t *testing.T) {
				f, a := opened(t)
				p := sample("hidden", variants)
				ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
				tt.hide(f, f.Find(ref.Listing))
				for l, err := range a.List(t.Context(), shopadapter.Query{}) {
					if err != nil {
						t.Fatal(err)
					}
					if l.OnSale != tt.onSale {
						t.Errorf("listed on sale: %t, want %t", l.OnSale, tt.onSale)
					}
				}
				if o := observed(t, a, shopadapter.Query{})[p.ID]; o.OnSale != tt.onSale {
					t.Errorf("observed on sale: %t, want %t", o.OnSale, tt.onSale)
				}
				_, _, err := restock(t, a, ref, restocked(p, 1))
				if got := errors.Is(err, shopadapter.ErrHidden); got == tt.onSale {
					t.Errorf("a restock ends with %v, want ErrHidden: %t", err, !tt.onSale)
				}
				ref.State = nil
				must(t, a, ref, p, shopadapter.AllFields)
				if o := observed(t, a, shopadapter.Query{})[p.ID]; !o.OnSale {
					t.Error("it is not on sale once it was asked for")
				}
			})
		}
	}
}
