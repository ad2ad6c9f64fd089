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

const notFound = "Not Found"

// missing is what a listing names, in its order: the address and whether it may come later.
func missing(l shopadapter.Listing) (list []shopadapter.Picture) {
	for _, m := range l.Missing {
		list = append(list, shopadapter.Picture{URL: m.URL, Later: m.Later})
	}
	return list
}

func pictureURL(n int) string {
	return fmt.Sprintf("https://cdn.example.com/pictures/lamp%%20%d.jpg?w=1200", n)
}

func pictureURLs(numbers ...int) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = pictureURL(n)
	}
	return list
}

// absent is the pictures that are missing: those that come later, or those that do not.
func absent(later bool, addresses ...string) (list []shopadapter.Picture) {
	for _, address := range addresses {
		list = append(list, shopadapter.Picture{URL: address, Later: later})
	}
	return list
}

func (f *fakeShop) puts() int {
	return len(slices.DeleteFunc(f.Requests(), func(line string) bool { return !strings.HasPrefix(line, "PUT") }))
}

func TestPictures(t *testing.T) {
	f, a := opened(t)
	p := sample("album", 3)
	ref := refOf(p)
	for _, step := range []struct {
		name    string
		pics    []string
		uploads int // in all
		puts    int // of the product
	}{
		{"two", pictureURLs(1, 2), 2, 1},
		{"the same", pictureURLs(1, 2), 2, 0},
		{"one twice", pictureURLs(1, 2, 1), 2, 0},
		{"one added in front", pictureURLs(3, 1, 2), 3, 1},
		{"reordered", pictureURLs(2, 3, 1), 3, 1},
		{"one removed", pictureURLs(2, 1), 3, 1},
		{"all removed", nil, 3, 1},
		{"more than one request takes", pictureURLs(1, 4, 5, 6, 7, 8, 9, 10, 11, 12), 13, 2},
	} {
		p.Images = step.pics
		f.Requests()
		var l shopadapter.Listing
		ref, l = must(t, a, ref, p, shopadapter.FieldImages)
		want := step.pics
		if step.name == "one twice" {
			want = pictureURLs(1, 2)
		}
		if got := f.seen(t, p.ID).Images; !slices.Equal(got, want) || l.Kept != 0 {
			t.Fatalf("%s: shows %v, kept %s, want %v and none", step.name, got, l.Kept, want)
		}
		if puts := f.puts(); f.Uploads() != step.uploads || puts != step.puts {
			t.Fatalf("%s: %d uploads in all and %d writes, want %d and %d",
				step.name, f.Uploads(), puts, step.uploads, step.puts)
		}
	}
}

// A title that the merchant gives to a picture in the media library changes nothing: also where the
// State is lost after the next write of the product.
func TestARetitledPictureStaysTheSuppliers(t *testing.T) {
	for _, lost := range []bool{false, true} {
		f, a := opened(t)
		p := sample("album", 1)
		p.Images = pictureURLs(1, 2, 3)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		if lost {
			p.Title += " again"
			ref, _ = must(t, a, ref, p, shopadapter.FieldTitle)
			ref.State = nil
		}
		f.Media[f.Find(ref.Listing).Images[1]].Name = "A lamp in the evening"
		for range 2 {
			var l shopadapter.Listing
			p.Images = append(slices.Clone(p.Images), pictureURL(len(p.Images)+1))
			ref, l = must(t, a, ref, p, shopadapter.FieldImages)
			o := observed(t, a, shopadapter.Query{})[p.ID]
			if got := f.seen(t, p.ID).Images; !slices.Equal(got, p.Images) || l.Kept != 0 || l.Missing != nil || o.Edited != 0 ||
				f.Uploads() != len(p.Images) {
				t.Errorf("lost %t: shows %v after %d uploads, kept %s, missing %v, observed as edited %s, want %v, each once",
					lost, got, f.Uploads(), l.Kept, l.Missing, o.Edited, p.Images)
			}
		}
	}
}

// A picture that was deleted from the media library is one that the merchant took off, also where that
// happens between look and write: its id is refused then.
func TestAPictureDeletedFromTheLibrary(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		f, a := opened(t)
		p := sample("album", 1)
		p.Images = pictureURLs(1, 2, 3)
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		remove := func() { delete(f.Media, f.Find(l.ID).Images[1]) }
		p.Images = pictureURLs(3, 1, 2)
		if meanwhile {
			f.meanwhile(remove)
			_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldImages)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient {
				t.Errorf("got %v, want a transient error", err)
			}
		} else {
			remove()
		}
		_, l = must(t, a, ref, p, shopadapter.FieldImages)
		if got := f.seen(t, p.ID).Images; !slices.Equal(got, pictureURLs(1, 3)) || l.Kept != shopadapter.FieldImages {
			t.Errorf("meanwhile %t: shows %v, kept %s, want the two that are left, and images", meanwhile, got, l.Kept)
		}
	}
}

// A shop that answers every write with 500 says nothing of the pictures: they come once it works.
func TestAShopThatFailsRefusesNoPicture(t *testing.T) {
	f := newFakeShop(t)
	fails := false
	a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if fails && req.Method != http.MethodGet && !strings.HasSuffix(req.URL.Path, nothing) {
			return page(req, http.StatusInternalServerError), nil
		}
		return next.RoundTrip(req)
	}))
	p := sample("album", 1)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	p.Images, fails = pictureURLs(1, 2), true
	for range 3 {
		l, err := a.Publish(t.Context(), ref, p, shopadapter.FieldImages)
		if e := shopadapter.Explain(err); e != nil && e.Kind != shopadapter.Transient {
			t.Fatalf("got %v, want a transient error, or that the pictures come later", err)
		}
		ref.State = l.State
	}
	fails = false
	if _, l := must(t, a, ref, p, shopadapter.FieldImages); l.Missing != nil ||
		!slices.Equal(f.seen(t, p.ID).Images, p.Images) {
		t.Errorf("shows %v, missing %v, want %v and none", f.seen(t, p.ID).Images, l.Missing, p.Images)
	}
}

// A picture that cannot be had costs that picture and nothing else, and the result names it. A refused
// one is tried again when the list changes or a person asks.
func TestBadPictures(t *testing.T) {
	refused := fakeshop.NotAllowed
	types := []string{"https://cdn.example.com/a.svg", "https://cdn.example.com/a", "ftp://x/a.jpg"}
	for _, tt := range []struct {
		name     string
		pics     []string
		bad      []int // that the shop does not take
		why      string
		want     []string
		missing  []shopadapter.Picture
		requests int // that write the product when the pictures are asked for again
	}{
		{"one, not found", pictureURLs(1, 2, 3), []int{2}, notFound, pictureURLs(1, 3), absent(true, pictureURL(2)), 1},
		{
			"two, refused and not named", pictureURLs(1, 2, 3, 4),
			[]int{1, 4},
			refused, pictureURLs(2, 3),
			absent(false, pictureURLs(1, 4)...), 0,
		},
		{"all, not found", pictureURLs(1, 2), []int{1, 2}, notFound, nil, absent(true, pictureURLs(1, 2)...), 2},
		{
			"an address that stock WordPress refuses", pictureURLs(1, 2),
			[]int{1},
			"A valid URL was not provided.",
			pictureURLs(2), absent(true, pictureURL(1)), 1,
		},
		{
			"types that it takes none of", append(types[:3:3], pictureURL(1)), nil, "", pictureURLs(1),
			absent(false, types...), 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			f.BadPicture = func(src string) string {
				if slices.Contains(pictureURLs(tt.bad...), src) {
					return tt.why
				}
				return ""
			}
			p := sample("album", 3)
			p.Images = tt.pics
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if s := f.seen(t, p.ID); !slices.Equal(s.Images, tt.want) || !s.OnSale {
				t.Errorf("shows %v, on sale %t, want %v and true", s.Images, s.OnSale, tt.want)
			}
			f.Requests()
			for range 2 {
				if diff := cmp.Diff(tt.missing, missing(l)); diff != "" {
					t.Errorf("missing (-want +got):\n%s", diff)
				}
				ref, l = must(t, a, ref, p, shopadapter.FieldImages)
			}
			if puts := f.puts(); puts != 2*tt.requests {
				t.Errorf("%d requests write the product when asked twice, want %d", puts, 2*tt.requests)
			}
			f.BadPicture, ref.Asked = nil, tt.why != refused // the supplier mends it, and a person asks
			if !ref.Asked {
				p.Images = slices.Insert(slices.Clone(p.Images), 1, pictureURL(9)) // or the list is another one
			}
			_, l = must(t, a, ref, p, shopadapter.FieldImages)
			usable := slices.DeleteFunc(slices.Clone(p.Images), func(address string) bool {
				return slices.Contains(types, address)
			})
			if got := f.seen(t, p.ID).Images; l.Kept != 0 || !slices.Equal(got, usable) {
				t.Errorf("mended: kept %s, shows %v, want none and %v", l.Kept, got, usable)
			}
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
	if diff := cmp.Diff(absent(true, pictureURL(2)), missing(l)); diff != "" || l.Kept != 0 {
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

func addresses(names ...string) []string {
	var list []string
	for _, name := range names {
		list = append(list, "https://images.example.com/"+name+".jpg")
	}
	return list
}

// timed publishes, and tells how long that took.
func timed(
	t *testing.T, a *adapter, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Ref, shopadapter.Listing, time.Duration) {
	t.Helper()
	begun := time.Now()
	next, l := must(t, a, ref, p, changed)
	return next, l, time.Since(begun)
}

func lateOf(l shopadapter.Listing) []string {
	var list []string
	for _, m := range l.Missing {
		if m.Later && m.Reason != "" {
			list = append(list, m.URL)
		}
	}
	return list
}

// The shop is never given a picture whose server does not answer. The product goes on sale without
// it.
func TestSilentPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		p := sample("silent", 3)
		p.Images = addresses("one", "silent", "two", "silenter")
		silent := []string{p.Images[1], p.Images[3]}
		f.silent = map[string]bool{silent[0]: true, silent[1]: true}
		a := f.connect(t, realPatience(), nil)
		ref, l, took := timed(t, a, refOf(p), p, shopadapter.AllFields)
		s := f.seen(t, p.ID)
		if most := 15 * time.Second; took > most || !s.OnSale || !slices.Equal(lateOf(l), silent) ||
			!slices.Equal(s.Images, []string{p.Images[0], p.Images[2]}) {
			t.Errorf("on sale %t after %s with %q, late are %q, want true after %s at most, and %q late",
				s.OnSale, took, s.Images, lateOf(l), most, silent)
		}
		f.silent = nil
		_, l, _ = timed(t, a, ref, p, shopadapter.FieldImages)
		if s := f.seen(t, p.ID); len(l.Missing) > 0 || f.Uploads() != 4 || !slices.Equal(s.Images, p.Images) {
			t.Errorf("once they answer: shows %q after %d uploads, missing %v, want all four once",
				s.Images, f.Uploads(), l.Missing)
		}
	})
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

// No request for a picture follows the one that puts the product on sale, and the pictures take no
// more than 30 s of a call. What the shop did not load until then is loaded by later calls, each
// picture once. One on which PHP dies alone in two calls is given up, and costs no other.
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
		{"PHP dies on the last", ten[:5], time.Second, ten[4], 2*4 + 3},
		{"PHP dies on the only one", ten[:1], time.Second, ten[0], 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				onSale := false
				a := f.connect(t, realPatience(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
					text := bodyOf(t, req)
					if onSale && strings.Contains(text, `"images"`) {
						t.Errorf("%s %s loads pictures after the sale", req.Method, req.URL.Path)
					}
					resp, err := next.RoundTrip(req)
					onSale = onSale || err == nil && resp.StatusCode == http.StatusOK && strings.Contains(text, `"publish"`) &&
						!strings.Contains(req.URL.Path, "variations")
					return resp, err
				}))
				f.Slow = map[string]time.Duration{}
				for _, address := range tt.pics {
					f.Slow[address] = tt.each
				}
				f.Kills = func(src string) bool { return src == tt.kills }
				p := sample("sale", 3)
				p.Images = tt.pics
				ref, changed, late := refOf(p), shopadapter.AllFields, true
				for calls := 1; late && calls <= 20; calls++ {
					var l shopadapter.Listing
					var took time.Duration
					if ref, l, took = timed(t, a, ref, p, changed); took > 31*time.Second || !f.seen(t, p.ID).OnSale {
						t.Errorf("call %d took %s, on sale %t, want 31 s at most and true", calls, took, f.seen(t, p.ID).OnSale)
					}
					onSale, ref.OnSale, changed, late = false, true, shopadapter.FieldImages, len(lateOf(l)) > 0
					time.Sleep(time.Minute)
				}
				good := slices.DeleteFunc(slices.Clone(tt.pics), f.Kills)
				if got := f.seen(t, p.ID).Images; late || !slices.Equal(got, good) || f.Uploads() != tt.uploads {
					t.Errorf("it shows %q after %d uploads, want %q after %d", got, f.Uploads(), good, tt.uploads)
				}
			})
		})
	}
}
