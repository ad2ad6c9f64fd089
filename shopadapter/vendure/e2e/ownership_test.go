package e2e_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// copyOf adds a product with the fields and texts of another, as the back office duplicates one.
func (s *shop) copyOf(p Product, title, note string) shopadapter.ListingID {
	s.Helper()
	id, err := s.AddProduct(s.Context(), vars{
		"enabled": false,
		"translations": []vars{{
			"languageCode": "en", "name": title, "slug": p.In("en").Slug + "-copy", "description": p.In("en").Description,
		}},
		"customFields": vars{"pubsyncId": p.CustomFields.PubsyncID, "pubsyncStamp": note},
	})
	s.must(err)
	return id
}

func TestADuplicateOfTheMerchantsIsTheMerchants(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 2)
	first := s.publish(a, p, shopadapter.AllFields)
	original := s.only()
	mine := s.copyOf(original, original.In("en").Name+" (copy)", original.CustomFields.PubsyncStamp)
	p.Title = "Another title"
	if l := s.publish(a, p, shopadapter.AllFields); l.ID != first.ID {
		t.Errorf("the listing is %s, it was %s", l.ID, first.ID)
	}
	if got := s.list(a, shopadapter.Query{}); len(got) != 1 || got[p.ID].Ref.Listing != first.ID {
		t.Errorf("listed: %v, want the original alone", got)
	}
	before, err := s.Product(t.Context(), mine)
	s.must(err, s.Delete(t.Context(), first.ID))
	if _, err := a.Publish(t.Context(), ref(p, first), p, shopadapter.AllFields); !errors.Is(err, shopadapter.ErrGone) {
		t.Errorf("with the original deleted: %v, want ErrGone", err)
	}
	_, err = a.Unpublish(t.Context(), ref(p, first), shopadapter.Delete)
	s.must(err)
	if diff := cmp.Diff(before, s.only()); diff != "" {
		t.Errorf("the duplicate changed (-before +after):\n%s", diff)
	}
}

func TestAnEditInOneLanguageHoldsUpNoOther(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lampje", Description: "Licht"}
	l := s.publish(a, p, shopadapter.AllFields)
	s.must(s.Text(t.Context(), l.ID, "nl", "description", "Mijn eigen woorden"))
	p.Description = "More light"
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "Meer licht"}
	if l = s.publish(a, p, shopadapter.FieldDescription); l.Kept != shopadapter.FieldDescription {
		t.Errorf("kept %s", l.Kept)
	}
	got := s.only()
	if got.In("nl").Description != "Mijn eigen woorden" || got.In("nl").Name != "Lamp" ||
		got.In("en").Description != "More light" {
		t.Errorf("the texts are %+v", got.Translations)
	}
}

// The slug is made once, and variants are called after the title as it stands in the shop.
func TestTheSlugIsMadeOnce(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 1)
	first := s.publish(a, p, shopadapter.AllFields)
	p.Title = "Another title"
	if again := s.publish(a, p, shopadapter.FieldTitle); again.URL != first.URL {
		t.Errorf("the address went from %s to %s", first.URL, again.URL)
	}
	if got := s.only().Variants[0].Name; got != "Another title" {
		t.Errorf("the variant is called %q", got)
	}
	s.must(s.Edit(t.Context(), first.ID, shopadapter.FieldTitle))
	p.Title = "A third title"
	s.publish(a, p, shopadapter.AllFields)
	if got := s.only(); got.Variants[0].Name != got.In("en").Name || got.In("en").Name == "A third title" {
		t.Errorf("the product is called %q, its variant %q", got.In("en").Name, got.Variants[0].Name)
	}
}

// A note that cannot be read makes no second product: the texts are the merchant's then, and figures
// are written.
func TestADamagedNoteDoublesNothing(t *testing.T) {
	for _, damage := range []string{"", "not a note", `{"v":99,"id":"p"}`} {
		s := fresh(t)
		a, p := s.open(), lamp("p", 2)
		l := s.publish(a, p, shopadapter.AllFields)
		s.must(s.Update(t.Context(), l.ID, vars{"customFields": vars{"pubsyncStamp": damage}}))
		if got := s.list(a, shopadapter.Query{}); len(got) != 1 || got[p.ID].Ref.Listing != l.ID {
			t.Errorf("%q: listed as %v", damage, got)
		}
		p.Title, p.Variants[0].Price = "Another title", "5.00"
		for range 2 {
			if l = s.publish(a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("%q: kept %s, want the title, whose owner is unknown", damage, l.Kept)
			}
		}
		if got := s.only(); got.Variants[0].PriceWithTax != 500 || got.In("en").Name == p.Title {
			t.Errorf("%q: the product is %+v", damage, got)
		}
	}
}
