package vendure_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// dropValue deletes a facet's value by its code, and so takes it off all products.
func (f *fakeShop) dropValue(facet, code string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var gone *fakeValue
	for _, one := range f.facets {
		one.values = slices.DeleteFunc(slices.Clone(one.values), func(v *fakeValue) bool {
			if one.code == facet && v.code == code {
				gone = v
				return true
			}
			return false
		})
	}
	f.takeOff(gone)
}

// takeOff takes a facet's value off all products.
func (f *fakeShop) takeOff(v *fakeValue) {
	for _, p := range f.products {
		p.values = slices.DeleteFunc(slices.Clone(p.values), func(held *fakeValue) bool { return held == v })
	}
}

// codes are the codes of the values of a facet that the only product has.
func codes(t *testing.T, f *fakeShop, facet string) (list []string) {
	t.Helper()
	for _, v := range only(t, f).FacetValues {
		if v.Facet.Code == facet {
			list = append(list, v.Name)
		}
	}
	return list
}

// TestADeletedFacetValueIsNoEdit: a category and a brand that somebody deleted in the shop are no
// edit, are told as outdated, and are made again by the next write. One that is there still, and was
// taken off the product, is the merchant's.
func TestADeletedFacetValueIsNoEdit(t *testing.T) {
	for _, tc := range []struct {
		name, facet, code, called string
		group                     shopadapter.Fields
	}{
		{"category", "pubsync-category", "h-l", "Home / Lighting", shopadapter.FieldCategory},
		{"brand", "brand", "lumen", "Lumen", shopadapter.FieldBrand},
	} {
		for _, deleted := range []bool{true, false} {
			name := tc.name + " taken off"
			if deleted {
				name = tc.name + " deleted"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFakeShop(t)
					a := f.open(t)
					p := lamp("p", 2)
					p.Category = shopadapter.Category{
						Path: "H_L", Name: "Lighting",
						Branch: []shopadapter.Level{{Path: "H", Name: "Home"}, {Path: "H_L", Name: "Lighting"}},
					}
					p.Brand = "Lumen"
					l := publish(t, a, p, shopadapter.AllFields)
					if got := codes(t, f, tc.facet); !slices.Equal(got, []string{tc.called}) {
						t.Fatalf("filed as %q, want %q", got, tc.called)
					}
					ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
					outdated(t, a, ref, shopadapter.NoFields)

					f.mu.Lock()
					value := f.value(valueID(f, tc.facet, tc.code))
					f.mu.Unlock()
					edited, lost, want := tc.group, shopadapter.NoFields, []string(nil)
					if deleted {
						f.dropValue(tc.facet, tc.code)
						edited, lost, want = shopadapter.NoFields, tc.group, []string{tc.called}
					} else {
						f.mu.Lock()
						f.takeOff(value)
						f.mu.Unlock()
					}
					time.Sleep(time.Hour)
					for o, err := range a.List(t.Context(), shopadapter.Query{}) {
						if err != nil {
							t.Fatal(err)
						}
						if o.Edited != edited {
							t.Errorf("edited: got %s, want %s", o.Edited, edited)
						}
					}
					outdated(t, a, ref, lost)
					stocked, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldStock)
					if err != nil {
						t.Fatal(err)
					}
					ref.State = stocked.State
					outdated(t, a, ref, lost)

					again, err := a.Publish(t.Context(), ref, p, tc.group)
					if err != nil {
						t.Fatal(err)
					}
					if got := codes(t, f, tc.facet); !slices.Equal(got, want) {
						t.Errorf("filed as %q after the next write, want %q", got, want)
					}
					if again.Kept != edited {
						t.Errorf("kept: got %s, want %s", again.Kept, edited)
					}
					ref.State = again.State
					outdated(t, a, ref, shopadapter.NoFields)
				})
			})
		}
	}
}

// outdated expects what the shop's list says of a listing that a person asks for.
func outdated(t *testing.T, a shopadapter.Adapter, ref shopadapter.Ref, want shopadapter.Fields) {
	t.Helper()
	got := observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{ref}})[ref.Publication].Outdated
	if got != want {
		t.Errorf("outdated: got %s, want %s", got, want)
	}
}

// valueID is the id of a facet's value.
func valueID(f *fakeShop, facet, code string) string {
	for _, one := range f.facets {
		for _, v := range one.values {
			if one.code == facet && v.code == code {
				return v.id
			}
		}
	}
	return ""
}

// TestAChosenCategoryIsNotReviewed: where the merchant chose another one, it does not matter that
// the one that was written is gone; no write is asked for again and again.
func TestAChosenCategoryIsNotReviewed(t *testing.T) {
	f := newFakeShop(t)
	a := f.open(t)
	p := lamp("p", 1)
	p.Category = shopadapter.Category{Path: "H_L", Name: "Lighting"}
	publish(t, a, p, shopadapter.AllFields)
	f.mu.Lock()
	mine := &fakeValue{id: f.id(), code: "mine", name: "Mine"}
	f.facets[0].values = append(f.facets[0].values, mine)
	f.products[0].values = []*fakeValue{mine}
	f.mu.Unlock()
	f.dropValue("pubsync-category", "h-l")
	p.Title = "Another"
	l := publish(t, a, p, shopadapter.AllFields)
	if !l.Kept.Has(shopadapter.FieldCategory) {
		t.Errorf("kept: got %s, want the category", l.Kept)
	}
	outdated(t, f.open(t), shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, Asked: true}, 0)
}
