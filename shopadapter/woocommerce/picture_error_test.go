package woocommerce

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

const (
	notFound    = "Not Found"
	unreachable = "cURL error 7: Failed to connect to cdn.example.com port 443 after 0 ms: Couldn't connect to server"
)

// missing is what a listing names, in its order: the address and whether it may come later.
func missing(l shopadapter.Listing) (list []shopadapter.Picture) {
	for _, m := range l.Missing {
		list = append(list, shopadapter.Picture{URL: m.URL, Later: m.Later})
	}
	return list
}

func late(numbers ...int) (list []shopadapter.Picture) {
	for _, address := range pictureURLs(numbers...) {
		list = append(list, shopadapter.Picture{URL: address, Later: true})
	}
	return list
}

func never(addresses ...string) (list []shopadapter.Picture) {
	for _, address := range addresses {
		list = append(list, shopadapter.Picture{URL: address})
	}
	return list
}

// A picture that cannot be had costs that picture and nothing else, and the result names it.
func TestBadPictures(t *testing.T) {
	for _, tt := range []struct {
		name     string
		pics     []string
		bad      []int // that the shop does not take
		why      string
		want     []string
		missing  []shopadapter.Picture
		requests int // that write the product when the pictures are asked for again
	}{
		{"one, not found", pictureURLs(1, 2, 3), []int{2}, notFound, pictureURLs(1, 3), late(2), 1},
		{
			"two, refused and not named", pictureURLs(1, 2, 3, 4),
			[]int{1, 4},
			fakeshop.NotAllowed, pictureURLs(2, 3),
			never(pictureURLs(1, 4)...), 0,
		},
		{"all, not found", pictureURLs(1, 2), []int{1, 2}, notFound, nil, late(1, 2), 2},
		{"the only one, refused", pictureURLs(1), []int{1}, fakeshop.NotAllowed, nil, never(pictureURLs(1)...), 0},
		{
			"many, their server is away", pictureURLs(1, 2, 3, 4, 5, 6, 7),
			[]int{1, 2, 3, 4, 5, 6, 7},
			unreachable, nil,
			late(1, 2, 3, 4, 5, 6, 7), 7,
		},
		{
			"types that it takes none of",
			[]string{"https://cdn.example.com/a.svg", "https://cdn.example.com/a", pictureURL(1), "ftp://x/a.jpg"},
			nil, "", pictureURLs(1), never("https://cdn.example.com/a.svg", "https://cdn.example.com/a", "ftp://x/a.jpg"), 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.BadPicture = func(src string) string {
				if slices.Contains(pictureURLs(tt.bad...), src) {
					return tt.why
				}
				return ""
			}
			a := f.connect(t, quickly(), nil)
			p := sample("album", 3)
			p.Images = tt.pics
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if s := f.seen(t, p.ID); !slices.Equal(s.Images, tt.want) || !s.OnSale {
				t.Errorf("shows %v, on sale %t, want %v and true", s.Images, s.OnSale, tt.want)
			}
			if diff := cmp.Diff(tt.missing, missing(l)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			for _, m := range l.Missing {
				if m.Reason == "" || strings.Contains(m.Reason, "<") {
					t.Errorf("the reason is %q, want one without markup", m.Reason)
				}
			}
			f.Requests()
			p.Variants[0].Price = "1.00"
			ref, l = must(t, a, ref, p, shopadapter.FieldPrice)
			if n := len(f.Requests()); n != 3 || l.Missing != nil {
				t.Errorf("%d requests for a price, missing %v, want 3 and none named: no picture is tried again", n, l.Missing)
			}
			ref, l = must(t, a, ref, p, shopadapter.FieldImages)
			if diff := cmp.Diff(tt.missing, missing(l)); diff != "" {
				t.Errorf("missing when asked for again (-want +got):\n%s", diff)
			}
			if puts := f.puts(); puts != tt.requests {
				t.Errorf("%d requests write the product when the pictures are asked for again, want %d", puts, tt.requests)
			}
			// The supplier mends it, and a person asks.
			f.BadPicture = nil
			ref.Asked = true
			uploads := f.Uploads()
			_, l = must(t, a, ref, p, shopadapter.FieldImages)
			usable := slices.DeleteFunc(
				slices.Clone(p.Images),
				func(address string) bool { return !strings.HasPrefix(address, "https://cdn.example.com/pictures") },
			)
			if l.Kept != 0 || !slices.Equal(f.seen(t, p.ID).Images, usable) || f.Uploads()-uploads != len(tt.bad) {
				t.Errorf("mended: kept %s, shows %v after %d more uploads, want none, %v and %d",
					l.Kept, f.seen(t, p.ID).Images, f.Uploads()-uploads, usable, len(tt.bad))
			}
		})
	}
}

// bodyOf is what a request sends, which it still does afterwards.
func bodyOf(t *testing.T, req *http.Request) string {
	if req.GetBody == nil {
		return ""
	}
	r, err := req.GetBody()
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// puts is how many of the requests since it was last asked for write a product.
func (f *fakeShop) puts() int {
	return len(slices.DeleteFunc(f.Requests(), func(line string) bool { return !strings.HasPrefix(line, "PUT") }))
}

// What the shop refused is tried again when the supplier changes the pictures, and not before.
func TestRefusedPictureAndAnotherList(t *testing.T) {
	f := newFakeShop(t)
	back := f.Spoil(pictureURL(2), fakeshop.NotAllowed)
	a := f.connect(t, quickly(), nil)
	p := sample("album", 1)
	p.Images = pictureURLs(1, 2)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	back()
	ref, l := must(t, a, ref, p, shopadapter.FieldImages)
	if diff := cmp.Diff(never(pictureURL(2)), missing(l)); diff != "" {
		t.Errorf("missing of the same list (-want +got):\n%s", diff)
	}
	p.Images = pictureURLs(2, 1)
	if _, l = must(t, a, ref, p, shopadapter.FieldImages); l.Missing != nil ||
		!slices.Equal(f.seen(t, p.ID).Images, p.Images) {
		t.Errorf("another list: missing %v, shows %v, want none and %v", l.Missing, f.seen(t, p.ID).Images, p.Images)
	}
}

// A merchant who arranges the pictures while one is late has arranged them: none is missing, and
// none is added.
func TestMerchantArrangesWhileOneIsLate(t *testing.T) {
	f := newFakeShop(t)
	back := f.LosePicture(pictureURL(2))
	a := f.connect(t, quickly(), nil)
	p := sample("album", 1)
	p.Images = pictureURLs(1, 2, 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	own := f.Find(l.ID)
	slices.Reverse(own.Images)
	back()
	for range 2 {
		if ref, l = must(t, a, ref, p, shopadapter.FieldImages); l.Kept != shopadapter.FieldImages || l.Missing != nil {
			t.Errorf("kept %s, missing %v, want the images and none", l.Kept, l.Missing)
		}
	}
	if got := f.seen(t, p.ID).Images; !slices.Equal(got, pictureURLs(3, 1)) {
		t.Errorf("shows %v, want %v", got, pictureURLs(3, 1))
	}
}

// PHP dies on a picture. It costs that picture alone, wherever it stands among the others, and is
// given up when PHP dies on it alone.
func TestPictureThatKillsPHP(t *testing.T) {
	for _, tt := range []struct {
		name    string
		killers []int
		uploads int // in all, those on which PHP died among them
		calls   int // until every one is given up
		status  int // 0: 500
	}{
		{"the only one", []int{1}, 2, 2, 0},
		{"the first of five", []int{1}, 4 + 2, 2, 0},
		{"the last of five", []int{5}, 4 + 2, 2, 0},
		{"two of five", []int{2, 4}, 3 + 3, 2, 0},
		{"the worker is killed, which nginx calls a bad gateway", []int{5}, 4 + 2, 2, http.StatusBadGateway},
		{
			"the worker is killed, which others call an unavailable service",
			[]int{5},
			4 + 2, 2,
			http.StatusServiceUnavailable,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.KilledAs = tt.status
			f.Kills = func(src string) bool { return slices.Contains(pictureURLs(tt.killers...), src) }
			a := f.connect(t, quickly(), nil)
			p := sample("album", 3)
			p.Images = pictureURLs(1, 2, 3, 4, 5)
			if tt.name == "the only one" {
				p.Images = pictureURLs(1)
			}
			good := slices.DeleteFunc(slices.Clone(p.Images), f.Kills)
			ref := refOf(p)
			calls, given := 0, 0
			for given < len(tt.killers) && calls < 8 {
				calls++
				var l shopadapter.Listing
				ref, l = must(t, a, ref, p, shopadapter.FieldImages)
				if s := f.seen(t, p.ID); !s.OnSale || calls > 1 && !slices.Equal(s.Images, good) {
					t.Fatalf("after %d calls: on sale %t, shows %v, want true and %v", calls, s.OnSale, s.Images, good)
				}
				given = 0
				for _, m := range l.Missing {
					if !m.Later {
						given++
					}
					if !strings.Contains(m.Reason, "PHP die") && !strings.Contains(m.Reason, "got into trouble") {
						t.Errorf("%s is missing for %q, want one that tells of PHP", m.URL, m.Reason)
					}
				}
			}
			if calls != tt.calls || given != len(tt.killers) {
				t.Errorf("%d are given up after %d calls, want after %d", given, calls, tt.calls)
			}
			f.Requests()
			before := f.Uploads()
			p.Title = "Another title"
			if ref, _ = must(t, a, ref, p, shopadapter.FieldTitle|shopadapter.FieldImages); f.Uploads() != before {
				t.Errorf("%d uploads, want %d: what was given up is not loaded again unasked", f.Uploads(), before)
			}
			f.Kills = nil
			ref.Asked = true
			if _, l := must(t, a, ref, p, shopadapter.FieldImages); l.Missing != nil ||
				!slices.Equal(f.seen(t, p.ID).Images, p.Images) {
				t.Errorf("asked: missing %v, shows %v, want none and %v", l.Missing, f.seen(t, p.ID).Images, p.Images)
			}
		})
	}
}

// A picture whose server keeps PHP waiting until the web server gives up costs the pictures of its
// request, until PHP has given up for certain. The product is on sale at once.
func TestPictureThatHangs(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				hangs := true
				a := f.connect(t, realPatience(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
					if hangs && strings.Contains(bodyOf(t, req), `"src":"`+strings.ReplaceAll(pictureURL(n), "&", `\u0026`)) {
						time.Sleep(time.Minute)
						return page(req, http.StatusGatewayTimeout), nil
					}
					return next.RoundTrip(req)
				}))
				p := sample("album", 1)
				p.Images = pictureURLs(1, 2, 3)[:n]
				ref := refOf(p)
				var l shopadapter.Listing
				calls := 0
				for calls < 6 {
					calls++
					var err error
					l, err = a.Publish(t.Context(), ref, p, shopadapter.AllFields)
					ref.Listing, ref.State = l.ID, l.State
					if err == nil {
						break
					}
					time.Sleep(time.Minute)
				}
				if s := f.seen(t, p.ID); !s.OnSale || calls != 1 || len(s.Images) != 0 {
					t.Errorf("on sale %t after %d calls with %v, want true after 1", s.OnSale, calls, s.Images)
				}
				if got := len(missing(l)); got != n {
					t.Errorf("%d pictures are missing, want %d", got, n)
				}
				hangs = false
				time.Sleep(6 * time.Minute)
				if _, l = must(t, a, ref, p, shopadapter.FieldImages); l.Missing != nil ||
					!slices.Equal(f.seen(t, p.ID).Images, p.Images) ||
					f.Uploads() != n {
					t.Errorf("back: missing %v, shows %v after %d uploads, want none and %v after %d",
						l.Missing, f.seen(t, p.ID).Images, f.Uploads(), p.Images, n)
				}
			})
		})
	}
}

// A plugin has the shop leave out what it cannot load, without a word.
func TestPictureLeftOutSilently(t *testing.T) {
	f := newFakeShop(t)
	back := f.LosePicture(pictureURL(2))
	f.Suppresses = true
	a := f.connect(t, quickly(), nil)
	p := sample("album", 1)
	p.Images = pictureURLs(1, 2, 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	if diff := cmp.Diff(late(2), missing(l)); diff != "" || l.Kept != 0 {
		t.Errorf("kept %s, want none; missing (-want +got):\n%s", l.Kept, diff)
	}
	back()
	if _, l = must(t, a, ref, p, shopadapter.FieldImages); l.Missing != nil || l.Kept != 0 ||
		!slices.Equal(f.seen(t, p.ID).Images, p.Images) ||
		f.Uploads() != 3 {
		t.Errorf("back: kept %s, missing %v, shows %v after %d uploads, want none, none, and %v after 3",
			l.Kept, l.Missing, f.seen(t, p.ID).Images, f.Uploads(), p.Images)
	}
}
