package shopify_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

// lamp is a product without pictures.
func lamp(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := laws.Sample(id, variants)
	p.Images = []string{}
	return p
}

func publish(
	t testing.TB,
	a shopadapter.Adapter,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Ref, shopadapter.Listing) {
	t.Helper()
	ref.Publication = p.ID
	l, err := a.Publish(t.Context(), ref, p, changed)
	if err != nil {
		t.Fatal(err)
	}
	return shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}, l
}

// published is a shop with a lamp of so many variants, on sale.
func published(t testing.TB, variants int) (*fakeShop, *shopify.Adapter, shopadapter.Ref, shopadapter.Product) {
	t.Helper()
	f := newFakeShop(t)
	a, p := f.open(t), lamp("p", variants)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	return f, a, ref, p
}

// fails holds an error to its kind and to words in its message.
func fails(t testing.TB, err error, kind shopadapter.Kind, says string) {
	t.Helper()
	if e := shopadapter.Explain(err); e == nil || e.Kind != kind || e.ShopWide || !strings.Contains(e.Error(), says) {
		t.Errorf("got the error %v, want %s, with %q in it", err, kind, says)
	}
}

// inVirtualTime runs a test that waits for something in the background of the shop.
func inVirtualTime(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// TestRequests shows what a change costs: how many requests, and which.
func TestRequests(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p, second := lamp("p", 3), laws.Sample("second", 100)
	var ref shopadapter.Ref
	for _, step := range []struct {
		name   string
		change func()
		groups shopadapter.Fields
		want   []string
	}{
		{
			"the first of all", func() {}, shopadapter.AllFields,
			[]string{"Shop", "Locales", "Look", "Define", "Look", "Write", "Finish"},
		},
		{"nothing", func() {}, shopadapter.NoFields, []string{"Look"}},
		{"a price", func() { p.Variants[1].Price = "7.00" }, shopadapter.FieldPrice, []string{"Look", "Write"}},
		{"a quantity", func() { p.Variants[1].Quantity = 7 }, shopadapter.FieldStock, []string{"Look", "Write"}},
		{"a title", func() { p.Title = "Desk lamp" }, shopadapter.FieldTitle, []string{"Look", "Write"}},
		{
			"a title and a price", func() { p.Title, p.Variants[0].Price = "Desk lamp 2", "8.00" },
			shopadapter.FieldTitle | shopadapter.FieldPrice,
			[]string{"Look", "Write"},
		},
		{"the title as it is", func() {}, shopadapter.FieldTitle, []string{"Look"}},
		{
			"a category", func() { p.Category = shopadapter.Category{Path: "LAMPS", Name: "Lamps"} }, shopadapter.FieldCategory,
			[]string{"Look", "Write"},
		},
		{
			"pictures", func() { p.Images = []string{laws.Image(1)} }, shopadapter.FieldImages,
			[]string{"Look", "Write", "Media", "Finish"},
		},
		{"no picture", func() { p.Images = nil }, shopadapter.FieldImages, []string{"Look", "Write"}},
	} {
		step.change()
		ref, _ = publish(t, a, ref, p, step.groups)
		if diff := cmp.Diff(step.want, fake.took()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	publish(t, a, shopadapter.Ref{}, second, shopadapter.AllFields)
	if diff := cmp.Diff([]string{"Look", "Write", "Variants", "Media", "Finish"}, fake.took()); diff != "" {
		t.Errorf("100 variants and pictures (-want +got):\n%s", diff)
	}
}

func TestWhatOthersKeepOnTheProductStays(t *testing.T) {
	fake, a, ref, p := published(t, 2)
	fake.products[0].metafields["reviews.rating"] = "4.8"
	fake.products[0].variants[0].metafields["custom.batch"] = "7"
	fake.products[0].tags = append(fake.products[0].tags, "sale")
	for n := range 3 {
		p = laws.Revise(p, n+1)
		p.Images = []string{laws.Image(n)}
		p.Variants[0].Options[0].Value = fmt.Sprint("Red ", n)
		ref, _ = publish(t, a, ref, p, shopadapter.AllFields)
	}
	got := fake.sole(t)
	if got.metafields["reviews.rating"] != "4.8" || got.variants[0].metafields["custom.batch"] != "7" ||
		!slices.Contains(got.tags, "sale") {
		t.Errorf("the product has %v, its first variant %v, tags %v", got.metafields, got.variants[0].metafields, got.tags)
	}
}

func TestALotOfVariants(t *testing.T) {
	for _, n := range []int{100, 201, 900} {
		t.Run(fmt.Sprint(n), inVirtualTime(func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", n)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			if len(l.Variants) != n || len(l.Refused) > 0 {
				t.Fatalf("%d variants, refused %v", len(l.Variants), l.Refused)
			}
			if l.ShopIDs()[p.Variants[n-1].ID] == l.ShopIDs()[p.Variants[0].ID] {
				t.Error("two variants have one id")
			}
			p.Variants = slices.Delete(p.Variants, 3, 4)
			p.Variants[n-2].Price = "3.33"
			_, again := publish(t, a, ref, p, shopadapter.FieldVariants|shopadapter.FieldPrice)
			for id, shopID := range again.ShopIDs() {
				if l.ShopIDs()[id] != shopID {
					t.Fatalf("variant %s was %s and is %s", id, l.ShopIDs()[id], shopID)
				}
			}
			got := fake.sole(t)
			if len(got.variants) != n-1 || got.variants[n-2].price != "3.33" || !got.onSale() {
				t.Errorf("%d variants, the last at %s", len(got.variants), got.variants[len(got.variants)-1].price)
			}
		}))
	}
	fake := newFakeShop(t)
	p := lamp("p", 901)
	_, err := fake.open(t).Publish(t.Context(), shopadapter.Ref{Publication: "p"}, p, shopadapter.AllFields)
	fails(t, err, shopadapter.Rejected, "900")
}

// TestDescription passes on all HTML that the caller has sanitised, and takes no tidying by the
// shop for an edit.
func TestDescription(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Description = "<p>5 &lt; 6 &amp; {{ 'x' | upcase }} [shortcode]</p>\n" +
		"<table><tr><td>ü 日本</td></tr></table><a href=\"https://x.example/?a=1&amp;b=2\">x</a>"
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := fake.sole(t).description; got != p.Description {
		t.Errorf("the description is %q", got)
	}

	fake.rewrite = tidy
	p.Description = "<p><strong>New</strong></p>"
	ref, _ = publish(t, a, ref, p, shopadapter.FieldDescription)
	fake.took()
	ref, l := publish(t, a, ref, p, shopadapter.FieldDescription)
	if calls := fake.took(); l.Kept != 0 || len(calls) != 1 {
		t.Errorf("what the shop had tidied: kept %s, calls %v", l.Kept, calls)
	}
	fake.products[0].description = "<p><u>New</u></p>" // the merchant's, in other markup alone
	p.Description = "<p>Newer</p>"
	if _, l = publish(t, a, ref, p, shopadapter.FieldDescription); l.Kept != shopadapter.FieldDescription {
		t.Errorf("an edit of markup: kept %s", l.Kept)
	}
}

func TestTitlesAreCut(t *testing.T) {
	fake := newFakeShop(t)
	p := lamp("p", 1)
	p.Title = strings.Repeat("long lamp ", 40)
	a := fake.open(t)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	got := fake.sole(t).title
	if n := len([]rune(got)); n > 255 || !strings.HasSuffix(got, "lamp…") {
		t.Errorf("the title has %d characters: %q", n, got)
	}
	fake.took()
	if _, l := publish(t, a, ref, p, shopadapter.FieldTitle); l.Kept != 0 || len(fake.took()) != 1 {
		t.Errorf("published again: kept %s", l.Kept)
	}
}

// TestTakenOffTheChannelByHand is hidden by hand, as a draft is.
func TestTakenOffTheChannelByHand(t *testing.T) {
	fake, a, ref, p := published(t, 1)
	for name, hide := range map[string]func(){
		"off the channel": func() { fake.products[0].published = map[string]bool{} },
		"archived":        func() { fake.products[0].status = "ARCHIVED" },
	} {
		hide()
		left := ref
		left.OnSale = true
		for _, p := range []shopadapter.Product{p, p.OnlyFigures()} {
			fake.took()
			_, err := a.Publish(t.Context(), left, p, shopadapter.FieldPrice)
			if !errors.Is(err, shopadapter.ErrHidden) || len(fake.took()) != 1 || fake.sole(t).onSale() {
				t.Errorf("%s: the error is %v, on sale %t", name, err, fake.sole(t).onSale())
			}
		}
		if publish(t, a, ref, p, shopadapter.NoFields); !fake.sole(t).onSale() {
			t.Errorf("%s: asked for it, it is not on sale", name)
		}
	}
}

func TestTheDefinitionIsDeletedMeanwhile(t *testing.T) {
	fake, a, ref, p := published(t, 1)
	fake.defined = ""
	if _, l := publish(t, a, ref, p, shopadapter.AllFields); l.ID != ref.Listing {
		t.Errorf("the listing is %s, it was %s", l.ID, ref.Listing)
	}
	fake.defined = ""
	a = fake.open(t)
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil || fake.sole(t).onSale() {
		t.Errorf("unpublish: %v, on sale %t", err, fake.sole(t).onSale())
	}
	fake.defined = "single_line_text_field"
	a = fake.open(t)
	_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
		!strings.Contains(e.Message, "another type than id") {
		t.Errorf("a definition of another type: %v", err)
	}
}

// TestDeletedWhileItIsWritten makes sure that no product without a text is made.
func TestDeletedWhileItIsWritten(t *testing.T) {
	fake, a, ref, p := published(t, 1)
	fake.answer = forOperation("Write", func(string) *http.Response { fake.products = nil; return nil })
	_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldPrice)
	fails(t, err, shopadapter.Transient, "")
	if len(fake.products) > 0 {
		t.Errorf("a product %+v was made", fake.products[0])
	}
	if _, err = a.Publish(t.Context(), ref, p, shopadapter.FieldPrice); !errors.Is(err, shopadapter.ErrGone) {
		t.Errorf("then the error is %v", err)
	}
}
