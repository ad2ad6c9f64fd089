package woocommerce

import (
	"context"
	"errors"
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

// together publishes products at the same moment, in a shop that takes its time, and hands the
// errors back in their order.
func together(t *testing.T, f *fakeShop, a *adapter, products []shopadapter.Product) ([]shopadapter.Ref, []error) {
	t.Helper()
	refs, errs := make([]shopadapter.Ref, len(products)), make([]error, len(products))
	var wg sync.WaitGroup
	for i, p := range products {
		wg.Go(func() {
			l, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			refs[i], errs[i] = shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}, err
		})
	}
	wg.Wait()
	return refs, errs
}

func several(variants, n int) []shopadapter.Product {
	var products []shopadapter.Product
	for i := range n {
		products = append(products, sample(fmt.Sprint("group-", i), variants))
	}
	return products
}

// slowly is a shop in which each request takes long enough for others to come up.
func slowly(t *testing.T) *fakeShop {
	f := newFakeShop(t)
	f.laborious(map[string]time.Duration{
		"create": 60 * time.Millisecond, "update": 45 * time.Millisecond, "list": 40 * time.Millisecond, "batch": 40 * time.Millisecond,
		"item": 20 * time.Millisecond, "batch create": 25 * time.Millisecond, "batch update": 12 * time.Millisecond,
	})
	return f
}

// Products that are made at a time share requests, and each call gets its own answer, refusals too.
func TestProductsMadeTogether(t *testing.T) {
	for _, variants := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			f := slowly(t)
			f.RefuseTitle = "Refused"
			a := f.connect(t, realPatience(), nil)
			products := several(variants, 8)
			taken := f.AddForeign(products[2])
			products[5].Title = "Refused lamp"
			refs, errs := together(t, f, a, products)
			for i, p := range products {
				e := shopadapter.Explain(errs[i])
				switch {
				case i == 2 && (e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Message, "#"+string(taken))),
					i == 5 &&
						(e == nil || e.Kind != shopadapter.Rejected || !strings.Contains(e.Message, "A plugin "+
							"refuses the name")),
					i != 2 && i != 5 && errs[i] != nil:
					t.Errorf("%s: %v", p.ID, errs[i])
				case errs[i] == nil:
					if broken := f.inconsistent(p); broken != "" || f.seen(t, p.ID).Listing != refs[i].Listing {
						t.Errorf("%s is %s: %s", p.ID, refs[i].Listing, broken)
					}
				}
			}
			if log := f.Requests(); !slices.Contains(log, "POST /products/batch") {
				t.Errorf("nothing was shared: %v", log)
			}
		})
	}
}

// Two at a time do not wait for one another: the shop would stand idle.
func TestNobodyWaitsForTheOnlyOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slowly(t)
		_, errs := together(t, f, f.connect(t, realPatience(), nil), several(1, 2))
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if log := f.Requests(); slices.Contains(log, "POST /products/batch") {
			t.Errorf("%v", log)
		}
	})
}

// PHP dies over one of several products in a request. The next try of each goes alone, and in the
// end each is there once.
func TestPHPDiesOverProductsOfOneRequest(t *testing.T) {
	for _, at := range []string{"product row", "product sku", "product whole"} {
		synctest.Test(t, func(t *testing.T) {
			f := slowly(t)
			f.watched(t)
			var once sync.Once
			f.Dies = func(here string) (dead bool) {
				if here == at {
					once.Do(func() { dead = true })
				}
				return dead
			}
			a := f.connect(t, realPatience(), nil)
			products := several(3, 6)
			_, errs := together(t, f, a, products)
			if errors.Join(errs...) == nil {
				t.Fatal("nobody noticed")
			}
			var failed []shopadapter.Product
			for i, err := range errs {
				if err == nil {
					continue
				}
				if failed = append(failed, products[i]); shopadapter.Explain(err).Kind != shopadapter.Transient {
					t.Errorf("%s: %v", products[i].ID, err)
				}
			}
			f.Requests()
			if _, errs = together(t, f, a, failed); errors.Join(errs...) != nil {
				t.Fatal(errs)
			}
			for _, p := range products {
				if broken := f.inconsistent(p); broken != "" {
					t.Errorf("%s: %s", p.ID, broken)
				}
			}
			if f.products() != len(products) {
				t.Errorf("%d products", f.products())
			}
			if log := f.Requests(); slices.Contains(log, "POST /products/batch") {
				t.Errorf("a second try shared a request: %v", log)
			}
		})
	}
}

// A firewall that takes offence at the text of one stops no other. A shop that does not answer a
// batch as it should is asked one by one; both for a while, and then it is tried again.
func TestBatchThatIsNotTaken(t *testing.T) {
	for name, answer := range map[string]func(*http.Request) *http.Response{
		"a firewall": func(req *http.Request) *http.Response { return page(req, http.StatusForbidden) },
		"an empty list": func(req *http.Request) *http.Response {
			resp := page(req, http.StatusOK)
			resp.Body = io.NopCloser(strings.NewReader("[]"))
			return resp
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slowly(t)
				var batches atomic.Int32
				a := f.connect(t, realPatience(), func(next http.RoundTripper) http.RoundTripper {
					return roundTripper(func(req *http.Request) (*http.Response, error) {
						if strings.HasSuffix(req.URL.Path, "/products/batch") && req.ContentLength > 10 {
							batches.Add(1)
							return answer(req), nil
						}
						return next.RoundTrip(req)
					})
				})
				products := several(1, 12)
				for _, some := range [][]shopadapter.Product{products[:6], products[6:]} {
					_, errs := together(t, f, a, some)
					for i, err := range errs {
						if err != nil && shopadapter.Explain(err).Kind != shopadapter.Transient {
							t.Error(err)
						} else if err != nil {
							must(t, a, refOf(some[i]), some[i], shopadapter.AllFields)
						}
					}
				}
				for _, p := range products {
					if broken := f.inconsistent(p); broken != "" {
						t.Errorf("%s: %s", p.ID, broken)
					}
				}
				before := batches.Load()
				if before == 0 || before > 3 || f.products() != len(products) {
					t.Errorf("%d batches, %d products", before, f.products())
				}
				time.Sleep(mistrust)
				if together(t, f, a, several(3, 18)[12:]); batches.Load() == before {
					t.Error("it is never tried again")
				}
			})
		})
	}
}

// A caller whose context ends takes no other write along.
func TestCallerLeavesOthersBehind(t *testing.T) {
	for _, after := range []time.Duration{0, 20 * time.Millisecond, 70 * time.Millisecond, 130 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			f := slowly(t)
			a := f.connect(t, realPatience(), nil)
			products := several(1, 7)
			var wg sync.WaitGroup
			var left atomic.Int32
			for i, p := range products {
				wg.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if i%2 == 1 {
						time.AfterFunc(after, cancel)
					}
					_, err := a.Publish(ctx, refOf(p), p, shopadapter.AllFields)
					switch {
					case i%2 == 1 && err != nil && !errors.Is(err, context.Canceled), i%2 == 0 && err != nil:
						t.Errorf("%s: %v", p.ID, err)
					case err != nil:
						left.Add(1)
					}
				})
			}
			wg.Wait()
			f.Running.Wait()
			for i, p := range products {
				if broken := f.inconsistent(p); broken != "" && i%2 == 0 {
					t.Errorf("%s: %s", p.ID, broken)
				}
			}
			// Those whose callers left are made by the next call, once.
			for _, p := range products {
				must(t, a, refOf(p), p, shopadapter.AllFields)
			}
			if f.products() != len(products) {
				t.Errorf("%d products after %d had left", f.products(), left.Load())
			}
		})
	}
}
