package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/shopadapter"
)

func TestPublishMakesRecordAndPage(t *testing.T) {
	c := newShop(t, t.TempDir()+"/deep/shop")
	p := bench("pub/1")
	before := bench("pub/1")
	listing := put(t, c, p)
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("the caller's product (-want +got):\n%s", diff)
	}
	name := fileName("pub/1")
	want := shopadapter.Listing{
		ID: shopadapter.ListingID(name), URL: address + "/products/" + name + ".html",
		Variants: shopadapter.Made(map[string]string{
			"v1": anchor("v1"),
			"v2": anchor("v2"),
			"v3": anchor("v3"),
		}), Refused: map[string]string{},
	}
	if diff := cmp.Diff(want, listing); diff != "" {
		t.Errorf("listing (-want +got):\n%s", diff)
	}
	r := readRecord(t, c, "pub/1")
	for i := range before.Variants {
		before.Variants[i].Cost = ""
	}
	before.Shipping[0].FixedCosts, before.Shipping[0].VariableCosts = "", ""
	if diff := cmp.Diff(before, r.Product); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if !r.Stamp.OnSale || r.Stamp.Publication != "pub/1" || len(r.Stamp.Written) != 4 {
		t.Errorf("stamp: got %+v, want that of the publication", r.Stamp)
	}
	page := readFile(t, c, pagePath(name))
	mustContain(
		t,
		"page",
		page,
		`<h1 lang="en">Oak bench &amp; table</h1>`,
		"99.95",
		"1139.50",
		"<strong>twice</strong>",
		anchor("v2"),
		"https://img.example.com/2.jpg?w=800&amp;h=800",
		"Only 4 left",
		"Sold out",
		"In stock",
		"3 days",
		`<html lang="en">`,
		`<details lang="nl">`,
	)
	for path, content := range files(t, c) {
		mustLack(t, path, content, "71.55", "64.44", "80.77") // no time of day has such seconds
	}
}

func TestPublishUnchangedWritesNothing(t *testing.T) {
	rows := []struct {
		name    string
		changed shopadapter.Fields
		change  func(*shopadapter.Product)
		touch   func(t *testing.T, c *catalog)
	}{
		{"the same", shopadapter.AllFields, nil, nil},
		{"the same, nothing said to be changed", shopadapter.NoFields, nil, nil},
		{
			"only the marketplace's date moved",
			shopadapter.AllFields,
			func(p *shopadapter.Product) { p.UpdatedAt = "2027-01-01T00:00:00Z" },
			nil,
		},
		{
			"only what the retailer pays moved",
			shopadapter.AllFields,
			func(p *shopadapter.Product) { p.Variants[0].Cost = "1.00" },
			nil,
		},
		{
			"another price that is not said to be changed",
			shopadapter.FieldStock,
			func(p *shopadapter.Product) { p.Variants[0].Price = "1.00" },
			nil,
		},
		{"the merchant laid the file out anew", shopadapter.AllFields, nil, func(t *testing.T, c *catalog) {
			edit(t, c, "a", func(map[string]any) {})
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			p := bench("a")
			put(t, c, p)
			if row.touch != nil {
				row.touch(t, c)
			}
			path := []string{c.folder.abs(recordPath(fileName("a"))), c.folder.abs(pagePath(fileName("a")))}
			old := time.Now().Add(-time.Hour).Truncate(time.Second)
			for _, path := range path {
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
			if row.change != nil {
				row.change(&p)
			}
			putRef(t, c, shopadapter.Ref{Publication: "a"}, p, row.changed)
			for _, path := range path {
				if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
					t.Errorf("%s: got it written again (%v), want it left alone", path, err)
				}
			}
		})
	}
}

func TestPublishWritesOnlyWhatChanged(t *testing.T) {
	rows := []struct {
		changed shopadapter.Fields
		want    func(r *shopadapter.Product, from shopadapter.Product)
	}{
		{shopadapter.NoFields, func(*shopadapter.Product, shopadapter.Product) {}},
		{shopadapter.FieldTitle, func(r *shopadapter.Product, from shopadapter.Product) {
			r.Title, r.Language = from.Title, from.Language
		}},
		{shopadapter.FieldDescription, func(r *shopadapter.Product, from shopadapter.Product) {
			r.Description, r.Translations, r.Language = from.Description, from.Translations, from.Language
		}},
		{shopadapter.FieldImages, func(r *shopadapter.Product, from shopadapter.Product) { r.Images = from.Images }},
		{
			shopadapter.FieldCategory,
			func(r *shopadapter.Product, from shopadapter.Product) { r.Category = from.Category },
		},
		{shopadapter.FieldVariants, func(r *shopadapter.Product, from shopadapter.Product) {
			r.Options = from.Options
			for i := range r.Variants {
				r.Variants[i].SKU, r.Variants[i].EAN = from.Variants[i].SKU, from.Variants[i].EAN
				r.Variants[i].Title, r.Variants[i].Options = from.Variants[i].Title, from.Variants[i].Options
			}
		}},
		{shopadapter.FieldPrice, func(r *shopadapter.Product, from shopadapter.Product) {
			for i := range r.Variants {
				r.Variants[i].Price, r.Variants[i].MSRP = from.Variants[i].Price, from.Variants[i].MSRP
			}
		}},
		{shopadapter.FieldStock, func(r *shopadapter.Product, from shopadapter.Product) {
			for i := range r.Variants {
				r.Variants[i].Quantity, r.Variants[i].Backorders = from.Variants[i].Quantity, from.Variants[i].Backorders
			}
		}},
		{shopadapter.FieldShipping, func(r *shopadapter.Product, from shopadapter.Product) {
			r.Shipping, r.Returns = []shopadapter.Shipping{{CountryGroup: "EU", EstimatedDays: "9"}}, from.Returns
		}},
	}
	for _, row := range rows {
		t.Run(row.changed.String(), func(t *testing.T) {
			c := newShop(t, t.TempDir())
			put(t, c, bench("a"))
			want := readRecord(t, c, "a").Product
			next := bench("a")
			next.Language, next.Title, next.Description = "nl", "Bank", "<p>Nieuw</p>"
			next.Translations = map[string]shopadapter.Translation{}
			next.Images, next.Category = []string{
				"https://img.example.com/9.jpg",
			}, shopadapter.Category{
				Path: "TOYS",
				Name: "Toys",
			}
			next.Options = []string{"Maat"}
			for i := range next.Variants {
				v := &next.Variants[i]
				v.SKU, v.EAN, v.Title, v.Options = v.SKU+"-N", "1", "maat "+v.Title, []shopadapter.Option{
					{Name: "Maat", Value: v.Title},
				}
				v.Price, v.MSRP, v.Quantity, v.Backorders = fmt.Sprintf("%d.00", 7+i), "10.00", 70+i, true
			}
			next.Shipping, next.Returns = []shopadapter.Shipping{
				{CountryGroup: "EU", FixedCosts: "1", EstimatedDays: "9"},
			}, "false"
			if listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, next, row.changed); listing.Kept != 0 {
				t.Errorf("kept: got %s, want none, since no text was edited", listing.Kept)
			}
			row.want(&want, next)
			if diff := cmp.Diff(want, readRecord(t, c, "a").Product); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPublishVariants(t *testing.T) {
	rows := []struct {
		name    string
		changed shopadapter.Fields
		change  func(p *shopadapter.Product)
		want    []string // id price quantity
		refused map[string]string
	}{
		{
			"one added", shopadapter.FieldVariants,
			func(p *shopadapter.Product) { p.Variants = append(p.Variants, choice("v4", "XL", "5.00", 5)) },
			[]string{"v1 99.95 4", "v2 119.95 0", "v3 1139.50 12", "v4 5.00 5"},
			nil,
		},
		{
			"one removed, the others reordered", shopadapter.FieldVariants,
			func(p *shopadapter.Product) { p.Variants = []shopadapter.Variant{p.Variants[2], p.Variants[0]} },
			[]string{"v3 1139.50 12", "v1 99.95 4"},
			nil,
		},
		{
			"one refused", shopadapter.FieldPrice, func(p *shopadapter.Product) { p.Variants[1].Price = "0.00" },
			[]string{"v1 99.95 4", "v3 1139.50 12"},
			map[string]string{"v2": "the price is not a decimal number above zero"},
		},
		{
			"one without a price", shopadapter.FieldPrice, func(p *shopadapter.Product) { p.Variants[1].Price = "" },
			[]string{"v1 99.95 4", "v3 1139.50 12"},
			map[string]string{"v2": "the variant has no price"},
		},
		{
			"reordered, not said to be", shopadapter.FieldPrice,
			func(p *shopadapter.Product) {
				slices.Reverse(p.Variants)
				p.Variants[0].Price = "7.00"
			},
			[]string{"v1 99.95 4", "v2 119.95 0", "v3 7.00 12"},
			nil,
		},
		{
			"one added that is not said to be", shopadapter.FieldPrice,
			func(p *shopadapter.Product) { p.Variants = append(p.Variants, choice("v4", "XL", "5.00", 5)) },
			[]string{"v1 99.95 4", "v2 119.95 0", "v3 1139.50 12"},
			nil,
		},
		{
			"one removed that is not said to be", shopadapter.FieldStock,
			func(p *shopadapter.Product) { p.Variants = p.Variants[:2] },
			[]string{"v1 99.95 4", "v2 119.95 0", "v3 1139.50 12"},
			nil,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			put(t, c, bench("a"))
			p := bench("a")
			row.change(&p)
			listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, row.changed)
			if fmt.Sprint(listing.Refused) != fmt.Sprint(row.refused) {
				t.Errorf("refused %v, want %v", listing.Refused, row.refused)
			}
			var got []string
			for _, v := range readRecord(t, c, "a").Variants {
				got = append(got, fmt.Sprintf("%s %s %d", v.ID, v.Price, v.Quantity))
				if listing.ShopIDs()[v.ID] == "" {
					t.Errorf("variant %s: got it on sale and not in the listing, want both", v.ID)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedVariantComesBackWithItsPrice(t *testing.T) {
	c := newShop(t, t.TempDir())
	p := bench("a")
	p.Variants[1].Price = ""
	put(t, c, p)
	p.Variants[1].Price = "12.00"
	if listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.FieldPrice); len(
		listing.Refused,
	) != 0 ||
		len(listing.Variants) != 3 {
		t.Errorf("listing: got %+v, want the variant refused", listing)
	}
	if r := readRecord(t, c, "a"); len(r.Variants) != 3 || len(r.Stamp.Refused) != 0 {
		t.Errorf("record: got %+v, refused %v, want the variant refused", r.Variants, r.Stamp.Refused)
	}
}

func TestAllRefusedIsRejected(t *testing.T) {
	for name, refuse := range map[string]func(*shopadapter.Product){
		"no variants": func(p *shopadapter.Product) { p.Variants = nil },
		"no prices": func(p *shopadapter.Product) {
			for i := range p.Variants {
				p.Variants[i].Price = "-1.00"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			p := bench("a")
			refuse(&p)
			if _, err := c.Publish(t.Context(), shopadapter.Ref{Publication: "a"}, p, shopadapter.AllFields); kindOf(
				err,
			) != shopadapter.Rejected {
				t.Fatalf("a new product: got %v, want a rejection", err)
			}
			if found := files(t, c); len(found) != 0 {
				t.Errorf("files of a rejected product: got %v, want none", found)
			}
			put(t, c, bench("a"))
			before := files(t, c)
			listing, err := c.Publish(t.Context(), shopadapter.Ref{Publication: "a"}, p, shopadapter.AllFields)
			if kindOf(err) != shopadapter.Rejected || shopadapter.Explain(err).ShopWide {
				t.Fatalf("a later version: got %v, want a rejection", err)
			}
			if listing.ID == "" || listing.URL == "" {
				t.Errorf("the listing of the earlier version, which is on sale: got %+v, want it", listing)
			}
			if diff := cmp.Diff(before[pagePath(fileName("a"))], files(t, c)[pagePath(fileName("a"))]); diff != "" {
				t.Errorf("the earlier version's page (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePrice(t *testing.T) {
	for value, good := range map[string]bool{
		"19.95": true, "0.01": true, "1": true, "007.50": true,
		"": false, "0": false, "0.00": false, "-1": false, "+1": false, "1e3": false, "1.": false, ".5": false,
		"1,5": false, " 1": false,
		"1.2.3": false, "NaN": false, "0x10": false, "¾": false, "1_000": false, "99999999999999999999999999": false,
	} {
		if _, ok := parsePrice(value); ok != good {
			t.Errorf("parsePrice(%q): got %t, want %t", value, ok, !ok)
		}
	}
}

func TestMerchantsEdit(t *testing.T) {
	rows := []struct {
		group  shopadapter.Fields
		key    string
		value  any
		shown  string
		theirs func(p *shopadapter.Product)
	}{
		{
			shopadapter.FieldTitle,
			"title",
			"My bench",
			"My bench",
			func(p *shopadapter.Product) { p.Title = "Theirs, a bench" },
		},
		{
			shopadapter.FieldDescription, "description", "<p>Mine</p><script>x()</script>", "<p>Mine</p>",
			func(p *shopadapter.Product) { p.Description = "<p>Theirs</p>" },
		},
		{
			shopadapter.FieldImages, "images",
			[]string{"https://mine.example.com/a.jpg"},
			"mine.example.com",
			func(p *shopadapter.Product) { p.Images = []string{"https://img.example.com/theirs.jpg"} },
		},
		{
			shopadapter.FieldCategory, "category",
			map[string]string{"path": "MY_OWN", "name": "Mine"},
			">Mine</span>",
			func(p *shopadapter.Product) { p.Category = shopadapter.Category{Path: "THEIRS", Name: "Theirs"} },
		},
	}
	for _, row := range rows {
		t.Run(row.group.String(), func(t *testing.T) {
			c := newShop(t, t.TempDir())
			put(t, c, bench("a"))
			edit(t, c, "a", func(r map[string]any) { r[row.key] = row.value })
			ref := shopadapter.Ref{Publication: "a"}
			next := bench("a")
			row.theirs(&next)
			next.Variants[0].Price = "77.77"

			for range 2 {
				if listing := putRef(t, c, ref, next, shopadapter.AllFields); listing.Kept != row.group {
					t.Errorf("kept %s, want %s", listing.Kept, row.group)
				}
			}
			page := readFile(t, c, pagePath(fileName("a")))
			mustContain(t, "page", page, row.shown, "77.77")
			mustLack(t, "page", page, "heirs", "x()")

			if listing := putRef(t, c, ref, next, shopadapter.FieldPrice); listing.Kept != 0 {
				t.Errorf("kept: got %s, want none, since no text was among the changed", listing.Kept)
			}
			mustContain(t, "page", readFile(t, c, pagePath(fileName("a"))), row.shown)

			ref.Reset = row.group
			if listing := putRef(t, c, ref, next, shopadapter.FieldStock); listing.Kept != 0 {
				t.Errorf("kept after a reset: got %s, want none", listing.Kept)
			}
			page = readFile(t, c, pagePath(fileName("a")))
			mustContain(t, "page", page, "heirs")
			mustLack(t, "page", page, row.shown)

			ref.Reset = 0
			if listing := putRef(t, c, ref, bench("a"), shopadapter.AllFields); listing.Kept != 0 {
				t.Errorf("kept at the next text after a reset: got %s, want none", listing.Kept)
			}
		})
	}
}

func TestEditThatTheSupplierMakesTooIsNobodysAnyMore(t *testing.T) {
	c := newShop(t, t.TempDir())
	put(t, c, bench("a"))
	edit(t, c, "a", func(r map[string]any) { r["title"] = "Garden bench" })
	p := bench("a")
	for _, title := range []string{"Garden bench", "Better bench"} {
		p.Title = title
		if listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.AllFields); listing.Kept != 0 {
			t.Errorf("%s: kept: got %s, want none", title, listing.Kept)
		}
	}
	if got := readRecord(t, c, "a").Title; got != "Better bench" {
		t.Errorf("title %q", got)
	}
}

// Bytes that JSON cannot hold come back changed. That must not look like the merchant's doing, nor
// as a change.
func TestInvalidUTF8IsNoEdit(t *testing.T) {
	c := newShop(t, t.TempDir())
	p := bench("a\xff\x00b")
	p.Title, p.Description, p.Category.Name = "\xff\xfe title", "<p>\xc3</p>", "caf\xe9"
	put(t, c, p)
	before := files(t, c)[recordPath(fileName(p.ID))]
	put(t, c, p)
	if files(t, c)[recordPath(fileName(p.ID))] != before {
		t.Error("the same product: got it written twice, want once")
	}
	p.Title = "\xfd other"
	if listing := put(t, c, p); listing.Kept != 0 {
		t.Errorf("kept: got %s, want none", listing.Kept)
	}
	for listed, err := range c.List(t.Context(), shopadapter.Query{}) {
		if err != nil || listed.Ref.Publication != p.ID {
			t.Errorf("listed: got %q, %v, want %q", listed.Ref.Publication, err, p.ID)
		}
	}
}

func TestGone(t *testing.T) {
	c := newShop(t, t.TempDir())
	listing := put(t, c, bench("a"))
	if err := os.Remove(c.folder.abs(recordPath(fileName("a")))); err != nil {
		t.Fatal(err)
	}
	ref := shopadapter.Ref{Publication: "a", Listing: listing.ID}
	for range 2 {
		if _, err := c.Publish(t.Context(), ref, bench("a"), shopadapter.AllFields); !errors.Is(
			err,
			shopadapter.ErrGone,
		) {
			t.Fatalf("deleted by hand: got %v, want ErrGone", err)
		}
		if c.folder.has(recordPath(fileName("a"))) || c.folder.has(pagePath(fileName("a"))) {
			t.Error("a listing that was deleted by hand: got it or its page, want neither")
		}
	}
	ref.Listing = ""
	putRef(t, c, ref, bench("a"), shopadapter.NoFields)
	ref.Listing = "../../../etc/passwd"
	putRef(t, c, ref, bench("a"), shopadapter.NoFields)
}

func TestPublishStopsWithItsContext(t *testing.T) {
	c := newShop(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	setStep(c, func(doing string) error {
		if strings.HasPrefix(doing, "sync") {
			cancel()
		}
		return nil
	})
	if _, err := c.Publish(ctx, shopadapter.Ref{Publication: "a"}, bench("a"), shopadapter.AllFields); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Fatalf("cancelled half-way: got %v, want the context's error", err)
	}
	setStep(c, nil)
	for path := range files(t, c) {
		if path != behindPath {
			t.Errorf("a cancelled publish: got %s left, want nothing", path)
		}
	}
	if _, err := c.Unpublish(ctx, shopadapter.Ref{Publication: "a"}, shopadapter.Delete); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("unpublish: got %v, want the context's error", err)
	}
	if _, err := c.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("check: got %v, want the context's error", err)
	}
	put(t, c, bench("a"))
	for _, err := range c.List(ctx, shopadapter.Query{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("listings: got %v, want the context's error", err)
		}
	}
}

func kindOf(err error) shopadapter.Kind {
	if err == nil {
		return -1
	}
	return shopadapter.Explain(err).Kind
}
