package e2e_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A category and a brand that somebody deleted in the shop are no edit, are told as outdated of every
// listing that was in them, and are made again by the next write. One that is there still, and was
// taken off the product, is the merchant's.
func TestADeletedFacetValueIsNoEdit(t *testing.T) {
	for _, row := range []struct {
		name, facet, called string
		group               shopadapter.Fields
	}{
		{"category", "pubsync-category", "Home / Lighting", shopadapter.FieldCategory},
		{"brand", "brand", "Lumen", shopadapter.FieldBrand},
	} {
		for _, deleted := range []bool{true, false} {
			name := row.name + " taken off"
			if deleted {
				name = row.name + " deleted"
			}
			t.Run(name, func(t *testing.T) {
				s := fresh(t)
				a, p := s.open(), lamp("p", 2)
				p.Brand, p.Category = "Lumen", shopadapter.Category{
					Path: "H_L", Name: "Lighting",
					Branch: []shopadapter.Level{{Path: "H", Name: "Home"}, {Path: "H_L", Name: "Lighting"}},
				}
				l := s.publish(a, p, shopadapter.AllFields)
				ref := ref(p, l)
				expect := func(edited, outdated shopadapter.Fields, filed int) {
					t.Helper()
					for _, q := range []shopadapter.Query{{}, {Refs: []shopadapter.Ref{ref}}} {
						if o := s.list(a, q)["p"]; o.Edited != edited || o.Outdated != outdated {
							t.Errorf("edited %s, outdated %s, want %s and %s", o.Edited, o.Outdated, edited, outdated)
						}
					}
					if got := s.values(row.facet); len(got) != filed || filed > 0 && got[0] != row.called {
						t.Errorf("filed as %q, want %d times %q", got, filed, row.called)
					}
				}
				expect(0, 0, 1)
				kept, lost, filed := row.group, shopadapter.NoFields, 0
				if deleted {
					kept, lost, filed = 0, row.group, 1
					s.must(s.DropValue(t.Context(), l.ID, row.facet))
				} else {
					s.takeOff(l.ID, row.facet)
				}
				expect(kept, lost, 0)
				_, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldStock)
				s.must(err)
				expect(kept, lost, 0)
				again, err := a.Publish(t.Context(), ref, p, row.group)
				if s.must(err); again.Kept != kept {
					t.Errorf("kept: got %s, want %s", again.Kept, kept)
				}
				expect(kept, 0, filed)
			})
		}
	}
}

// takeOff takes the values of a facet off a product.
func (s *shop) takeOff(listing shopadapter.ListingID, facet string) {
	s.Helper()
	ids := []string{}
	for _, v := range s.only().FacetValues {
		if v.Facet.Code != facet {
			ids = append(ids, v.ID)
		}
	}
	s.must(s.Update(s.Context(), listing, vars{"facetValueIds": ids}))
}

// The values of other facets are the merchant's, and stay.
func TestAFacetOfAnotherKindStays(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	l := s.publish(a, p, shopadapter.AllFields)
	winter, err := s.AddValue(t.Context(), "season", "winter", "Winter")
	s.must(err)
	ids := []string{winter}
	for _, v := range s.only().FacetValues {
		ids = append(ids, v.ID)
	}
	s.must(s.Update(t.Context(), l.ID, vars{"facetValueIds": ids}))
	branch := []shopadapter.Level{{Path: "HOME", Name: "Wonen"}, {Path: "HOME_TABLES", Name: "Tafels"}}
	for _, row := range []struct {
		category shopadapter.Category
		want     []string
	}{
		{shopadapter.Category{Path: "TABLES", Name: "Tables"}, []string{"Tables", "Winter"}},
		{shopadapter.Category{Path: "HOME_TABLES", Name: "Tables", Branch: branch}, []string{"Winter", "Wonen / Tafels"}},
		{shopadapter.Category{}, []string{"Winter"}},
	} {
		p.Category = row.category
		if l := s.publish(a, p, shopadapter.FieldCategory); l.Kept != 0 {
			t.Errorf("kept %s", l.Kept)
		}
		if diff := cmp.Diff(row.want, s.values("")); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	}
}

// The merchant's own facet of brands, and the values of it, are used.
func TestBrandOfTheMerchants(t *testing.T) {
	s := fresh(t)
	own, err := s.AddValue(t.Context(), "brand", "the-moon-ones", "MOONSIDE 0")
	s.must(err)
	store, err := s.AddValue(t.Context(), "brand-stores", "moonside-0", "Moonside 0")
	s.must(err)
	a, p := s.open(), lamp("p", 1)
	p.Brand, p.Category = "Moonside 0", shopadapter.Category{}
	l := s.publish(a, p, shopadapter.AllFields)
	if diff := cmp.Diff([]string{"MOONSIDE 0"}, s.values("")); diff != "" {
		t.Errorf("facet values (-want +got):\n%s", diff)
	}
	s.must(s.Update(t.Context(), l.ID, vars{"facetValueIds": []string{store, own}}))
	p.Brand = "Moonside 1"
	if l := s.publish(a, p, shopadapter.FieldBrand); l.Kept != 0 {
		t.Errorf("kept: got %s, want none", l.Kept)
	}
	if diff := cmp.Diff([]string{"Moonside 0", "Moonside 1"}, s.values("brand")); diff != "" {
		t.Errorf("after a change of the brand (-want +got):\n%s", diff)
	}
}
