package shopify_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func pictures(numbers ...int) []string {
	list := []string{}
	for _, n := range numbers {
		list = append(list, laws.Image(n))
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

// lacks is what a listing says of the pictures that it does not show.
func lacks(l shopadapter.Listing) []string {
	list := []string{}
	for _, m := range l.Missing {
		text := fmt.Sprintf("%s: %s", m.URL, m.Reason)
		if m.Later {
			text += " (later)"
		}
		list = append(list, text)
	}
	return list
}

// TestPicturesThatTheShopFailsOn: what the shop says of the picture itself is a refusal, everything
// else passes.
func TestPicturesThatTheShopFailsOn(t *testing.T) {
	for code, want := range map[string]struct {
		says  string
		later bool
	}{
		"IMAGE_DOWNLOAD_FAILURE":        {"could not download", true},
		"GENERIC_FILE_DOWNLOAD_FAILURE": {"could not download", true},
		"MEDIA_TIMEOUT_ERROR":           {"too long", true},
		"FILE_STORAGE_LIMIT_EXCEEDED":   {"no room", true},
		"UNKNOWN":                       {"failed to process", true},
		"IMAGE_PROCESSING_FAILURE":      {"cannot read it", false},
		"INVALID_IMAGE_FILE_SIZE":       {"larger than", false},
		"INVALID_IMAGE_RESOLUTION":      {"more pixels", false},
		"INVALID_IMAGE_ASPECT_RATIO":    {"proportions", false},
		"UNSUPPORTED_IMAGE_FILE_TYPE":   {"type", false},
		"GENERIC_FILE_INVALID_SIZE":     {"larger than", false},
	} {
		t.Run(code, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.put(laws.Image(2), code)
			p := lamp("p", 1)
			p.Images = pictures(1, 2)
			_, l := publish(t, fake.open(t), shopadapter.Ref{}, p, shopadapter.AllFields)
			if !fake.sole(t).onSale() {
				t.Error("it is not on sale")
			}
			if len(l.Missing) != 1 || l.Missing[0].URL != laws.Image(2) || l.Missing[0].Later != want.later ||
				!strings.Contains(l.Missing[0].Reason, want.says) {
				t.Errorf("missing: %q, want %q, later %t", lacks(l), want.says, want.later)
			}
		})
	}
}

// visible are the addresses of the pictures that a customer sees.
func (f *fakeShop) visible(p *fakeProduct) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := []string{}
	for _, m := range p.media {
		if f.mediaStatus(m) == "READY" {
			list = append(list, m.source)
		}
	}
	return list
}

// TestTheEmptyPlaceOfALatePicture: a merchant who deletes what the shop could not fetch has not
// edited the pictures.
func TestTheEmptyPlaceOfALatePicture(t *testing.T) {
	fake := newFakeShop(t)
	fake.put(laws.Image(2), "IMAGE_DOWNLOAD_FAILURE")
	a := fake.open(t)
	p := lamp("p", 1)
	p.Images = pictures(1, 2)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	fake.products[0].media = fake.products[0].media[:1]
	fake.put(laws.Image(2), "")
	_, l := publish(t, a, ref, p, shopadapter.FieldImages)
	if diff := cmp.Diff(p.Images, fake.visible(fake.sole(t))); diff != "" || l.Kept != 0 || len(l.Missing) > 0 {
		t.Errorf("kept %s, missing %q (-want +got):\n%s", l.Kept, lacks(l), diff)
	}
}

func TestTheMerchantsVideoStays(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := laws.Sample("p", 1)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	fake.products[0].media = append(
		fake.products[0].media,
		&fakeMedia{id: "gid://shopify/Video/1", source: "video", status: "READY"},
	)
	p.Images = pictures(7)
	ref, l := publish(t, a, ref, p, shopadapter.FieldImages)
	if got := sources(fake.sole(t)); l.Kept != shopadapter.FieldImages || len(got) != 3 || fake.uploads != 2 {
		t.Errorf("kept %s, pictures %v, %d uploads", l.Kept, got, fake.uploads)
	}
	ref.Reset = shopadapter.FieldImages
	if _, l = publish(t, a, ref, p, shopadapter.NoFields); l.Kept != 0 ||
		!slices.Equal(sources(fake.sole(t)), p.Images) {
		t.Errorf("given back: kept %s, pictures %v", l.Kept, sources(fake.sole(t)))
	}
}

// TestNewPicturesAreWaitedFor before the product goes on sale and before the call says which are
// missing, and not for ever.
func TestNewPicturesAreWaitedFor(t *testing.T) {
	for _, tc := range []struct {
		takes, done time.Duration
		missing     int
	}{{0, time.Second, 0}, {2500 * time.Millisecond, 4 * time.Second, 0}, {time.Hour, 10 * time.Second, 2}} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.processing = func() time.Duration { return tc.takes }
			a := fake.openPatient(t)
			p := laws.Sample("p", 1)
			var ref shopadapter.Ref
			for _, images := range [][]string{pictures(1, 2), pictures(5, 6)} {
				p.Images = images
				start := time.Now()
				var l shopadapter.Listing
				ref, l = publish(t, a, ref, p, shopadapter.FieldImages)
				if took := time.Since(start); tc.takes > 0 && took != tc.done || tc.takes == 0 && took > tc.done {
					t.Errorf("pictures that take %s: the call took %s", tc.takes, took)
				}
				if !fake.sole(t).onSale() {
					t.Error("it is not on sale")
				}
				if len(l.Missing) != tc.missing || tc.missing > 0 &&
					(!l.Missing[0].Later || !strings.Contains(l.Missing[0].Reason, "still fetching")) {
					t.Errorf("pictures that take %s: missing %q", tc.takes, lacks(l))
				}
			}
			start := time.Now()
			publish(t, a, ref, p, shopadapter.FieldPrice)
			if took := time.Since(start); took > 0 {
				t.Errorf("a price waited %s for pictures", took)
			}
			time.Sleep(2 * time.Hour)
			if _, l := publish(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 || fake.tried != 4 {
				t.Errorf("later: missing %q, %d pictures were asked for", lacks(l), fake.tried)
			}
		})
	}
}

func TestTooManyPictures(t *testing.T) {
	fake := newFakeShop(t)
	p := lamp("p", 1)
	for n := range 70 {
		p.Images = append(p.Images, laws.Image(n))
	}
	ref, _ := publish(t, fake.open(t), shopadapter.Ref{}, p, shopadapter.AllFields)
	_, l := publish(t, fake.open(t), ref, p, shopadapter.AllFields)
	if n := len(fake.sole(t).media); n != 50 || l.Kept != 0 || fake.uploads != 50 {
		t.Errorf("%d pictures, kept %s, %d uploads", n, l.Kept, fake.uploads)
	}
}

// TestNoAddressIsLogged as it is: its query may hold a signature.
func TestNoAddressIsLogged(t *testing.T) {
	fake := newFakeShop(t)
	log := &strings.Builder{}
	a, err := fake.with(&http.Client{Transport: fake}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	p := lamp("p", 1)
	p.Images = []string{
		"https://images.example.com/unreachable.jpg?signature=s3cret",
		"gopher://images.example.com/x?signature=s3cret",
	}
	_, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if text := log.String(); strings.Contains(text, "s3cret") {
		t.Errorf("logged: %q, want no part of a query", text)
	}
	if len(l.Missing) != 2 {
		t.Fatalf("missing are %+v, want both pictures", l.Missing)
	}
	for _, m := range l.Missing {
		if strings.Contains(m.Reason, "s3cret") {
			t.Errorf("the reason is %q, want no part of a query", m.Reason)
		}
	}
}

// The shop is not given a picture whose server does not answer here. It is named, and shown once it
// answers.
func TestSilentPicture(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Images = pictures(1, 2, 3)
	fake.silent = map[string]bool{p.Images[1]: true}
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if len(l.Missing) != 1 || l.Missing[0].URL != p.Images[1] || !l.Missing[0].Later || fake.tried != 2 {
		t.Errorf("%+v are missing, and the shop was asked for %d pictures, not 2", l.Missing, fake.tried)
	}
	fake.mu.Lock()
	fake.silent = nil
	fake.mu.Unlock()
	if _, l = publish(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 {
		t.Errorf("%+v are missing although they answer", l.Missing)
	}
	if diff := cmp.Diff(p.Images, sources(fake.sole(t))); diff != "" || l.Kept != 0 {
		t.Errorf("kept %s, pictures (-want +got):\n%s", l.Kept, diff)
	}
}
