package woocommerce

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

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
