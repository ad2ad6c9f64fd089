package shopify_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// restock writes p's figures.
func restock(
	t testing.TB,
	a *shopify.Adapter,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), changed)
	if err != nil {
		t.Fatal(err)
	}
	if l.ID != ref.Listing || string(l.State) != string(ref.State) || l.URL == "" ||
		len(l.Variants) != len(p.Variants) || len(l.Refused) > 0 || l.Kept != 0 {
		t.Errorf("the listing is %+v", l)
	}
	return l
}

// TestRequestsOfARestock shows what it costs, and that it sends figures alone.
func TestRequestsOfARestock(t *testing.T) {
	for _, tc := range []struct {
		variants int
		changed  shopadapter.Fields
		want     []string
	}{
		{3, figures, []string{"Figures", "Write"}},
		{3, shopadapter.FieldStock | shopadapter.FieldTitle, []string{"Figures", "Write"}},
		{3, shopadapter.NoFields, []string{"Figures"}},
		{3, shopadapter.FieldTitle, []string{"Figures"}},
		{150, figures, []string{"Figures", "Write"}},
		{250, figures, []string{"Figures", "Variants", "Write", "Operation", "Operation"}},
	} {
		t.Run(fmt.Sprint(tc.variants, " ", tc.changed), inVirtualTime(func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", tc.variants)
			p.Images = pictures(1, 2)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			before := fake.sole(t)
			fake.took()
			last := &p.Variants[tc.variants-1]
			if tc.changed.Has(shopadapter.FieldPrice) {
				last.Price = "3.33"
			}
			if tc.changed.Has(shopadapter.FieldStock) {
				last.Quantity, last.Backorders = 333, true
			}
			now := restock(t, a, ref, p, tc.changed)
			if diff := cmp.Diff(tc.want, fake.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(l.Variants, now.Variants); diff != "" {
				t.Errorf("the ids (-before +after):\n%s", diff)
			}
			after := fake.sole(t)
			if v := after.variants[tc.variants-1]; v.price != last.Price || v.levels[locationID] != last.Quantity ||
				(v.policy == "CONTINUE") != last.Backorders {
				t.Errorf("the variant is %+v", v)
			}
			after.variants, before.variants = nil, nil
			if diff := cmp.Diff(fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", after)); diff != "" {
				t.Errorf("the rest of the product (-before +after):\n%s", diff)
			}
		}))
	}
}

// TestARestockCostsFewerPoints than a Publish of the same figures.
func TestARestockCostsFewerPoints(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 8)
	p.Images = pictures(1, 2, 3, 4)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	spent := func(call func()) float64 {
		before := fake.spent
		call()
		return fake.spent - before
	}
	whole := spent(func() { publish(t, a, ref, p, figures) })
	alone := spent(func() { restock(t, a, ref, p, figures) })
	t.Logf("a publish of figures costs %g points, a restock %g", whole, alone)
	if alone >= whole {
		t.Errorf("a restock costs %g points, a publish %g", alone, whole)
	}
}

// TestARestockLeavesWhatIsTheMerchants alone: variants, metafields and tags. The next Publish tells
// an edit as it would have before.
func TestARestockLeavesWhatIsTheMerchants(t *testing.T) {
	fake, a, ref, p := published(t, 3)
	held := fake.products[0]
	hand := ofTheMerchants()
	held.variants = slices.Insert(held.variants, 1, hand)
	held.variants[0].metafields["custom.batch"] = "7"
	held.metafields["reviews.rating"] = "4.8"
	held.tags = append(held.tags, "sale")
	held.options[0] = "Kleur"
	held.description = strings.ReplaceAll(held.description, "<p>", "<p class=\"mine\">") // in markup alone
	mine := held.description

	p.Variants[2].Price, p.Variants[2].Quantity = "77.00", 7
	ref.State = restock(t, a, ref, p, figures).State
	got := fake.sole(t)
	if len(got.variants) != 4 || fmt.Sprintf("%+v", *got.variants[1]) != fmt.Sprintf("%+v", *hand) {
		t.Errorf("the variants are %v, the second %+v", shown(got), got.variants[1])
	}
	if v := got.variants[3]; v.price != "77.00" || v.levels[locationID] != 7 || v.sku != p.Variants[2].SKU {
		t.Errorf("the last variant is %+v", v)
	}
	if got.variants[0].metafields["custom.batch"] != "7" || got.metafields["reviews.rating"] != "4.8" ||
		!slices.Contains(got.tags, "sale") || got.options[0] != "Kleur" || got.description != mine {
		t.Errorf("the product is %+v", got)
	}
	p.Description = "<p>Newer</p>"
	if _, l := publish(t, a, ref, p, shopadapter.FieldDescription); l.Kept != shopadapter.FieldDescription ||
		fake.sole(t).description != mine {
		t.Errorf("the next publish keeps %s", l.Kept)
	}
}

// TestARestockThatNeedsTheWholeProduct writes nothing, and Publish does what is to be done.
func TestARestockThatNeedsTheWholeProduct(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(*fakeProduct, *shopadapter.Ref, *shopadapter.Product)
		left   int // variants on sale after the Publish, if not three
	}{
		{name: "a variant lost its mark", before: func(held *fakeProduct, _ *shopadapter.Ref, _ *shopadapter.Product) {
			held.variants[1].metafields = map[string]string{}
		}},
		{name: "another variant's mark", before: func(held *fakeProduct, _ *shopadapter.Ref, p *shopadapter.Product) {
			held.variants[1].metafields = map[string]string{"pubsync.variant": p.Variants[0].ID}
		}},
		{name: "the stamp was damaged", before: func(held *fakeProduct, _ *shopadapter.Ref, _ *shopadapter.Product) {
			held.metafields["pubsync.stamp"] = "{"
		}},
		{
			name:   "the state is lost",
			before: func(_ *fakeProduct, ref *shopadapter.Ref, _ *shopadapter.Product) { ref.State = nil },
		},
		{name: "another stamp's state", before: func(_ *fakeProduct, ref *shopadapter.Ref, _ *shopadapter.Product) {
			ref.State = []byte("0123456789abcdef")
		}},
		{
			name:   "it is not on sale, and is to be",
			before: func(held *fakeProduct, _ *shopadapter.Ref, _ *shopadapter.Product) { held.status = "DRAFT" },
		},
		{
			name: "a variant without a price", left: 2,
			before: func(_ *fakeProduct, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[2].Price = "" },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake, a, ref, p := published(t, 3)
			p.Variants[0].Price, p.Variants[0].Quantity = "77.00", 7
			tc.before(fake.products[0], &ref, &p)
			fake.took()
			l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
			if calls := fake.took(); !errors.Is(err, shopadapter.ErrWhole) || l.ID != "" ||
				!slices.Equal(calls, []string{"Figures"}) {
				t.Errorf("the error is %v, the listing %+v, after %v", err, l, calls)
			}
			if tc.left == 0 {
				tc.left = 3
			}
			publish(t, a, ref, p, shopadapter.AllFields)
			got := fake.sole(t)
			if !got.onSale() || len(got.variants) != tc.left || !slices.ContainsFunc(got.variants, func(v *fakeVariant) bool {
				return v.price == "77.00" && v.levels[locationID] == 7
			}) {
				t.Errorf("then on sale %t, variants %v", got.onSale(), shown(got))
			}
		})
	}
}

// TestARestockOfUnmarkedVariants needs the whole product: without marks they are known by their
// choice alone.
func TestARestockOfUnmarkedVariants(t *testing.T) {
	inVirtualTime(func(t *testing.T) {
		fake, a, ref, p := published(t, 1200)
		fake.took()
		_, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
		if calls := fake.took(); !errors.Is(err, shopadapter.ErrWhole) || slices.Contains(calls, "Write") {
			t.Errorf("the error is %v, after %v", err, calls)
		}
	})(t)
}

// TestAVariantThatTheShopRefusesOfARestock stays as it was until Publish leaves it out.
func TestAVariantThatTheShopRefusesOfARestock(t *testing.T) {
	fake, a, ref, p := published(t, 3)
	fake.refuseOnce(1)
	fake.took()
	_, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
	if calls := fake.took(); !errors.Is(err, shopadapter.ErrWhole) ||
		!slices.Equal(calls, []string{"Figures", "Write"}) || len(fake.sole(t).variants) != 3 {
		t.Errorf("the error is %v, after %v, variants %v", err, calls, shown(fake.sole(t)))
	}
}

// TestErrorsOfARestock are those of a Publish.
func TestErrorsOfARestock(t *testing.T) {
	gone := func(fake *fakeShop) func(string) *http.Response {
		return forOperation("Write", func(string) *http.Response { fake.products = nil; return nil })
	}
	for _, tc := range []struct {
		name   string
		before func(*fakeShop)
		kind   shopadapter.Kind
		says   string
	}{
		{
			"the stock is elsewhere", func(fake *fakeShop) { fake.products[0].variants[0].levels = map[string]int{} },
			shopadapter.Blocked, "LOCATION",
		},
		{
			"deleted between reading and writing", func(fake *fakeShop) { fake.answer = gone(fake) }, shopadapter.Transient,
			"changed meanwhile",
		},
		{"the definition is deleted", func(fake *fakeShop) { fake.defined = "" }, shopadapter.Transient, "definition"},
		{"the answer is empty", func(fake *fakeShop) {
			fake.answer = forOperation("Write", body(`{"data":{"set":null}}`))
		}, shopadapter.Transient, "lacks the product"},
		{"the answer holds no product", func(fake *fakeShop) {
			fake.answer = forOperation("Write", body(`{"data":{"set":{"userErrors":[]}}}`))
		}, shopadapter.Transient, "lacks the product"},
		{"the token is revoked", func(fake *fakeShop) { fake.setToken("revoked") }, shopadapter.Blocked, "TOKEN"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake, a, ref, p := published(t, 2)
			tc.before(fake)
			l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
			e := shopadapter.Explain(err)
			if e == nil || errors.Is(err, shopadapter.ErrWhole) || e.Kind != tc.kind ||
				!strings.Contains(err.Error(), tc.says) {
				t.Errorf("the error is %v", err)
			}
			if l.ID != "" && string(l.State) != string(ref.State) {
				t.Errorf("the state was %q and is %q", ref.State, l.State)
			}
			fake.took()
			_, published := a.Publish(t.Context(), ref, p, figures)
			if e := shopadapter.Explain(published); tc.kind == shopadapter.Blocked &&
				(e == nil || e.Message != shopadapter.Explain(err).Message) {
				t.Errorf("of a publish it is %v, of a restock %v", published, err)
			}
			if tc.says == "LOCATION" && !slices.Contains(fake.took(), "Shop") {
				t.Error("the locations are not read again")
			}
			if len(fake.products) > 1 {
				t.Errorf("the shop has %d products", len(fake.products))
			}
		})
	}
}

// TestARestockThatTimesOut leaves the state as it was: the next call finds what it wrote, and still
// knows an edit of markup alone.
func TestARestockThatTimesOut(t *testing.T) {
	for _, operation := range []string{"Figures", "Variants", "Write", "Operation"} {
		t.Run(operation, inVirtualTime(func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.openPatient(t)
			p := lamp("p", 201)
			ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			held := fake.products[0]
			held.description = strings.ReplaceAll(held.description, "<p>", "<p class=\"mine\">")
			fake.latency = func(name string, _ int) time.Duration {
				if name == operation {
					return time.Minute
				}
				return time.Millisecond
			}
			p = laws.Revise(p, 1)
			l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures)
			fails(t, err, shopadapter.Transient, "")
			wrote := operation == "Write" || operation == "Operation"
			if got := fake.sole(t).variants[0].price; (l.ID != "") != wrote || wrote && string(l.State) != string(ref.State) ||
				(got == p.Variants[0].Price) != wrote {
				t.Errorf("the listing is %s with the state %q, the price %s", l.ID, l.State, got)
			}
			fake.latency = nil
			if l.ID != "" {
				ref.State = l.State
			}
			_, l = publish(t, a, ref, p, shopadapter.AllFields)
			got := fake.sole(t)
			if l.Kept != shopadapter.FieldDescription || len(got.variants) != 201 ||
				got.variants[200].price != p.Variants[200].Price || !got.onSale() {
				t.Errorf(
					"published: kept %s, %d variants, the last at %s, on sale %t", l.Kept, len(got.variants),
					got.variants[len(got.variants)-1].price, got.onSale(),
				)
			}
		}))
	}
}
