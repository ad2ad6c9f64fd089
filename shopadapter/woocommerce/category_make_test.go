package woocommerce

import (
	"bytes"
	"fmt"
	"io"
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
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
)

// Two products at once have their branch made once, also where the answers to the first requests do
// not come in time, or PHP dies before or after a category.
func TestABranchIsMadeOnce(t *testing.T) {
	want := []string{"Toys", "Toys > Wooden toys", "Toys > Wooden toys > Blocks"}
	place := func(t *testing.T, f *fakeShop, a *adapter) {
		t.Helper()
		var all sync.WaitGroup
		for i := range 4 {
			p := sample(fmt.Sprint("p", i), 1)
			p.Category = in("T_W_B", "Toys", "Wooden toys", "Blocks")
			p.Variants[0].SKU = fmt.Sprint("BLOCK-", i)
			all.Go(func() { insist(t, a, refOf(p), p, shopadapter.AllFields, true) })
		}
		all.Wait()
		f.Running.Wait()
		if made := f.Branches(); !slices.Equal(made, want) {
			t.Errorf("made %q, want %q", made, want)
		}
		for i := range 4 {
			if s := f.seen(t, shopadapter.PublicationID(fmt.Sprint("p", i))); s.Category != "Blocks" {
				t.Errorf("product %d is in %q, want Blocks", i, s.Category)
			}
		}
	}
	t.Run("no trouble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeShop(t)
			f.laborious(map[string]time.Duration{"category": time.Second})
			place(t, f, f.connect(t, realPatience(), nil))
			if n := slices.DeleteFunc(f.Requests(), func(r string) bool { return r != "POST /products/categories" }); len(
				n,
			) != len(want) {
				t.Errorf("%d requests to make %d categories", len(n), len(want))
			}
		})
	})
	for _, late := range []time.Duration{6 * time.Second, 40 * time.Second} {
		t.Run(fmt.Sprint("answers come after ", late), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				f.laborious(map[string]time.Duration{"category": late})
				var times atomic.Int32
				times.Store(8)
				place(t, f, f.connect(t, realPatience(), impatient(4*time.Second, &times)))
			})
		})
	}
	for _, at := range []string{"before a category", "after a category"} {
		t.Run("PHP dies "+at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				deaths := category.MostBranchDeaths - 1
				f.Dies = func(where string) bool { // f.mu is held
					if where != at || deaths == 0 {
						return false
					}
					deaths--
					return true
				}
				place(t, f, f.connect(t, realPatience(), nil))
			})
		})
	}
}

// A shop that refuses leaves the product without the category and is told of once. It is asked
// again ten minutes later, when a person asks, and by a full run.
func TestARefusedCategoryCostsNoProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.NoTerms = true
		var log bytes.Buffer
		f.logger = slog.New(slog.NewTextHandler(&log, nil))
		a := f.connect(t, realPatience(), nil)
		p := sample("toy", 1)
		p.Category = in("T_W", "Toys", "Wooden toys")
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		if s := f.seen(t, p.ID); !s.OnSale || l.ID == "" || s.Category != "Uncategorized" {
			t.Errorf("the listing is %q, with %+v in the shop, want it on sale and uncategorized", l.ID, s)
		}
		q := sample("other", 1)
		q.Category, q.Variants[0].SKU = in("T_B", "Toys", "Blocks"), "OTHER-1"
		must(t, a, refOf(q), q, shopadapter.AllFields)
		posts := slices.DeleteFunc(f.Requests(), func(r string) bool { return r != "POST /products/categories" })
		if told := strings.Count(log.String(), "refuses to make"); told != 1 || len(posts) != 1 {
			t.Errorf("told %d times, tried %d times, want once each:\n%s", told, len(posts), &log)
		}
		if moved, err := a.moves(t.Context(), ref); moved != 0 || err != nil {
			t.Errorf("at once it moves %s, %v, want none", moved, err)
		}
		f.NoTerms = false
		time.Sleep(category.RefusedFor)
		moved, err := a.moves(t.Context(), ref)
		if moved != shopadapter.FieldCategory || err != nil {
			t.Errorf("after ten minutes it moves %s, %v, want the category", moved, err)
		}
		must(t, a, ref, p, moved)
		if s := f.seen(t, p.ID); s.Category != "Wooden toys" {
			t.Errorf("it is in %q, want Wooden toys", s.Category)
		}
	})
}

// The branch of the marketplace's tree is made in the shop's language, once for two products at
// once, and the setting alone moves what was only warned of.
func TestABranchOfTheMarketplaceIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t, "MISSING_CATEGORIES", "warn")
		add := func(title string, n int) shopadapter.PublicationID {
			return shopadapter.PublicationID(c.addIn("TOYS_PLAY_WOODEN", title, n))
		}
		first, second := add("blocks", 1), add("train", 3)
		if s := c.run(false); s.Created != 2 || len(c.shop.Branches()) != 0 ||
			c.shop.seen(t, first).Category != "Uncategorized" {
			t.Fatalf("the run is %+v and made %q, want 2 created, uncategorized, and no category", s, c.shop.Branches())
		}
		c.pairs = nil
		c.run(false)
		third := add("puzzle", 2)
		c.run(false)
		if made := c.shop.Branches(); !slices.Equal(made, []string{"Toys", "Toys > Play", "Toys > Play > Wooden toys"}) {
			t.Errorf("made %q, want the branch Toys > Play > Wooden toys", made)
		}
		for _, id := range []shopadapter.PublicationID{first, second, third} {
			if s := c.shop.seen(t, id); s.Category != "Wooden toys" || !s.OnSale {
				t.Errorf("%s is in %q, on sale %t, want Wooden toys and true", id, s.Category, s.OnSale)
			}
		}
		if s := c.run(true); s.Updated != 0 || len(c.shop.Branches()) != 3 {
			t.Errorf("the next full run is %+v and left %q, want none updated and 3 categories", s, c.shop.Branches())
		}
	})
}

// A product that the merchant has moved stays where it is, and no branch is made for it.
func TestNoBranchForAProductThatWasMoved(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
	p := sample("moved", 1)
	p.Category = in("H_L", "Home & Garden", "Lighting")
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.Mu.Lock()
	for _, post := range f.Posts {
		if post.Parent == 0 {
			post.Categories = []int64{20}
		}
	}
	f.Mu.Unlock()
	p.Category = in("T_W", "Toys", "Wooden toys")
	must(t, a, ref, p, shopadapter.FieldCategory)
	if s := f.seen(t, p.ID); s.Category != "My own" || len(f.Branches()) != 0 {
		t.Errorf("it is in %q, and %q were made, want My own and none", s.Category, f.Branches())
	}
}

// Whatever is said to a category that is to be made, short of trouble that passes, the product is
// sold without it.
func TestAShopThatCannotMakeCategories(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
	}{
		{http.StatusBadRequest, `{"code":"empty_term_name","message":"A name is required for this term.",` +
			`"data":{"status":400}}`},
		{http.StatusBadRequest, `{"code":"term_exists","message":"It exists."}`},
		// below another parent
		{http.StatusBadRequest, `{"code":"term_exists","message":"It exists.","data":{"resource_id":17}}`},
		{http.StatusUnauthorized, `{"code":"woocommerce_rest_cannot_create","message":"Sorry, you are not allowed to ` +
			`create resources.","data":{"status":401}}`},
		{http.StatusForbidden, "<html><title>Forbidden</title></html>"},
		{http.StatusNotAcceptable, "<html><title>Not acceptable</title></html>"},
		{http.StatusNotFound, `{"code":"rest_no_route","message":"No route was found.","data":{"status":404}}`},
		{http.StatusNotFound, "<html><title>Not found</title></html>"},
		{http.StatusMethodNotAllowed, "<html><title>Not allowed</title></html>"},
	} {
		t.Run(fmt.Sprint(tt.status, " ", tt.body[:10]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				a := f.connect(t, realPatience(), func(next http.RoundTripper) http.RoundTripper {
					return roundTripper(func(req *http.Request) (*http.Response, error) {
						if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/products/categories") {
							return next.RoundTrip(req)
						}
						header := http.Header{"Content-Type": {"application/json"}}
						if strings.HasPrefix(tt.body, "<") {
							header.Set("Content-Type", "text/html")
						}
						return &http.Response{
							StatusCode: tt.status, Header: header, Body: io.NopCloser(strings.NewReader(tt.body)), Request: req,
						}, nil
					})
				})
				p := sample("sold", 1)
				p.Category = in("T_W", "Toys", "Wooden toys")
				must(t, a, refOf(p), p, shopadapter.AllFields)
				if s := f.seen(t, p.ID); !s.OnSale || s.Category != "Uncategorized" {
					t.Errorf("on sale %t, in %q, want true and Uncategorized", s.OnSale, s.Category)
				}
			})
		})
	}
}

// A PHP that dies of every new category, of a plugin's doing, keeps no product from being sold.
func TestAPHPThatDiesOfCategories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.Dies = func(at string) bool { return at == "before a category" }
		p := sample("sold", 1)
		p.Category = in("T_W", "Toys", "Wooden toys")
		insist(t, f.connect(t, realPatience(), nil), refOf(p), p, shopadapter.AllFields, false)
		if s := f.seen(t, p.ID); !s.OnSale || s.Category != "Uncategorized" {
			t.Errorf("on sale %t, in %q, want true and Uncategorized", s.OnSale, s.Category)
		}
	})
}
