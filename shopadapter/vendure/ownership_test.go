package vendure_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// duplicate copies a product as the back office does: custom fields included.
func duplicate(t *testing.T, f *fakeShop, p vendureserver.Product) {
	t.Helper()
	err := f.office().Query(t.Context(), vendureserver.CreateDocument, map[string]any{"input": map[string]any{
		"enabled": false,
		"translations": []any{map[string]any{
			"languageCode": "en", "name": p.In("en").Name + " (copy)", "slug": p.In("en").Slug + "-copy",
			"description": p.In("en").Description,
		}},
		"customFields": map[string]any{
			"pubsyncId":    p.CustomFields.PubsyncID,
			"pubsyncStamp": p.CustomFields.PubsyncStamp,
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

func TestADuplicateOfTheMerchantsIsTheMerchants(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 2)
	first := publish(t, a, p, shopadapter.AllFields)
	duplicate(t, fake, only(t, fake))
	p.Title = "Another title"
	if l := publish(t, a, p, shopadapter.AllFields); l.ID != first.ID {
		t.Errorf("the listing is %s, it was %s", l.ID, first.ID)
	}
	var listed []shopadapter.ListingID
	for l, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, l.Ref.Listing)
	}
	if diff := cmp.Diff([]shopadapter.ListingID{first.ID}, listed); diff != "" {
		t.Errorf("listings (-want +got):\n%s", diff)
	}
	before := products(t, fake)[1]
	if err := fake.office().Delete(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	ref := shopadapter.Ref{Publication: p.ID, Listing: first.ID}
	if _, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields); !errors.Is(err, shopadapter.ErrGone) {
		t.Errorf("with the original deleted: %v, want ErrGone", err)
	}
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]vendureserver.Product{before}, products(t, fake)); diff != "" {
		t.Errorf("the duplicate changed (-before +after):\n%s", diff)
	}
}

func products(t *testing.T, f *fakeShop) []vendureserver.Product {
	t.Helper()
	all, err := f.office().Products(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestALateCreation is a shop that carries out a creation after its caller has given up and tried
// again: there are two drafts, or a draft beside a finished product. One goes on, the other goes.
func TestALateCreation(t *testing.T) {
	for _, tc := range []struct {
		name     string
		finished bool // the other product was finished before the late one came
		touch    string
		left     int
	}{
		{"two drafts", false, "", 1},
		{"beside a finished product", true, "", 1},
		{"a draft that the merchant works on", true, "My own lamp", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 2)
			draft := func() {
				fake.answer = func(operation string) *http.Response {
					if operation == "FindOptionGroups" {
						return respond(http.StatusBadGateway, "text/html", "", nil)
					}
					return nil
				}
				_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
				if shopadapter.Explain(err) == nil {
					t.Fatal("the creation was not cut off")
				}
				fake.answer = nil
			}
			draft()
			late := *fake.products[0]
			late.id, late.texts = fake.id(), slices.Clone(late.texts)
			if tc.finished {
				publish(t, a, p, shopadapter.AllFields)
			}
			if tc.touch != "" {
				late.texts[0].name = tc.touch
			}
			fake.products = append(fake.products, &late)
			for range 2 {
				// Not even a hint at the late one leads astray.
				l, err := a.Publish(
					t.Context(),
					shopadapter.Ref{Publication: p.ID, Listing: shopadapter.ListingID(late.id)},
					p,
					shopadapter.AllFields,
				)
				if err != nil || tc.finished && string(l.ID) != fake.products[0].id {
					t.Errorf("the listing is %s, %v", l.ID, err)
				}
			}
			onSale := 0
			left := products(t, fake)
			for _, p := range left {
				if p.Enabled {
					onSale++
				}
			}
			if len(left) != tc.left || onSale != 1 {
				t.Errorf("%d products are left, %d on sale", len(left), onSale)
			}
		})
	}
}

func TestADamagedStampDoublesNothing(t *testing.T) {
	for _, damage := range []string{"", "not a stamp", `{"v":99,"id":"p"}`} {
		t.Run(damage, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 2)
			l := publish(t, a, p, shopadapter.AllFields)
			if err := fake.office().Update(
				t.Context(), l.ID, map[string]any{"customFields": map[string]any{"pubsyncStamp": damage}},
			); err != nil {
				t.Fatal(err)
			}
			for l, err := range a.List(t.Context(), shopadapter.Query{}) {
				if err != nil || l.Ref.Publication != p.ID {
					t.Errorf("listed as %q, %v", l.Ref.Publication, err)
				}
			}
			p.Title, p.Variants[0].Price = "Another title", "5.00"
			if l = publish(t, a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("kept %s, want the title, whose owner is unknown", l.Kept)
			}
			if got := only(t, fake); got.Variants[0].PriceWithTax != 500 || got.In("en").Name == "Another title" {
				t.Errorf("the product is %+v", got)
			}
			if l = publish(t, a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("then kept %s", l.Kept)
			}
		})
	}
}

func TestListingsOfManyPages(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	const many = 230
	for i := range many {
		publish(t, a, lamp(shopadapter.PublicationID(fmt.Sprint("p", i)), 1), shopadapter.AllFields)
	}
	seen := map[shopadapter.PublicationID]int{}
	for l, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[l.Ref.Publication]++; len(seen) == 50 {
			// A product that is deleted during the ranging must not hide the ones behind it.
			if err := fake.office().Delete(t.Context(), l.Ref.Listing); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != many {
		t.Errorf("%d listings of %d", len(seen), many)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s is listed %d times", id, n)
		}
	}
}

func TestAFacetOfAnotherKindStays(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	l := publish(t, a, p, shopadapter.AllFields)
	var made struct {
		CreateFacet struct {
			Values []struct {
				ID string `json:"id"`
			} `json:"values"`
		} `json:"createFacet"`
	}
	err := fake.office().
		Query(t.Context(), `mutation ByHand($input: CreateFacetInput!) {
			createFacet(input: $input) { values { id } }
		}`, map[string]any{
			"input": map[string]any{"code": "season", "isPrivate": false, "translations": []any{}, "values": []any{
				map[string]any{
					"code":         "winter",
					"translations": []any{map[string]any{"languageCode": "en", "name": "Winter"}},
				},
			}},
		}, &made)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{made.CreateFacet.Values[0].ID}
	for _, v := range fake.products[0].values {
		values = append(values, v.id)
	}
	if err := fake.office().Update(t.Context(), l.ID, map[string]any{"facetValueIds": values}); err != nil {
		t.Fatal(err)
	}
	branch := []shopadapter.Level{{Path: "HOME", Name: "Wonen"}, {Path: "HOME_TABLES", Name: "Tafels"}}
	for _, path := range []string{"TABLES", "HOME_TABLES", ""} {
		p.Category = shopadapter.Category{Path: path, Name: "Tables"}
		switch path {
		case "HOME_TABLES":
			p.Category.Branch = branch
		case "":
			p.Category = shopadapter.Category{}
		}
		if l := publish(t, a, p, shopadapter.FieldCategory); l.Kept != 0 {
			t.Errorf("kept %s", l.Kept)
		}
		var names []string
		for _, v := range only(t, fake).FacetValues {
			names = append(names, v.Name)
		}
		want := map[string][]string{
			"TABLES": {"Tables", "Winter"}, "HOME_TABLES": {"Wonen / Tafels", "Winter"}, "": {"Winter"},
		}[path]
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	}
}
