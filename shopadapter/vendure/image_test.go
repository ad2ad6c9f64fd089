package vendure_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A gallery serves pictures and what is not one. Those under /later are to be had once it is open.
type gallery struct {
	*httptest.Server
	open atomic.Bool
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/good"), strings.HasPrefix(r.URL.Path, "/later") && g.open.Load():
			_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n" + r.URL.Path))
		case strings.HasPrefix(r.URL.Path, "/later"):
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasPrefix(r.URL.Path, "/page"):
			_, _ = w.Write([]byte("<html>"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

func TestABadPictureCostsThatPicture(t *testing.T) {
	for _, tc := range []struct {
		name, address string
		shop          func(*fakeShop)
		why           string
		again         bool // it is tried again
	}{
		{"not there", "/missing?signature=hidden", nil, "answered 404", false},
		{"a page", "/page", nil, "neither JPEG", false},
		{"not to be had just now", "/later", nil, "answered 503", true},
		{"the shop cannot make a preview", "/good/broken", func(f *fakeShop) {
			f.uploadFails = func(string) string { return "INTERNAL_SERVER_ERROR" }
		}, "unsupported image format", true},
		{"the shop refuses it", "/good/refused", func(f *fakeShop) {
			f.uploadFails = func(string) string { return "USER_INPUT_ERROR" }
		}, "refuses it", false},
		{"inside the retailer's network", "http://169.254.169.254/latest", nil, "not a public one", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host, fake := newGallery(t), newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 1)
			p.Images = []string{host.URL + "/good/1"}
			publish(t, a, p, shopadapter.AllFields)
			if tc.shop != nil {
				tc.shop(fake)
			}
			address := tc.address
			if strings.HasPrefix(address, "/") {
				address = host.URL + address
			}
			p.Images = append(p.Images, address)
			p.Variants[0].Price = "5.00"
			l := publish(t, a, p, shopadapter.AllFields)
			if got := only(t, fake); len(got.Assets) != 1 || !got.Enabled || got.Variants[0].PriceWithTax != 500 {
				t.Errorf("the product is %+v", got)
			}
			if len(l.Missing) != 1 {
				t.Fatalf("missing are %+v, want one picture", l.Missing)
			}
			if m := l.Missing[0]; m.URL != address || m.Later != tc.again || !strings.Contains(m.Reason, tc.why) ||
				strings.Contains(m.Reason, "hidden") {
				t.Errorf("missing is %+v, want %s because of %q, later %t", m, address, tc.why, tc.again)
			}
			host.open.Store(true)
			fake.uploadFails = nil
			publish(t, a, p, shopadapter.FieldPrice)
			if got := len(only(t, fake).Assets); (got == 2) != tc.again {
				t.Errorf("after a later call the product has %d pictures", got)
			}
		})
	}
}

func TestPicturesThatTwoProductsShareAreUploadedOnce(t *testing.T) {
	host, fake := newGallery(t), newFakeShop(t)
	a := fake.open(t)
	var wg sync.WaitGroup
	for _, id := range []shopadapter.PublicationID{"a", "b", "c", "d"} {
		wg.Go(func() {
			p := laws.Sample(id, 1)
			p.Images = []string{host.URL + "/good/1", host.URL + "/good/2", host.URL + "/good/1"}
			if _, err := a.Publish(t.Context(), shopadapter.Ref{Publication: id}, p, shopadapter.AllFields); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, err := fake.office().Uploads(t.Context()); err != nil || n != 2 {
		t.Errorf("%d uploads of 2 pictures, %v", n, err)
	}
	products, err := fake.office().Products(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range products {
		if len(p.Assets) != 2 {
			t.Errorf("product %s has %d pictures", p.ID, len(p.Assets))
		}
	}
}

func TestNoPictures(t *testing.T) {
	host, fake := newGallery(t), newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Images = []string{host.URL + "/good/1"}
	publish(t, a, p, shopadapter.AllFields)
	p.Images = nil
	if l := publish(t, a, p, shopadapter.FieldImages); l.Kept != 0 {
		t.Errorf("kept %s", l.Kept)
	}
	if got := only(t, fake); len(got.Assets) != 0 || got.FeaturedAsset != nil {
		t.Errorf("the product shows %v", got.Assets)
	}
}
