package woocommerce

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// finder is what an adapter knows of the shop's categories at its start.
func finder(t *testing.T, f *fakeShop, pairs string) *categories {
	t.Helper()
	var mapping mapping
	if err := mapping.EnvDecode(t.Context(), pairs); err != nil {
		t.Fatal(err)
	}
	client := newClient(f.Base, fakeshop.Key, fakeshop.Secret, &http.Client{Transport: f}, slog.New(slog.DiscardHandler))
	return &categories{
		terms: newTerms(client, "category", "/products/categories"), mapping: mapping, makes: true,
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

// A category is found by what the settings say, by its branch, its path and its name; a branch that
// the shop lacks is made, once, by whichever adapter.
func TestFind(t *testing.T) {
	twice := []map[string]any{{"id": 30, "name": "Lighting", "slug": "l2", "parent": 20}}
	lamp := shopadapter.Category{Path: "HOME_AND_GARDEN_LIGHTING", Name: "Lighting"}
	for _, tt := range []struct {
		name    string
		mapping string
		add     []map[string]any
		want    shopadapter.Category
		id      number
		made    []string
	}{
		{"by path", "", nil, lamp, 17, nil},
		{"by path where two have the name", "", twice, lamp, 17, nil},
		{"by name", "", nil, shopadapter.Category{Path: "X_LIGHTING", Name: "lighting"}, 17, nil},
		{"by a name that two have", "", twice, shopadapter.Category{Path: "X", Name: "Lighting"}, 0, nil},
		{"by branch", "", nil, in("X_Y", "home &amp; GARDEN", "Lighting"), 17, nil},
		{"mapped", "HOME_AND_GARDEN_LIGHTING=My own", nil, lamp, 20, nil},
		{"mapped to a path", "X = Home & Garden / Furniture", nil, shopadapter.Category{Path: "X"}, 18, nil},
		{"mapped by what is above", "HOME=My own", nil, shopadapter.Category{Path: "HOME_X", Name: "Textiles"}, 20, nil},
		{"mapped by a level above", "ABOVE_1=My own", nil, in("X_Y", "Toys", "Wooden toys"), 20, nil},
		{"mapped to nothing", "X_Y=Nowhere", nil, in("X_Y", "Toys", "Wooden toys"), 0, nil},
		{"no branch is known", "", nil, shopadapter.Category{Path: "TOYS", Name: "Toys"}, 0, nil},
		{"none", "", nil, shopadapter.Category{}, 0, nil},
		{"a level without a name", "", nil, in("X_Y", "Toys", "…"), 0, nil},
		{"all is made", "", nil, in("X_Y", "Toys", "Wooden toys"), 22, []string{"Toys", "Toys > Wooden toys"}},
		{"one is made", "", nil, in("X_Y", "Home & Garden", "Lamps"), 21, []string{"Home &amp; Garden > Lamps"}},
		{"the name below another parent", "", nil, in("X_Y", "Toys", "Lighting"), 22, []string{"Toys", "Toys > Lighting"}},
		{"the name below none", "", nil, in("X_Y", "Toys", "My own"), 20, nil},
		{"what looks like a tag", "", nil, in("X_Y", "<3 years & younger"), 21, []string{"&lt;3 years &amp; younger"}},
		{"a name that is too long", "", nil, in("X_Y", strings.Repeat("é", 300)), 21, []string{strings.Repeat("é", 200)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Categories = append(f.Categories, tt.add...)
			for range 2 { // the second adapter knows nothing of the first
				c := finder(t, f, tt.mapping)
				for range 2 {
					if id, err := c.find(t.Context(), tt.want, true, false); err != nil || id != tt.id {
						t.Errorf("category %d and error %v, want %d", id, err, tt.id)
					}
				}
				if made := f.Branches()[len(tt.add):]; !slices.Equal(made, tt.made) {
					t.Errorf("made %q, want %q", made, tt.made)
				}
			}
		})
	}
}

// A category that was made stays the one of its branch, whatever it is called and wherever the
// merchant moves it: its slug has a key.
func TestAMadeCategoryIsKnownByItsKey(t *testing.T) {
	f := newFakeShop(t)
	want := in("T_W", "Toys", "Wooden toys")
	id, err := finder(t, f, "").find(t.Context(), want, true, false)
	if err != nil {
		t.Fatal(err)
	}
	f.rename(f.Categories, "Wooden toys", "Toys of wood")
	f.rename(f.Categories, "Toys", "For children")
	a := finder(t, f, "")
	if again, err := a.find(t.Context(), want, true, false); err != nil || again != id {
		t.Errorf("category %d, %v, want %d", again, err, id)
	}
	_, err = a.find(t.Context(), in("T_P", "Toys", "Puzzles"), true, false)
	if err != nil || !slices.Contains(f.Branches(), "For children > Puzzles") {
		t.Errorf("%v, made %q, want Puzzles below For children", err, f.Branches())
	}
}

// Products at once have their branch made once, also where answers do not come in time, or PHP dies
// after a category.
func TestABranchIsMadeOnce(t *testing.T) {
	want := []string{"Toys", "Toys > Wooden toys", "Toys > Wooden toys > Blocks"}
	for _, trouble := range []string{"", "late", "dies"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeShop(t)
			var times atomic.Int32
			deaths := 0
			switch trouble {
			case "late":
				f.laborious(map[string]time.Duration{"category": 6 * time.Second})
				times.Store(8)
			case "dies":
				deaths = 2
			}
			f.Dies = func(at string) bool { // f.Mu is held
				deaths--
				return at == "after a category" && deaths >= 0
			}
			a := f.connect(t, realPatience(), impatient(4*time.Second, &times))
			var all sync.WaitGroup
			for i := range 3 {
				p := sample(fmt.Sprint("p", i), 1)
				p.Category, p.Variants[0].SKU = in("T_W_B", "Toys", "Wooden toys", "Blocks"), fmt.Sprint("BLOCK-", i)
				all.Go(func() { insist(t, a, refOf(p), p, shopadapter.AllFields, true) })
			}
			all.Wait()
			f.Running.Wait()
			if made := f.Branches(); !slices.Equal(made, want) {
				t.Errorf("%s: made %q, want %q", trouble, made, want)
			}
			for i := range 3 {
				if s := f.seen(t, shopadapter.PublicationID(fmt.Sprint("p", i))); s.Category != "Blocks" {
					t.Errorf("%s: product %d is in %q, want Blocks", trouble, i, s.Category)
				}
			}
		})
	}
}

// Whatever is said to a category that is to be made, short of trouble that passes, the product is
// sold without it.
func TestAShopThatCannotMakeCategories(t *testing.T) {
	for status, text := range map[int]string{
		400: `{"code":"term_exists","message":"It exists.","data":{"resource_id":17}}`, // below another parent
		401: `{"code":"woocommerce_rest_cannot_create","message":"Sorry."}`,
		403: "<html><title>Forbidden</title></html>",
		404: `{"code":"rest_no_route","message":"No route was found."}`,
		405: "<html><title>Not allowed</title></html>",
	} {
		f := newFakeShop(t)
		a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/products/categories") {
				return next.RoundTrip(req)
			}
			resp := page(req, status)
			resp.Body = body(text)
			return resp, nil
		}))
		p := sample("sold", 1)
		p.Category = in("T_W", "Toys", "Wooden toys")
		must(t, a, refOf(p), p, shopadapter.AllFields)
		if s := f.seen(t, p.ID); !s.OnSale || s.Category != "Uncategorized" {
			t.Errorf("%d: on sale %t, in %q, want true and Uncategorized", status, s.OnSale, s.Category)
		}
	}
}

// A product that the merchant took out of a category that is still there, or moved, stays where it is,
// and no branch is made for it, whether the supplier's category is the same or another.
func TestAProductThatWasMoved(t *testing.T) {
	for to, want := range map[int64]string{15: "Uncategorized", 20: "My own"} {
		f, a := opened(t)
		p := sample("moved", 1)
		p.Category = in("H_L", "Home & Garden", "Lighting")
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		f.Find(l.ID).Categories = []int64{to}
		if got := observed(t, a, shopadapter.Query{})[p.ID].Edited; got != shopadapter.FieldCategory {
			t.Errorf("edited by hand: %s, want the category", got)
		}
		for _, category := range []shopadapter.Category{p.Category, in("T_W", "Toys", "Wooden toys")} {
			p.Category = category
			_, l := must(t, a, ref, p, shopadapter.FieldCategory)
			if got := f.seen(t, p.ID).Category; got != want || len(f.Branches()) != 0 || l.Kept != shopadapter.FieldCategory {
				t.Errorf("it is in %q, %q were made, kept %s, want %s, none and the category", got, f.Branches(), l.Kept, want)
			}
		}
	}
}

// A category or a brand that was deleted for all products is no edit: it is named as outdated, and
// made again; also one that goes between look and write, which costs one more call.
func TestDeletedTerms(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		f, a := opened(t)
		p := sample("lamp", 1)
		p.Brand, p.Category = "Brightside", in("T_W", "Toys")
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		f.DeleteTerms()
		if meanwhile { // the lists are known
			p = sample("other", 1)
			p.Brand, p.Category, p.Variants[0].SKU = "Brightside", in("T_W", "Toys"), "OTHER"
			ref = refOf(p)
			if _, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields); shopadapter.Explain(err) == nil ||
				shopadapter.Explain(err).Kind != shopadapter.Transient {
				t.Errorf("got %v, want an error of time", err)
			}
		} else if o := observed(t, a, shopadapter.Query{})[p.ID]; o.Edited != 0 ||
			o.Outdated != shopadapter.FieldCategory|shopadapter.FieldBrand {
			t.Errorf("edited %s, outdated %s, want none, and category and brand", o.Edited, o.Outdated)
		}
		_, l := must(t, a, ref, p, shopadapter.FieldCategory|shopadapter.FieldBrand)
		if s := f.seen(t, p.ID); s.Category != "Toys" || s.Details["brand"] != "Brightside" || l.Kept != 0 {
			t.Errorf("meanwhile %t: category %q, brand %q, kept %s", meanwhile, s.Category, s.Details["brand"], l.Kept)
		}
	}
}

// However many products need a brand at a time, and whichever process has made it: there is one. One
// that the merchant renamed stays the product's.
func TestABrandIsMadeOnce(t *testing.T) {
	f, a := opened(t)
	branded := func(id, brand string) shopadapter.Product {
		p := sample(id, 1)
		p.Brand = brand
		return p
	}
	var done sync.WaitGroup
	for _, id := range []string{"one", "two", "three"} {
		done.Go(func() {
			p := branded(id, "  Bright &  Side ")
			if _, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	p := branded("four", "BRIGHT & SIDE")
	ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	f.rename(f.Brands, "Bright &amp; Side", "The Bright Side")
	_, l := must(t, f.connect(t, quickly(), nil), ref, p, shopadapter.FieldBrand)
	if got := f.seen(t, p.ID).Details["brand"]; got != "The Bright Side" || len(f.Brands) != 1 || l.Kept != 0 {
		t.Errorf("brand %q of %v, kept %s, want the renamed one, one, and none kept", got, f.Brands, l.Kept)
	}
}

// A brand that the merchant chose, and one that they took off, stays so until it is reset, whether the
// supplier's is another one or the same as before. None is made for it meanwhile.
func TestABrandIsReset(t *testing.T) {
	for _, brand := range []string{"Brightside", "Another"} {
		for _, chosen := range []string{"My own", ""} {
			f, a := opened(t)
			p := sample("lamp", 1)
			p.Brand = "Brightside"
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if err := f.EditDetail(t.Context(), l.ID, laws.SeenVariant{}, "brand"); err != nil {
				t.Fatal(err)
			}
			if chosen == "" {
				f.Find(l.ID).Brands = nil
			}
			p.Brand = brand
			for reset, want := range []string{chosen, brand} {
				ref.Reset = shopadapter.Fields(reset) * shopadapter.FieldBrand
				before := len(f.Brands)
				_, l := must(t, a, ref, p, shopadapter.FieldBrand)
				if got := f.seen(t, p.ID).Details["brand"]; got != want || (l.Kept == shopadapter.FieldBrand) != (reset == 0) ||
					reset == 0 && len(f.Brands) != before {
					t.Errorf("%q typed over by %q, reset %s: brand %q of %v, kept %s, want %q",
						brand, chosen, ref.Reset, got, f.Brands, l.Kept, want)
				}
			}
		}
	}
}
