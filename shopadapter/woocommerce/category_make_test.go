package woocommerce

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
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
				deaths := 2
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

// A product that the merchant has moved stays where it is, and no branch is made for it.
func TestNoBranchForAProductThatWasMoved(t *testing.T) {
	f, a := opened(t)
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
				a := f.connect(t, realPatience(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
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
				}))
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
