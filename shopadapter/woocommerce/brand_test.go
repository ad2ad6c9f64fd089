package woocommerce

import (
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func branded(id, brand string) shopadapter.Product {
	p := sample(id, 1)
	p.Brand = brand
	return p
}

func (f *fakeShop) wantBrand(t *testing.T, id shopadapter.PublicationID, want string) {
	t.Helper()
	if got := f.seen(t, id).Details["brand"]; got != want {
		t.Errorf("brand of %s: got %q, want %q", id, got, want)
	}
}

// However many products need a brand at a time, and whichever process has made it: there is one.
func TestABrandIsMadeOnce(t *testing.T) {
	for _, name := range []string{"Brightside", "Bright & Side", "  Bright   side "} {
		f, a := opened(t)
		var done sync.WaitGroup
		for _, id := range []string{"one", "two", "three"} {
			done.Go(func() {
				p := branded(id, name)
				if _, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		p := branded("four", strings.ToUpper(name))
		must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
		if len(f.Brands) != 1 {
			t.Errorf("brands for %q: got %v, want one", name, f.Brands)
		}
		f.wantBrand(t, "four", strings.Join(strings.Fields(name), " "))
	}
}

// A brand that the merchant renamed stays the product's.
func TestARenamedBrand(t *testing.T) {
	f := newFakeShop(t)
	p := branded("lamp", "Brightside")
	ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	f.RenameBrand("Brightside", "The Bright Side")
	_, l := must(t, f.connect(t, quickly(), nil), ref, p, shopadapter.FieldBrand)
	f.wantBrand(t, p.ID, "The Bright Side")
	if l.Kept != 0 || len(f.Brands) != 1 {
		t.Errorf("kept %s, brands %v; want none kept, and one brand", l.Kept, f.Brands)
	}
}

// A brand that was deleted since the adapter saw it is made again.
func TestADeletedBrand(t *testing.T) {
	f, a := opened(t)
	first, second := branded("first", "Brightside"), branded("second", "Brightside")
	must(t, a, refOf(first), first, shopadapter.AllFields)
	f.DeleteBrands()
	if _, err := a.Publish(t.Context(), refOf(second), second, shopadapter.AllFields); err == nil {
		t.Error("the brand was deleted meanwhile, want an error of time")
	}
	ref, _ := must(t, a, refOf(second), second, shopadapter.AllFields)
	f.wantBrand(t, second.ID, "Brightside")
	second.Brand = "Other"
	if _, l := must(t, a, ref, second, shopadapter.FieldBrand); l.Kept != 0 {
		t.Errorf("kept: got %s, want none", l.Kept)
	}
	f.wantBrand(t, second.ID, "Other")
}

// A brand that somebody deleted for all products is no edit of theirs, and comes again with the next
// write of it; one that was taken off a product while the shop still has it stays off.
func TestABrandThatWasDeletedIsNoEdit(t *testing.T) {
	for _, deleted := range []bool{true, false} {
		f, a := opened(t)
		p := branded("lamp", "Another")
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		p.Brand = "Brightside"
		ref, _ = must(t, a, ref, p, shopadapter.FieldBrand)
		edited, want := shopadapter.FieldBrand, ""
		if deleted {
			f.DeleteBrands()
			edited, want = 0, "Brightside"
		} else {
			f.Mu.Lock()
			for _, post := range f.Posts {
				post.Brands = nil
			}
			f.Mu.Unlock()
		}
		if got := observed(t, a, shopadapter.Query{})[p.ID].Edited; got != edited {
			t.Errorf("deleted %t: edited: got %s, want %s", deleted, got, edited)
		}
		_, l := must(t, a, ref, p, shopadapter.FieldBrand)
		f.wantBrand(t, p.ID, want)
		if l.Kept != edited {
			t.Errorf("deleted %t: kept: got %s, want %s", deleted, l.Kept, edited)
		}
	}
}

// A shop that lets the key make no brands sells the products without. That is told once.
func TestNoBrands(t *testing.T) {
	f, log := logged(t)
	f.NoTerms = true
	a := f.connect(t, quickly(), nil)
	for _, id := range []string{"one", "two"} {
		p := branded(id, "Brand of "+id)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		if _, l := must(t, a, ref, p, shopadapter.AllFields); l.Kept != 0 {
			t.Errorf("kept: got %s, want none", l.Kept)
		}
		f.wantBrand(t, p.ID, "")
	}
	if told := strings.Count(log.String(), "brand"); told == 0 || strings.Count(log.String(), "WARN") > 1 {
		t.Errorf("told %d times, want 1:\n%s", told, log)
	}
}

// A look at the shop tells a brand that the merchant chose.
func TestABrandOfTheMerchantsIsSeen(t *testing.T) {
	f, a := opened(t)
	p := branded("lamp", "Brightside")
	_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	for _, want := range []shopadapter.Fields{shopadapter.NoFields, shopadapter.FieldBrand} {
		if want != shopadapter.NoFields {
			if err := f.EditDetail(t.Context(), l.ID, f.seen(t, p.ID).Variants[0], "brand"); err != nil {
				t.Fatal(err)
			}
		}
		for one, err := range a.List(t.Context(), shopadapter.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			if got := one.Edited & shopadapter.FieldBrand; got != want {
				t.Errorf("edited: got %s, want %s", got, want)
			}
		}
	}
}
