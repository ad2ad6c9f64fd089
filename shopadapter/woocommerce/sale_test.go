package woocommerce

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A saleWatch sees the requests of a call: whether one for pictures follows the one that the shop
// answered by putting the product on sale.
type saleWatch struct {
	mu     sync.Mutex
	onSale bool
	after  []string // the requests for pictures that followed
}

func (s *saleWatch) wrap(t *testing.T) func(http.RoundTripper) http.RoundTripper {
	return around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		body := bodyOf(t, req)
		s.mu.Lock()
		if s.onSale && strings.Contains(body, `"images"`) {
			s.after = append(s.after, req.Method+" "+req.URL.Path)
		}
		s.mu.Unlock()
		resp, err := next.RoundTrip(req)
		if err == nil && resp.StatusCode == http.StatusOK && strings.Contains(body, `"status":"publish"`) &&
			strings.HasPrefix(req.URL.Path, root+"/products/") && !strings.Contains(req.URL.Path, "variations") {
			s.mu.Lock()
			s.onSale = true
			s.mu.Unlock()
		}
		return resp, err
	})
}

// begin forgets what the calls before did.
func (s *saleWatch) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onSale, s.after = false, nil
}

func (s *saleWatch) followed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.after)
}

// No request for a picture follows the one that puts the product on sale, and the pictures take no
// more than 30 s of a call. What the shop did not load until then is loaded by later calls, each
// picture once.
func TestNoPictureFollowsTheSale(t *testing.T) {
	ten := addresses("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	for _, tt := range []struct {
		name    string
		pics    []string
		each    time.Duration // what the shop takes for a picture
		kills   string        // the picture that PHP dies on
		uploads int           // in the end
	}{
		{"quick", ten, time.Second, "", 10},
		{"slow", ten, 25 * time.Second, "", 10},
		{"slower than they have together", ten, 8 * time.Second, "", 10},
		{"PHP dies on the first", ten[:5], time.Second, ten[0], 4 + 3},
		{"PHP dies on the last", ten[:5], time.Second, ten[4], 2*(4+1) + 1},
		{"PHP dies on the only one", ten[:1], time.Second, ten[0], 2},
	} {
		for _, again := range []bool{false, true} {
			name := tt.name + ", first publication"
			if again {
				name = tt.name + ", published again"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFakeShop(t)
					watch := &saleWatch{}
					a := f.connect(t, patiently(), watch.wrap(t))
					p := sample("sale", 3)
					ref := refOf(p)
					if again {
						ref, _ = must(t, a, ref, p, shopadapter.AllFields)
						if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil {
							t.Fatal(err)
						}
					}
					p.Images = tt.pics
					f.Slow = map[string]time.Duration{}
					for _, address := range tt.pics {
						f.Slow[address] = tt.each
					}
					f.Kills = func(src string) bool { return src == tt.kills }
					good := slices.DeleteFunc(slices.Clone(tt.pics), f.Kills)
					changed := shopadapter.AllFields
					late := true
					for calls := 1; late && calls <= 20; calls++ {
						watch.begin()
						var l shopadapter.Listing
						var took time.Duration
						ref, l, took = timed(t, a, ref, p, changed)
						if got := watch.followed(); len(got) > 0 {
							t.Errorf("call %d: after the product went on sale followed %q, want no request", calls, got)
						}
						if most := 31 * time.Second; took > most {
							t.Errorf("call %d took %s, want at most %s", calls, took, most)
						}
						if !f.seen(t, p.ID).OnSale {
							t.Errorf("after call %d the product is not on sale", calls)
						}
						ref.OnSale, changed, late = true, shopadapter.FieldImages, len(lateOf(l)) > 0
						time.Sleep(time.Minute)
					}
					if late {
						t.Error("after 20 calls there are pictures to come, want none")
					}
					if got := f.seen(t, p.ID).Images; !slices.Equal(got, good) {
						t.Errorf("it shows %q, want %q", got, good)
					}
					if got := f.Uploads(); got != tt.uploads {
						t.Errorf("%d uploads, want %d", got, tt.uploads)
					}
				})
			})
		}
	}
}

// A request for pictures that the shop ends after the product went on sale takes nothing back: what
// the merchant has edited since stays.
func TestLatePicturesLeaveTheMerchantsEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		a := f.connect(t, patiently(), nil)
		p := sample("edited", 3)
		p.Images = addresses("a", "b", "c", "d", "e", "f")
		f.Slow = map[string]time.Duration{}
		for _, address := range p.Images {
			f.Slow[address] = 25 * time.Second
		}
		ref, l, _ := timed(t, a, refOf(p), p, shopadapter.AllFields)
		if err := f.Edit(l.ID, shopadapter.FieldTitle); err != nil {
			t.Fatal(err)
		}
		edited := f.seen(t, p.ID).Title
		time.Sleep(5 * time.Minute)
		p.Title = "The supplier's next title"
		if _, l, _ = timed(t, a, ref, p, shopadapter.FieldTitle|shopadapter.FieldImages); l.Kept != shopadapter.FieldTitle {
			t.Errorf("kept %s, want %s", l.Kept, shopadapter.FieldTitle)
		}
		if got := f.seen(t, p.ID).Title; got != edited {
			t.Errorf("the title is %q, want the merchant's %q", got, edited)
		}
	})
}
