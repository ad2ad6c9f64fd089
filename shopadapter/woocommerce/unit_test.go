package woocommerce

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

func TestSettings(t *testing.T) {
	good := map[string]string{"URL": "https://shop.example.com", "KEY": "ck_x", "SECRET": "cs_x"}
	for _, tt := range []struct {
		name  string
		pairs []string
		want  string // of the error, "" for none
	}{
		{"the least", nil, ""},
		{"all", []string{"ADOPT", "sku", "CATEGORIES", "A_B=Garden/Tools; C=Other"}, ""},
		{"no key", []string{"KEY", ""}, "PUBSYNC_WOOCOMMERCE_KEY: is required"},
		{"a key with a space", []string{"KEY", "ck x"}, "PUBSYNC_WOOCOMMERCE_KEY: must"},
		{"no address", []string{"URL", "shop.example.com"}, "PUBSYNC_WOOCOMMERCE_URL: must"},
		{"an address with credentials", []string{"URL", "https://a:b@shop.example.com"}, "user name"},
		{"an address with a query", []string{"URL", "https://shop.example.com/?rest_route=/"}, "query"},
		{"a mapping without a target", []string{"CATEGORIES", "A"}, "PUBSYNC_WOOCOMMERCE_CATEGORIES: must"},
		{"another adoption", []string{"ADOPT", "yes"}, "PUBSYNC_WOOCOMMERCE_ADOPT: must"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := map[string]string{}
			for name, value := range good {
				set[name] = value
			}
			for i := 0; i+1 < len(tt.pairs); i += 2 {
				set[tt.pairs[i]] = tt.pairs[i+1]
			}
			a, err := shopadapter.Open(Name, shopadapter.Options{Settings: set})
			if tt.want == "" && (err != nil || a == nil) ||
				tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got the error %v, want %q", err, tt.want)
			}
		})
	}
}

// SKUs of any kind are found again over plain http, where the address is part of what is signed.
func TestOddSKUsOverHTTP(t *testing.T) {
	for _, sku := range []string{"50% off", "a%41b", "a  b", "100%", "ü/1, a", "a+b c", "A,B", `"q'`, "日本"} {
		f := newFakeShop(t)
		f.Base = "http://shop.example.com"
		a := f.connect(t, quickly(), nil)
		p := sample("odd", 1)
		p.Variants[0].SKU = sku
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		found, err := a.lookUp(t.Context(), []string{cleanSKU(sku)}, "")
		if err != nil || len(found) != 1 || shopadapter.ListingID(idText(found[0].ID)) != ref.Listing {
			t.Errorf("%q: found %v, %v, want %s", sku, found, err, ref.Listing)
		}
	}
}

// in is a category in a branch of these names.
func in(path string, names ...string) shopadapter.Category {
	c := shopadapter.Category{Path: path, Name: "of no shop"}
	for i, name := range names[:len(names)-1] {
		c.Branch = append(c.Branch, shopadapter.Level{Path: fmt.Sprint("ABOVE_", i+1), Name: name})
	}
	c.Branch = append(c.Branch, shopadapter.Level{Path: path, Name: names[len(names)-1]})
	return c
}

// A product without a category is uncategorized, also by the shop's word; a category deleted since
// it was looked up makes no false edit.
func TestCategoryVanishes(t *testing.T) {
	f, a := opened(t)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := sample("before", 1)
	must(t, a, refOf(before), before, shopadapter.AllFields)       // the list is known
	f.Categories = append(f.Categories[:2:2], f.Categories[3:]...) // Lighting
	p := sample("uncategorized", 1)
	if _, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields); err == nil {
		t.Error("the category was deleted meanwhile, want an error of time")
	}
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	if s := f.seen(t, p.ID); s.Category != "Lighting" {
		t.Fatalf("category %q, want Lighting, made anew", s.Category)
	}
	p.Category = shopadapter.Category{Path: "HOME_AND_GARDEN_TEXTILES", Name: "Textiles"}
	if _, l := must(t, a, ref, p, shopadapter.FieldCategory); l.Kept != 0 || f.seen(t, p.ID).Category != "Textiles" {
		t.Errorf("kept %s, category %q, want none and Textiles", l.Kept, f.seen(t, p.ID).Category)
	}
}
