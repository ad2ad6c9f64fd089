package woocommerce

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

var errCut = errors.New("the connection was cut")

// Whichever request of a Restock fails, the error is transient, and a Publish brings what is wanted
// by then: the same figures, or again the old ones.
func TestRestockCutOff(t *testing.T) {
	for name, fault := range map[string]func(next http.RoundTripper, req *http.Request) (*http.Response, error){
		"the request is lost": func(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, errCut },
		"the answer is lost": func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil {
				err = errors.Join(errCut, resp.Body.Close())
			}
			return nil, err
		},
		"too many requests": func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return page(req, http.StatusTooManyRequests, "Retry-After", "7"), nil
		},
		"a pause": func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return page(req, http.StatusServiceUnavailable, "Retry-After", "7"), nil
		},
		"a web page of success": func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil {
				err = resp.Body.Close()
			}
			return page(req, http.StatusOK), err
		},
	} {
		for _, n := range []int{1, 3} {
			for at := range 2 {
				for _, back := range []bool{false, true} {
					t.Run(
						fmt.Sprintf("%s/%d variants/request %d/taken back: %t", name, n, at+1, back),
						func(t *testing.T) {
							f := newFakeShop(t)
							left := -1
							a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
								if left--; left == -1 {
									return fault(next, req)
								}
								return next.RoundTrip(req)
							}))
							p := sample("cut", n)
							ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
							left = at
							ref, _, err := restock(t, a, ref, restocked(p, 1))
							if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient ||
								errors.Is(err, shopadapter.ErrWhole) {
								t.Fatalf("got %v, want a transient error", err)
							}
							repaired(t, f, a, ref, p, back)
						},
					)
				}
			}
		}
	}
}

// repaired publishes the product with the figures of a Restock that ended badly, or with those that
// it had before.
func repaired(t *testing.T, f *fakeShop, a *adapter, ref shopadapter.Ref, p shopadapter.Product, back bool) {
	t.Helper()
	ref.OnSale = true
	if !back {
		p = restocked(p, 1)
	}
	ref, _ = must(t, a, ref, p, figureGroups)
	f.wantConsistent(t, p)
	p = restocked(p, 2)
	mustRestock(t, a, ref, p)
	if broken := f.inconsistent(p); broken != "" {
		t.Errorf("the next figures: %s", broken)
	}
}

// Figures are taken back while the shop is still writing them for a caller that gave up waiting.
func TestRestockTakenBackWhileUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.laborious(map[string]time.Duration{"item": 150 * time.Millisecond})
		var times atomic.Int32
		a := f.connect(t, realPatience(), impatient(4*time.Second, &times))
		p := sample("back", 60)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		times.Store(3)
		ref, _, err := restock(t, a, ref, restocked(p, 1))
		if err == nil || errors.Is(err, shopadapter.ErrWhole) {
			t.Fatalf("got %v, want an error of time: it is not answered", err)
		}
		insist(t, a, ref, p, figureGroups, false)
		f.Running.Wait()
		f.wantConsistent(t, p)
	})
}

// What goes in the shop between look and write may leave half of the figures written: that is no
// ErrWhole, and the next Publish looks.
func TestRestockOvertakenByTheMerchant(t *testing.T) {
	for name, tt := range map[string]struct {
		variants int
		does     func(*fakeShop, *fakeshop.Post)
	}{
		"a variation is deleted":   {3, func(f *fakeShop, p *fakeshop.Post) { f.Erase(f.Children(p.ID)[2]) }},
		"one variant in the trash": {1, (*fakeShop).Trash},
		"one variant as a draft":   {1, status("draft")},
	} {
		t.Run(name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("overtaken", tt.variants)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			f.Before = func(req *http.Request, _ int) error {
				if req.Method != http.MethodGet {
					f.Mu.Lock()
					defer f.Mu.Unlock()
					tt.does(f, f.Find(ref.Listing))
					f.Before = nil
				}
				return nil
			}
			left, _, err := restock(t, a, ref, restocked(p, 1))
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient ||
				errors.Is(err, shopadapter.ErrWhole) {
				t.Fatalf("got %v, want a transient error", err)
			}
			if tt.variants == 1 {
				_, err := a.Publish(t.Context(), left, p, figureGroups)
				if !errors.Is(err, shopadapter.ErrHidden) && !errors.Is(err, shopadapter.ErrGone) {
					t.Errorf("publish: got %v, want ErrHidden or ErrGone", err)
				}
				return
			}
			must(t, a, left, p, figureGroups)
			f.wantConsistent(t, p)
		})
	}
}

// A price that the shop refuses goes as with Publish: its variant leaves the sale and is named, and
// without another the product is refused.
func TestRestockRefused(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, all := range []bool{false, true} {
			type outcome struct {
				Refused map[string]string
				Shown   int
				Kind    string
			}
			var got []outcome
			for _, call := range []func(a *adapter, ref shopadapter.Ref, p shopadapter.Product) (shopadapter.Listing, error){
				func(a *adapter, ref shopadapter.Ref, p shopadapter.Product) (shopadapter.Listing, error) {
					return a.Publish(t.Context(), ref, p, figureGroups)
				},
				func(a *adapter, ref shopadapter.Ref, p shopadapter.Product) (shopadapter.Listing, error) {
					return a.Publish(t.Context(), ref, p.OnlyFigures(), figureGroups)
				},
			} {
				f := newFakeShop(t)
				f.RefusePrice = "66.60"
				a := f.connect(t, quickly(), nil)
				p := sample("refused", n)
				ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
				ref.OnSale = true
				q := restocked(p, 1)
				for i := range q.Variants {
					if i == n-1 || all {
						q.Variants[i].Price = "66.60"
					}
				}
				l, err := call(a, ref, q)
				o := outcome{Refused: l.Refused, Shown: len(f.seen(t, p.ID).Variants)}
				if err != nil {
					o.Kind = shopadapter.Explain(err).Kind.String() + strings.TrimPrefix(err.Error(), "the shop ")
				}
				got = append(got, o)
				ref.State = l.State
				must(t, a, ref, p, shopadapter.AllFields)
				f.wantConsistent(t, p)
			}
			if diff := cmp.Diff(got[0], got[1]); diff != "" || got[1].Kind == "" && len(got[1].Refused) != 1 {
				t.Errorf("%d variants, all refused: %t: %+v, want one refused, as a publish (-publish +restock):\n%s",
					n, all, got[1], diff)
			}
		}
	}
}
