package shopify_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

func pictures(numbers ...int) []string {
	list := []string{}
	for _, n := range numbers {
		list = append(list, shopadaptertest.Image(n))
	}
	return list
}

func sources(p *fakeProduct) []string {
	list := []string{}
	for _, m := range p.media {
		list = append(list, m.source)
	}
	return list
}

func TestPicturesAddedReorderedRemoved(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	var ref shopadapter.Ref
	for _, step := range []struct {
		name    string
		images  []string
		uploads int // in all
	}{
		{"none", pictures(), 0},
		{"two", pictures(1, 2), 2},
		{"one in between", pictures(1, 3, 2), 3},
		{"in another order", pictures(2, 1, 3), 3},
		{"one twice", pictures(2, 2, 1, 3), 3},
		{"one less", pictures(2, 3), 3},
		{"none again", pictures(), 3},
	} {
		p.Images = step.images
		var l shopadapter.Listing
		ref, l = publish(t, a, ref, p, shopadapter.FieldImages)
		if diff := cmp.Diff(slices.Compact(slices.Clone(step.images)), sources(fake.sole(t))); diff != "" || fake.uploads != step.uploads || l.Kept != 0 {
			t.Errorf("%s: %d uploads, kept %s (-want +got):\n%s", step.name, fake.uploads, l.Kept, diff)
		}
	}
	if alt := func() string {
		p.Images = pictures(9)
		publish(t, a, ref, p, shopadapter.FieldImages)
		return fake.products[0].media[0].alt
	}(); alt != p.Title {
		t.Errorf("the alternative text is %q", alt)
	}
}

// TestABadPictureCostsThatPicture: one that cannot be processed is sent once more, one whose address is refused not at all.
func TestABadPictureCostsThatPicture(t *testing.T) {
	fake := newFakeShop(t)
	fake.badPicture = func(source string) bool { return source == shopadaptertest.Image(2) }
	a := fake.open(t)
	p := lamp("p", 1)
	p.Images = append(pictures(1, 2), "https://images.example.com/unreachable.jpg", "ftp://images.example.com/x.jpg", "", shopadaptertest.Image(3))
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if got := fake.sole(t); !got.onSale() || fake.uploads != 3 {
		t.Fatalf("on sale %t, %d uploads", got.onSale(), fake.uploads)
	}
	for n, want := range []struct {
		uploads int
		images  []string
	}{{4, pictures(1, 2, 3)}, {4, pictures(1, 3)}, {4, pictures(1, 3)}} {
		var l shopadapter.Listing
		ref, l = publish(t, a, ref, p, shopadapter.FieldPrice)
		if diff := cmp.Diff(want.images, sources(fake.sole(t))); diff != "" || fake.uploads != want.uploads || l.Kept != 0 {
			t.Errorf("call %d: %d uploads, kept %s (-want +got):\n%s", n+2, fake.uploads, l.Kept, diff)
		}
	}
	p.Images = pictures(1, 2, 4)
	ref, _ = publish(t, a, ref, p, shopadapter.FieldImages)
	if diff := cmp.Diff(pictures(1, 4), sources(fake.sole(t))); diff != "" || fake.uploads != 5 {
		t.Errorf("with another: %d uploads (-want +got):\n%s", fake.uploads, diff)
	}
	fake.badPicture = nil
	ref.Reset = shopadapter.FieldImages
	publish(t, a, ref, p, shopadapter.FieldImages)
	if diff := cmp.Diff(pictures(1, 2, 4), sources(fake.sole(t))); diff != "" || fake.uploads != 6 {
		t.Errorf("given back: %d uploads (-want +got):\n%s", fake.uploads, diff)
	}
}

func TestTheMerchantsVideoStays(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := shopadaptertest.Sample("p", 1)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	fake.products[0].media = append(fake.products[0].media, &fakeMedia{id: "gid://shopify/Video/1", source: "video", status: "READY"})
	p.Images = pictures(7)
	ref, l := publish(t, a, ref, p, shopadapter.FieldImages)
	if got := sources(fake.sole(t)); l.Kept != shopadapter.FieldImages || len(got) != 3 || fake.uploads != 2 {
		t.Errorf("kept %s, pictures %v, %d uploads", l.Kept, got, fake.uploads)
	}
	ref.Reset = shopadapter.FieldImages
	if _, l = publish(t, a, ref, p, shopadapter.NoFields); l.Kept != 0 || !slices.Equal(sources(fake.sole(t)), p.Images) {
		t.Errorf("given back: kept %s, pictures %v", l.Kept, sources(fake.sole(t)))
	}
}

// TestAReorderingByHandAfterAWrite is an edit, whether the stamp was settled or still speaks of pictures on their way.
func TestAReorderingByHandAfterAWrite(t *testing.T) {
	for name, after := range map[string][]string{"new pictures": pictures(3, 4), "the old ones in another order": pictures(2, 1)} {
		t.Run(name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 1)
			p.Images = pictures(1, 2)
			ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			p.Images = append(after, shopadaptertest.Image(5))
			ref, _ = publish(t, a, ref, p, shopadapter.FieldImages)
			p.Images = after
			ref, _ = publish(t, a, ref, p, shopadapter.FieldImages)
			media := fake.products[0].media
			media[0], media[1] = media[1], media[0]
			mine := sources(fake.sole(t))
			p.Images = pictures(8)
			if _, l := publish(t, a, ref, p, shopadapter.FieldImages); l.Kept != shopadapter.FieldImages || !slices.Equal(sources(fake.sole(t)), mine) {
				t.Errorf("kept %s, pictures %v", l.Kept, sources(fake.sole(t)))
			}
		})
	}
}

// TestNewPicturesAreWaitedFor before the product goes on sale, and not for ever.
func TestNewPicturesAreWaitedFor(t *testing.T) {
	for _, tc := range []struct {
		takes, sold time.Duration
	}{{0, time.Second}, {2500 * time.Millisecond, 4 * time.Second}, {time.Hour, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.processing = func() time.Duration { return tc.takes }
			a, err := fake.openPatient()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			ref, _ := publish(t, a, shopadapter.Ref{}, shopadaptertest.Sample("p", 1), shopadapter.AllFields)
			if took := time.Since(start); tc.takes > 0 && took != tc.sold || tc.takes == 0 && took > tc.sold {
				t.Errorf("pictures that take %s: on sale after %s", tc.takes, took)
			}
			if !fake.sole(t).onSale() {
				t.Error("it is not on sale")
			}
			start = time.Now()
			p := shopadaptertest.Sample("p", 1)
			p.Images = pictures(5, 6)
			publish(t, a, ref, p, shopadapter.FieldImages)
			if took := time.Since(start); took > 0 {
				t.Errorf("a product on sale waited %s for pictures", took)
			}
		})
	}
}

// TestPicturesThatTheShopShowsLate: a shop that answers before it shows all the pictures is not taken for a merchant who removed some.
func TestPicturesThatTheShopShowsLate(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	late := []*fakeMedia{}
	fake.answer = func(operation string) *http.Response {
		if operation == "Media" && len(late) > 0 {
			fake.products[0].media = append(fake.products[0].media, late...)
			late = nil
		}
		return nil
	}
	fake.afterSet = func(p *fakeProduct) {
		if len(p.media) == 3 {
			late, p.media = p.media[1:], p.media[:1]
		}
	}
	p := lamp("p", 1)
	p.Images = pictures(1, 2, 3)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	p.Images = pictures(3, 2)
	if _, l := publish(t, a, ref, p, shopadapter.FieldImages); l.Kept != 0 || fake.uploads != 3 {
		t.Errorf("kept %s, %d uploads", l.Kept, fake.uploads)
	}
	if diff := cmp.Diff(p.Images, sources(fake.sole(t))); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyPictures(t *testing.T) {
	fake := newFakeShop(t)
	p := lamp("p", 1)
	for n := range 130 {
		p.Images = append(p.Images, shopadaptertest.Image(n))
	}
	ref, _ := publish(t, fake.open(t), shopadapter.Ref{}, p, shopadapter.AllFields)
	_, l := publish(t, fake.open(t), ref, p, shopadapter.AllFields)
	if n := len(fake.sole(t).media); n != 100 || l.Kept != 0 || fake.uploads != 100 {
		t.Errorf("%d pictures, kept %s, %d uploads", n, l.Kept, fake.uploads)
	}
}

// TestNoAddressIsLogged as it is: its query may hold a signature.
func TestNoAddressIsLogged(t *testing.T) {
	fake := newFakeShop(t)
	log := &strings.Builder{}
	a := fake.openLogging(t, log)
	p := lamp("p", 1)
	p.Images = []string{"https://images.example.com/unreachable.jpg?signature=s3cret", "gopher://images.example.com/x?signature=s3cret"}
	publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if text := log.String(); strings.Contains(text, "s3cret") || strings.Count(text, "image left out") != 2 {
		t.Errorf("logged: %s", fmt.Sprintf("%q", text))
	}
}
