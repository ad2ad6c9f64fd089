package e2e_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// What somebody does by hand is listed, and nothing else: in the whole list and by the ref. The shop
// itself counts nothing and sells below zero, and the first variant is also stocked in a shed.
func TestWhatIsDoneByHandIsObserved(t *testing.T) {
	type seen = shopadapter.Listed
	s := fresh(t)
	s.global(false, -1)
	defer s.global(true, 0)
	a := s.open()
	variant := func(fields vars) func(context.Context, seen) error {
		return func(ctx context.Context, o seen) error { return s.UpdateVariant(ctx, o.Variants[0].ShopID, fields) }
	}
	edit := func(group shopadapter.Fields) func(context.Context, seen) error {
		return func(ctx context.Context, o seen) error { return s.Edit(ctx, o.ID, group) }
	}
	shed := s.shed()
	other := lamp("other", 1)
	other.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p>Een lamp.</p>"}
	s.publish(a, other, shopadapter.AllFields)
	for i, row := range []struct {
		name string
		hand func(context.Context, seen) error
		want func(*seen)
	}{
		{"counting is off", variant(vars{"trackInventory": "FALSE"}), func(o *seen) { o.Variants[0].Uncounted = true }},
		{
			"counting as the shop has it", variant(vars{"trackInventory": "INHERIT"}),
			func(o *seen) { o.Variants[0].Uncounted = true },
		},
		{"below zero", variant(vars{"outOfStockThreshold": -3}), func(o *seen) { o.Variants[0].Backorders = true }},
		{
			"below zero as the shop has it", variant(vars{"useGlobalOutOfStockThreshold": true}),
			func(o *seen) { o.Variants[0].Backorders = true },
		},
		{"a name in another language", func(ctx context.Context, o seen) error {
			return s.Text(ctx, o.ID, "nl", "name", "Mijn eigen lamp")
		}, func(o *seen) { o.Edited = shopadapter.FieldDescription }},
		{"a language of the merchant's own", func(ctx context.Context, o seen) error {
			row := vars{"languageCode": "de", "name": "Lampe", "slug": "lampe", "description": ""}
			return s.Update(ctx, o.ID, vars{"translations": []vars{row}})
		}, func(*seen) {}},
		{
			"a picture is taken off", edit(shopadapter.FieldImages),
			func(o *seen) { o.Images, o.Edited = 1, shopadapter.FieldImages },
		},
		{
			"a picture is lost", func(ctx context.Context, o seen) error { return s.LosePicture(ctx, o.ID, 0) },
			func(o *seen) { o.Images = 1 },
		},
		{"one is lost, one is taken off", func(ctx context.Context, o seen) error {
			if err := s.LosePicture(ctx, o.ID, 0); err != nil {
				return err
			}
			return s.Update(ctx, o.ID, vars{"assetIds": []string{}, "featuredAssetId": nil})
		}, func(o *seen) { o.Images, o.Edited = 0, shopadapter.FieldImages }},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := lamp("p", 3)
			p.Images = []string{s.pictures.Address(1000 + 2*i), s.pictures.Address(1001 + 2*i)}
			p.Translations = other.Translations
			l := s.publish(a, p, shopadapter.AllFields)
			s.must(s.UpdateVariant(t.Context(), l.ShopIDs()[p.Variants[0].ID], vars{
				"stockLevels": []vars{{"stockLocationId": shed, "stockOnHand": 55}},
			}))
			want := s.list(a, shopadapter.Query{})
			o := want["p"]
			if len(want) != 2 || o.Edited != 0 || o.Variants[0].Quantity != p.Variants[0].Quantity {
				t.Fatalf("observed before: %+v", want)
			}
			s.must(row.hand(t.Context(), o))
			row.want(&o)
			want["p"] = o
			if diff := cmp.Diff(want, s.list(a, shopadapter.Query{})); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
			some := s.list(a, shopadapter.Query{Refs: []shopadapter.Ref{{Publication: "p"}, {Publication: "x"}}})
			if diff := cmp.Diff(map[shopadapter.PublicationID]seen{"p": o}, some); diff != "" {
				t.Errorf("observed by its ref (-want +got):\n%s", diff)
			}
			s.must(s.Delete(t.Context(), l.ID))
		})
	}
}

// global sets what counts for a variant without its own settings.
func (s *shop) global(tracks bool, threshold int) {
	s.Helper()
	s.must(s.Do(context.WithoutCancel(s.Context()), `mutation ($tracks: Boolean!, $threshold: Int!) {
		updateGlobalSettings(input: { trackInventory: $tracks, outOfStockThreshold: $threshold }) { __typename } }`,
		vars{"tracks": tracks, "threshold": threshold}))
}

// shed makes a stock location of the owner's.
func (s *shop) shed() string {
	s.Helper()
	var made struct{ CreateStockLocation struct{ ID string } }
	s.must(s.Query(s.Context(), `mutation { createStockLocation(input: { name: "Shed" }) { id } }`, nil, &made))
	return made.CreateStockLocation.ID
}

// A picture that the library has lost comes again with the next write of the pictures. One that was
// taken off the product does not.
func TestALostPictureComesAgain(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Images = []string{s.pictures.Address(401), s.pictures.Address(402)}
	l := s.publish(a, p, shopadapter.AllFields)
	s.must(s.LosePicture(t.Context(), l.ID, 1))
	if again := s.publish(a, p, shopadapter.FieldImages); again.Kept != shopadapter.NoFields {
		t.Errorf("lost: kept is %s, want none", again.Kept)
	}
	if got := len(s.only().Assets); got != 2 {
		t.Errorf("lost: %d pictures are shown, want 2", got)
	}
	s.must(s.Edit(t.Context(), l.ID, shopadapter.FieldImages))
	if again := s.publish(a, p, shopadapter.FieldImages); again.Kept != shopadapter.FieldImages {
		t.Errorf("taken off: kept is %s, want images", again.Kept)
	}
}

// The name that belongs to the title is that of the product's own language, and not that of the
// channel's.
func TestTheTitleIsThatOfTheProductsLanguage(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Language, p.Title, p.Description = "nl", "Lamp", "<p>Een lamp.</p>"
	p.Translations["en"] = shopadapter.Translation{Title: "A lamp", Description: "<p>A lamp.</p>"}
	l := s.publish(a, p, shopadapter.AllFields)
	for _, row := range []struct {
		language string
		want     shopadapter.Fields
	}{{"en", shopadapter.FieldDescription}, {"nl", shopadapter.FieldDescription | shopadapter.FieldTitle}} {
		s.must(s.Text(t.Context(), l.ID, row.language, "name", "Mine"))
		if got := s.list(a, shopadapter.Query{})["p"].Edited; got != row.want {
			t.Errorf("with the name in %s: edited is %s, want %s", row.language, got, row.want)
		}
	}
}

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

// Where the merchant chose another category, it does not matter that the one that was written is gone;
// no write is asked for again and again.
func TestAChosenCategoryIsNotReviewed(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Category = shopadapter.Category{Path: "CHOSEN", Name: "Lighting"}
	l := s.publish(a, p, shopadapter.AllFields)
	mine, err := s.AddValue(t.Context(), "pubsync-category", "mine", "Mine")
	s.must(err, s.DropValue(t.Context(), l.ID, "pubsync-category"))
	s.must(s.Update(t.Context(), l.ID, vars{"facetValueIds": []string{mine}}))
	p.Title = "Another"
	if l = s.publish(a, p, shopadapter.AllFields); !l.Kept.Has(shopadapter.FieldCategory) {
		t.Errorf("kept: got %s, want the category", l.Kept)
	}
	if o := s.list(a, shopadapter.Query{Refs: []shopadapter.Ref{ref(p, l)}})["p"]; o.Outdated != 0 {
		t.Errorf("outdated: got %s, want none", o.Outdated)
	}
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
