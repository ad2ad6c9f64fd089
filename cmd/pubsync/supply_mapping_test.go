// How an entry becomes a product of the http protocol.

package main_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestTheBodyOfAProduct(t *testing.T) {
	s := open(t, sandbox.Options{})
	l := lamp(1)
	l.Variants[1].Quantity, l.Variants[1].Policy = -4, "CONTINUE"
	l.Variants[0].EAN = "4006381333931"
	l.Texts["en"] = sandbox.Text{Title: "Lamp <1>", Description: `<p onclick="x()">Light<script>alert(1)</script></p>`}
	id := s.add(l)
	p, _ := s.market.Publication(id)
	s.imported()
	put := s.shop.puts(id)[0]
	if put.Auth != "Bearer "+shopToken {
		t.Errorf("Authorization: %s", put.Auth)
	}
	got := put.Sent
	want := product{
		ID: id, ListingID: p.Listing.ID, ProductID: p.Listing.ProductID, Language: "en", Title: got.Title,
		Description: got.Description,
		Translations: map[string]translated{
			"en": {
				Title:       got.Title,
				Description: got.Description,
			}, "nl": {Title: "Lamp 1 (nl)", Description: "<p>Geeft <b>licht</b>.</p>"},
		},
		Category: got.Category, Options: []string{"Color"},
		Variants: []variant{
			{
				ID: p.Listing.Variants[0].ID, Title: "Red", SKU: "L1-R", EAN: "4006381333931", Options: []option{{"Color", "Red"}},
				Price: "20.00", Cost: "10.00",
				MSRP: "20.00", Quantity: 12,
			},
			{
				ID: p.Listing.Variants[1].ID, Title: "Blue", SKU: "L1-B", Options: []option{{"Color", "Blue"}}, Price: "20.00",
				Cost: "10.00", MSRP: "20.00",
				Backorders: true,
			},
		},
		Images: got.Images,
		Shipping: []sending{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
		}, Returns: "true",
		UpdatedAt: got.UpdatedAt, Changed: got.Changed,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the product (-want +got):\n%s", diff)
	}
	if got.Category.Path != l.Category || len(got.Images) != 2 || got.UpdatedAt == "" {
		t.Errorf("category %+v, images %v, updatedAt %q", got.Category, got.Images, got.UpdatedAt)
	}
	if strings.Contains(got.Description, "script") || strings.Contains(got.Description, "onclick") ||
		!strings.Contains(got.Description, "Light") {
		t.Errorf("the description is not sanitised: %s", got.Description)
	}
	if !strings.Contains(got.Title, "Lamp") {
		t.Errorf("the title is %q", got.Title)
	}
}

func TestIdsArePercentEncoded(t *testing.T) {
	s := open(t, sandbox.Options{StringIDs: true})
	ids := []string{"a/b", "a b?c#d", "../x", "ü%2F", "..", `"<>&`}
	for i, id := range ids {
		s.market.Add(sandbox.Publication{ID: id, Listing: lamp(i + 1)})
	}
	s.imported()
	for _, id := range ids {
		s.matches(id)
	}
	if n := len(s.shop.requests(http.MethodPut)); n != len(ids) {
		t.Errorf("%d PUTs of %d", n, len(ids))
	}
	s.market.Remove(ids[0])
	if sum := s.imported("--full"); sum.Withdrawn != 1 || s.shop.product(t, ids[0]).onSale {
		t.Errorf("the removal of %s: %+v", ids[0], sum)
	}
	if r := s.call("retry", ids[2]); r.code != 0 {
		t.Errorf("retry %s: exit %d, want 0, %s", ids[2], r.code, r.stderr)
	}
}

func TestTheFirstLanguageWithATitleIsTheProducts(t *testing.T) {
	t.Parallel()
	en, nl := sandbox.Text{
		Title:       "English",
		Description: "<p>en</p>",
	}, sandbox.Text{
		Title:       "Nederlands",
		Description: "<p>nl</p>",
	}
	tests := []struct {
		name, languages string
		texts           map[string]sandbox.Text
		language, title string
		translations    []string
	}{
		{"by default English first", "", map[string]sandbox.Text{"en": en, "nl": nl}, "en", "English", []string{"en", "nl"}},
		{"Dutch first", "nl,en", map[string]sandbox.Text{"en": en, "nl": nl}, "nl", "Nederlands", []string{"en", "nl"}},
		{"the first has none", "en,nl", map[string]sandbox.Text{"nl": nl}, "nl", "Nederlands", []string{"nl"}},
		{
			"the first has no title", "en,nl",
			map[string]sandbox.Text{"en": {Description: "<p>x</p>"}, "nl": nl},
			"nl",
			"Nederlands",
			[]string{"nl"},
		},
		{"one alone", "nl", map[string]sandbox.Text{"en": en, "nl": nl}, "nl", "Nederlands", []string{"nl"}},
		{"one the server has not", "de,nl", map[string]sandbox.Text{"en": en, "nl": nl}, "nl", "Nederlands", []string{"nl"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("MARKETPLACE_LANGUAGES", tt.languages)
			l := lamp(1)
			l.Texts = tt.texts
			id := s.add(l)
			s.imported()
			got := s.shop.product(t, id).sent
			if got.Language != tt.language || got.Title != tt.title {
				t.Errorf("language %s, title %s", got.Language, got.Title)
			}
			var languages []string
			for lang := range got.Translations {
				languages = append(languages, lang)
			}
			if slices.Sort(languages); !slices.Equal(languages, tt.translations) {
				t.Errorf("translations %v, want %v", languages, tt.translations)
			}
		})
	}
}

func TestSKUsGetThePrefixAndWhereTheyMeetAStableSuffix(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.set("SHOP_SKU_PREFIX", "dw-")
	same := func() *sandbox.Listing {
		l := lamp(1)
		l.Variants = l.Variants[:1]
		l.Variants[0].SKU = "SAME"
		return l
	}
	ids := []string{s.add(same()), s.add(same()), s.add(same())}
	s.imported()
	skus := map[string]string{}
	seen := map[string]bool{}
	plain := 0
	for _, id := range ids {
		sku := s.shop.product(t, id).sent.Variants[0].SKU
		if !strings.HasPrefix(sku, "dw-SAME") || seen[sku] {
			t.Errorf("%s has the SKU %s", id, sku)
		}
		if sku == "dw-SAME" {
			plain++
		}
		skus[id], seen[sku] = sku, true
	}
	if plain != 1 {
		t.Errorf("%d have the SKU without a suffix: %v", plain, skus)
	}
	// Nothing moves them: not a change, not another reading, not the removal of a namesake.
	for _, id := range ids {
		s.setPrice(id, "10.00", "21.00")
	}
	s.imported("--full")
	s.market.Remove(ids[0])
	s.imported("--full")
	s.setPrice(ids[1], "10.00", "22.00")
	s.imported()
	for _, id := range ids {
		if sku := s.shop.product(t, id).sent.Variants[0].SKU; sku != skus[id] {
			t.Errorf("the SKU of %s moved from %s to %s", id, skus[id], sku)
		}
	}
}

func TestAVariantWithoutAPriceIsRefusedAndTheRestIsOnSale(t *testing.T) {
	s := open(t, sandbox.Options{})
	l := lamp(1)
	l.Variants[1].MSRP = ""
	partial := s.add(l)
	l = lamp(2)
	l.Variants[0].MSRP, l.Variants[1].MSRP = "", ""
	none := s.add(l)
	whole := s.add(lamp(3))
	refusing := s.add(lamp(4))
	p, _ := s.market.Publication(refusing)
	s.shop.rules(only(refusing, reply{refused: map[string]string{p.Listing.Variants[0].ID: "red is sold out for ever"}}))
	if sum := s.once(); sum.Exit != 1 || sum.Rejected != 1 || sum.Created != 3 {
		t.Errorf("the run: %+v", sum)
	}
	s.expectState(whole, "live")
	if l := s.expectState(partial, "partial"); l.Error == "" {
		t.Error("nobody is told why it is partial")
	}
	if l := s.expectState(refusing, "partial"); !strings.Contains(l.Error, "red is sold out for ever") {
		t.Errorf("the shop's reason is told as %q", l.Error)
	}
	s.expectState(none, "rejected")
	if sent := s.shop.product(t, partial).sent; len(sent.Variants) != 1 || sent.Variants[0].SKU != "L1-R" {
		t.Errorf("variants in the shop: %+v", sent.Variants)
	}
	for id, want := range map[string]string{whole: "success", partial: "success", refusing: "success", none: "failed"} {
		if got := s.reported(id); !slices.Equal(got, []string{want}) {
			t.Errorf("%s was reported %v, want %s", id, got, want)
		}
	}
	// The cost would do.
	s.set("PRICE_BASE", "cost")
	s.shop.rules(nil)
	s.imported("--full")
	for _, id := range []string{whole, partial, none} {
		s.expectState(id, "live")
	}
}

func TestAShopThatRefusesEveryVariantRejectsTheProduct(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	p, _ := s.market.Publication(id)
	refused := map[string]string{}
	for _, v := range p.Listing.Variants {
		refused[v.ID] = "not in this size"
	}
	s.shop.rules(only(id, reply{refused: refused}))
	if sum := s.once(); sum.Exit != 1 || sum.Rejected != 1 {
		t.Errorf("the run: %+v", sum)
	}
	if l := s.expectState(id, "rejected"); !strings.Contains(l.Error, "not in this size") {
		t.Errorf("the merchant is told %q", l.Error)
	}
	if got := s.reported(id); !slices.Equal(got, []string{"failed"}) {
		t.Errorf("reported %v", got)
	}
}

func TestALargeListingIsReadToItsEnd(t *testing.T) {
	s := open(t, sandbox.Options{QueryLimit: 400, ScalarCost: 1})
	l := lamp(1)
	for i := range 130 {
		v := l.Variants[0]
		v.SKU, v.Options = "BIG-"+string(rune('A'+i/26))+string(rune('A'+i%26)), []sandbox.Option{
			{Name: "Color", Value: string(rune('A'+i/26)) + string(rune('A'+i%26))},
		}
		l.Variants = append(l.Variants, v)
	}
	for range 40 {
		l.Pictures = append(l.Pictures, sandbox.Picture{Colour: "336699", Shape: sandbox.Vase})
	}
	id := s.add(l)
	s.imported()
	s.matches(id)
	if got := s.shop.product(t, id).sent; len(got.Variants) != 132 || len(got.Images) < 3 {
		t.Errorf("%d variants, %d images", len(got.Variants), len(got.Images))
	}
}
