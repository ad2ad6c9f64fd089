package vendure_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// observe is what an observation tells, by publication.
func observe(
	t testing.TB, a shopadapter.Adapter, what shopadapter.Query,
) map[shopadapter.PublicationID]shopadapter.Listed {
	t.Helper()
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for o, err := range a.List(t.Context(), what) {
		if err != nil {
			t.Fatal(err)
		}
		all[o.Ref.Publication] = o
	}
	return all
}

// What somebody does by hand is observed, and nothing else.
func TestWhatIsDoneByHandIsObserved(t *testing.T) {
	type (
		office = *vendureserver.Backoffice
		id     = shopadapter.ListingID
		seen   = shopadapter.Listed
	)
	variant := func(fields map[string]any) func(context.Context, office, id, string) error {
		return func(ctx context.Context, o office, _ id, v string) error { return o.UpdateVariant(ctx, v, fields) }
	}
	for _, row := range []struct {
		name string
		hand func(ctx context.Context, o office, listing id, variant string) error
		want func(*seen)
	}{
		{"a price", variant(map[string]any{"price": 500}), func(o *seen) { o.Variants[0].Price = "5.00" }},
		{"a quantity", variant(map[string]any{"stockOnHand": 999}), func(o *seen) { o.Variants[0].Quantity = 999 }},
		{"a switch", variant(map[string]any{"enabled": false}), func(o *seen) { o.Variants[0].OnSale = false }},
		{
			"counting is off", variant(map[string]any{"trackInventory": "FALSE"}),
			func(o *seen) { o.Variants[0].Uncounted = true },
		},
		{
			"counting as the shop has it", variant(map[string]any{"trackInventory": "INHERIT"}),
			func(o *seen) { o.Variants[0].Uncounted = true },
		},
		{
			"below zero", variant(map[string]any{"outOfStockThreshold": -3}),
			func(o *seen) { o.Variants[0].Backorders = true },
		},
		{
			"below zero as the shop has it", variant(map[string]any{"useGlobalOutOfStockThreshold": true}),
			func(o *seen) { o.Variants[0].Backorders = true },
		},
		{"a variant is deleted", func(ctx context.Context, o office, l id, v string) error {
			return o.RemoveVariant(ctx, l, laws.SeenVariant{ShopID: v})
		}, func(o *seen) { o.Variants = o.Variants[1:] }},
		{"a title", func(ctx context.Context, o office, l id, _ string) error {
			return o.Edit(ctx, l, shopadapter.FieldTitle)
		}, func(o *seen) { o.Edited = shopadapter.FieldTitle }},
		{"a name in another language", func(ctx context.Context, o office, l id, _ string) error {
			row := map[string]any{"languageCode": "nl", "name": "Mijn eigen lamp"}
			return o.Update(ctx, l, map[string]any{"translations": []any{row}})
		}, func(o *seen) { o.Edited = shopadapter.FieldDescription }},
		{"a language of the merchant's own", func(ctx context.Context, o office, l id, _ string) error {
			row := map[string]any{"languageCode": "de", "name": "Lampe", "slug": "lampe", "description": ""}
			return o.Update(ctx, l, map[string]any{"translations": []any{row}})
		}, func(*seen) {}},
		{"a category", func(ctx context.Context, o office, l id, _ string) error {
			return o.Edit(ctx, l, shopadapter.FieldCategory)
		}, func(o *seen) { o.Edited = shopadapter.FieldCategory }},
		{"a picture is taken off", func(ctx context.Context, o office, l id, _ string) error {
			return o.Edit(ctx, l, shopadapter.FieldImages)
		}, func(o *seen) { o.Images, o.Edited = 1, shopadapter.FieldImages }},
		{"a picture is lost", func(ctx context.Context, o office, l id, _ string) error {
			return o.LosePicture(ctx, l, 0)
		}, func(o *seen) { o.Images = 1 }},
		{"one is lost, one is taken off", func(ctx context.Context, o office, l id, _ string) error {
			if err := o.LosePicture(ctx, l, 0); err != nil {
				return err
			}
			return o.Update(ctx, l, map[string]any{"assetIds": []string{}, "featuredAssetId": nil})
		}, func(o *seen) { o.Images, o.Edited = 0, shopadapter.FieldImages }},
		{"out of sale", func(ctx context.Context, o office, l id, _ string) error {
			return o.Hide(ctx, l)
		}, func(o *seen) { o.OnSale = false }},
	} {
		t.Run(row.name, func(t *testing.T) {
			fake, host := newFakeShop(t), newGallery(t)
			fake.global = object{"trackInventory": false, "outOfStockThreshold": -1}
			fake.shed = true
			a := fake.open(t)
			for _, id := range []shopadapter.PublicationID{"p", "other"} {
				p := lamp(id, 3)
				p.Images = []string{host.URL + "/good/1" + string(id), host.URL + "/good/2" + string(id)}
				p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p>Een lamp.</p>"}
				publish(t, a, p, shopadapter.AllFields)
			}
			want := observe(t, a, shopadapter.Query{})
			o := want["p"]
			if err := row.hand(t.Context(), fake.office(), o.Ref.Listing, o.Variants[0].ShopID); err != nil {
				t.Fatal(err)
			}
			row.want(&o)
			want["p"] = o
			got := observe(t, a, shopadapter.Query{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
			some := observe(
				t,
				a,
				shopadapter.Query{Refs: []shopadapter.Ref{{Publication: "p"}, {Publication: "x"}}},
			)
			if diff := cmp.Diff(map[shopadapter.PublicationID]shopadapter.Listed{"p": o}, some); diff != "" {
				t.Errorf("observed by its ref (-want +got):\n%s", diff)
			}
		})
	}
}

// A picture that the library has lost comes again with the next write of the pictures. One that was
// taken off the product does not.
func TestALostPictureComesAgain(t *testing.T) {
	fake, host := newFakeShop(t), newGallery(t)
	a, p := fake.open(t), lamp("p", 1)
	p.Images = []string{host.URL + "/good/1", host.URL + "/good/2"}
	l := publish(t, a, p, shopadapter.AllFields)
	if err := fake.office().LosePicture(t.Context(), l.ID, 1); err != nil {
		t.Fatal(err)
	}
	if again := publish(t, a, p, shopadapter.FieldImages); again.Kept != shopadapter.NoFields {
		t.Errorf("lost: kept is %s, want none", again.Kept)
	}
	if got := len(only(t, fake).Assets); got != 2 {
		t.Errorf("lost: %d pictures are shown, want 2", got)
	}
	if err := fake.office().Edit(t.Context(), l.ID, shopadapter.FieldImages); err != nil {
		t.Fatal(err)
	}
	if again := publish(t, a, p, shopadapter.FieldImages); again.Kept != shopadapter.FieldImages {
		t.Errorf("taken off: kept is %s, want images", again.Kept)
	}
}

// The name that belongs to the title is that of the product's own language, and not that of the
// channel's.
func TestTheTitleIsThatOfTheProductsLanguage(t *testing.T) {
	fake := newFakeShop(t)
	a, p := fake.open(t), lamp("p", 1)
	p.Language, p.Title, p.Description = "nl", "Lamp", "<p>Een lamp.</p>"
	p.Translations["en"] = shopadapter.Translation{Title: "A lamp", Description: "<p>A lamp.</p>"}
	l := publish(t, a, p, shopadapter.AllFields)
	for _, row := range []struct {
		language string
		want     shopadapter.Fields
	}{{"en", shopadapter.FieldDescription}, {"nl", shopadapter.FieldDescription | shopadapter.FieldTitle}} {
		text := map[string]any{"languageCode": row.language, "name": "Mine"}
		if err := fake.office().Update(t.Context(), l.ID, map[string]any{"translations": []any{text}}); err != nil {
			t.Fatal(err)
		}
		if got := observe(t, a, shopadapter.Query{})["p"].Edited; got != row.want {
			t.Errorf("with the name in %s: edited is %s, want %s", row.language, got, row.want)
		}
	}
}

// Of a price without tax the one with it is told, that was written or one that is entered alike.
func TestNetPricesAreObserved(t *testing.T) {
	fake := newFakeShop(t)
	fake.channel["pricesIncludeTax"], fake.vat = false, "21"
	a, p := fake.open(t), lamp("p", 3)
	p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "24.20", "20.02", "19.95"
	publish(t, a, p, shopadapter.AllFields)
	is, err := a.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"24.20", "20.03", "19.95"} {
		o := observe(t, a, shopadapter.Query{})["p"]
		got := o.Variants[i].Price
		if got != want {
			t.Errorf("of %s is told %s, want %s", p.Variants[i].Price, got, want)
		}
		if !is.Prices.Alike(got, p.Variants[i].Price) {
			t.Errorf("%s is not alike %s", got, p.Variants[i].Price)
		}
	}
}

// crowded is a shop with 1,000 products of three variants.
func crowded(t testing.TB) (*fakeShop, *vendure.Adapter) {
	t.Helper()
	fake := newFakeShop(t)
	a := fake.open(t)
	for i := range 1000 {
		id := shopadapter.PublicationID(fmt.Sprint("p", i))
		p := &fakeProduct{id: fake.id(), shop: fake, pubsyncID: string(id), stamp: fmt.Sprintf(`{"v":1,"id":"%s"}`, id)}
		for range 3 {
			p.variants = append(p.variants, &fakeVariant{id: fake.id(), product: p.id})
		}
		fake.products = append(fake.products, p)
	}
	return fake, a
}

// A thousand products take ten requests and some more: pages overlap.
func TestObserveTakesFewRequests(t *testing.T) {
	fake, a := crowded(t)
	if got := len(observe(t, a, shopadapter.Query{})); got != 1000 {
		t.Errorf("%d are observed, want 1000", got)
	}
	if got := len(fake.took()); got > 16 {
		t.Errorf("it took %d requests, want 16 at most", got)
	}
}

// A page that is larger than the adapter accepts is read in parts.
func TestObserveLargeProducts(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	for i := range 120 {
		id := shopadapter.PublicationID(fmt.Sprint("p", i))
		p := &fakeProduct{id: fake.id(), shop: fake, pubsyncID: string(id), stamp: fmt.Sprintf(`{"v":1,"id":"%s"}`, id)}
		for range 100 {
			p.variants = append(p.variants, &fakeVariant{id: fake.id(), product: p.id})
		}
		fake.products = append(fake.products, p)
	}
	if got := len(observe(t, a, shopadapter.Query{})); got != 120 {
		t.Errorf("%d are observed, want 120", got)
	}
}

// An observation that the shop breaks off ends with one error.
func TestObserveEnds(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	publish(t, a, lamp("p", 1), shopadapter.AllFields)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs []error
	for _, err := range a.List(ctx, shopadapter.Query{}) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("the errors are %v, want one: %v", errs, context.Canceled)
	}
}
