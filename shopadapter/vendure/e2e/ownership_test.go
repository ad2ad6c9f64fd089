package e2e_test

import (
	"errors"
	"net/http"
	"strings"
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

// TestALateCreation is a shop that carries out a creation after its caller has given up and tried
// again: there are two drafts, or a draft beside a finished product. One goes on, the other goes.
func TestALateCreation(t *testing.T) {
	for _, row := range []struct {
		name     string
		finished bool // the other product was finished before the late one came
		touch    string
		left     int
	}{
		{"two drafts", false, "", 1},
		{"beside a finished product", true, "", 1},
		{"a draft that the merchant works on", true, "My own lamp", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fresh(t)
			a, p := s.open(), lamp("p", 2)
			s.answer = func(x exchange) (*http.Response, error) {
				if x.operation == "FindOptionGroups" {
					return nil, errors.New("cut off")
				}
				return x.send()
			}
			if _, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields); err == nil {
				t.Fatal("the creation was not cut off")
			}
			s.answer = nil
			draft := s.only()
			if row.finished {
				s.publish(a, p, shopadapter.AllFields)
			}
			title := draft.In("en").Name
			if row.touch != "" {
				title = row.touch
			}
			late := s.copyOf(draft, title, draft.CustomFields.PubsyncStamp)
			for range 2 {
				// Not even a hint at the late one leads astray.
				hint := shopadapter.Ref{Publication: p.ID, Listing: late}
				l, err := a.Publish(t.Context(), hint, p, shopadapter.AllFields)
				if err != nil || row.finished && string(l.ID) != draft.ID {
					t.Errorf("the listing is %s, %v", l.ID, err)
				}
			}
			left, err := s.Products(t.Context())
			s.must(err)
			onSale := 0
			for _, p := range left {
				if p.Enabled {
					onSale++
				}
			}
			if len(left) != row.left || onSale != 1 {
				t.Errorf("%d products are left, %d on sale", len(left), onSale)
			}
		})
	}
}

func TestADamagedStampDoublesNothing(t *testing.T) {
	for _, damage := range []string{"", "not a note", `{"v":99,"id":"p"}`} {
		t.Run(damage, func(t *testing.T) {
			s := fresh(t)
			a, p := s.open(), lamp("p", 2)
			l := s.publish(a, p, shopadapter.AllFields)
			s.must(s.Update(t.Context(), l.ID, vars{"customFields": vars{"pubsyncStamp": damage}}))
			if got := s.list(a, shopadapter.Query{}); len(got) != 1 || got[p.ID].Ref.Listing != l.ID {
				t.Errorf("listed as %v", got)
			}
			p.Title, p.Variants[0].Price = "Another title", "5.00"
			if l = s.publish(a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("kept %s, want the title, whose owner is unknown", l.Kept)
			}
			if got := s.only(); got.Variants[0].PriceWithTax != 500 || got.In("en").Name == "Another title" {
				t.Errorf("the product is %+v", got)
			}
			if l = s.publish(a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("then kept %s", l.Kept)
			}
		})
	}
}

// A product whose key was cleared is the publication's where its note, which is a field of its own,
// or the State says so. It is told, and taken back with the merchant's edits.
func TestAProductWithoutItsKey(t *testing.T) {
	for _, row := range []struct {
		name       string
		cleared    []string
		state, own bool // the caller has the State; the product is the publication's
	}{
		{"the key, with the state", []string{"pubsyncId"}, true, true},
		{"the key, without the state", []string{"pubsyncId"}, false, true},
		{"both, with the state", []string{"pubsyncId", "pubsyncStamp"}, true, true},
		{"both, without the state", []string{"pubsyncId", "pubsyncStamp"}, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fresh(t)
			a, p := s.open(), lamp("p", 2)
			l := s.publish(a, p, shopadapter.AllFields)
			ref := ref(p, l)
			if !row.state {
				ref.State = nil
			}
			cleared := vars{}
			for _, field := range row.cleared {
				cleared[field] = nil
			}
			s.must(s.Update(t.Context(), l.ID, vars{"customFields": cleared}), s.Edit(t.Context(), l.ID, shopadapter.FieldTitle))
			mine := s.only().In("en").Name
			_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if !row.own {
				if !errors.Is(err, shopadapter.ErrGone) {
					t.Errorf("the error is %v, want ErrGone", err)
				}
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Message, "«"+mine+"»") {
				t.Fatalf("the error is %v, want Blocked with the product's name", err)
			}
			ref.Asked, ref.Revive = true, true
			back, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if err != nil || back.ID != l.ID || back.Kept != shopadapter.FieldTitle {
				t.Fatalf("asked for: the listing is %s, kept %s, %v", back.ID, back.Kept, err)
			}
			if got := s.only(); got.In("en").Name != mine || got.CustomFields.PubsyncID != string(p.ID) {
				t.Errorf("asked for: the product is %+v", got)
			}
			if l := s.publish(a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("once it was taken back %s is kept, want the title", l.Kept)
			}
		})
	}
}

// One that a person takes off sale has its key again: putting it back on sale makes no second one.
func TestAProductWithoutItsKeyIsWithdrawn(t *testing.T) {
	s := fresh(t)
	a, p := s.open(), lamp("p", 2)
	l := s.publish(a, p, shopadapter.AllFields)
	s.must(s.DeleteStamp(t.Context(), l.ID))
	asked := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, Revive: true}
	_, err := a.Unpublish(t.Context(), asked, shopadapter.TakeOffline)
	s.must(err)
	if s.only().Enabled {
		t.Error("the product is on sale still")
	}
	if again := s.publish(a, p, shopadapter.AllFields); again.ID != l.ID {
		t.Errorf("published again it is %s, want %s", again.ID, l.ID)
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
