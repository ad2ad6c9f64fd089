package woocommerce

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// patiently is the patience of a worker, for tests in a bubble of time.
func patiently() patience { return patience{step: 2 * time.Second, steps: 15} }

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
		f.Silent = map[string]bool{p.Images[1]: true, p.Images[3]: true}
		a := f.connect(t, patiently(), nil)
		ref, l, took := timed(t, a, refOf(p), p, shopadapter.AllFields)
		if took > 15*time.Second || !slices.Equal(lateOf(l), []string{p.Images[1], p.Images[3]}) {
			t.Errorf("after %s %v are late, want both silent ones within 15 s", took, l.Missing)
		}
		if s := f.seen(t, p.ID); !s.OnSale || !slices.Equal(s.Images, []string{p.Images[0], p.Images[2]}) {
			t.Errorf("on sale %t with %v", s.OnSale, s.Images)
		}
		f.Silent = nil
		if _, l, _ = timed(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 || f.Uploads() != 4 {
			t.Errorf("once they answer %v are missing, after %d uploads", l.Missing, f.Uploads())
		}
		if s := f.seen(t, p.ID); !slices.Equal(s.Images, p.Images) {
			t.Errorf("once they answer it shows %v, want %v", s.Images, p.Images)
		}
	})
}

// A picture that the shop takes too long to load costs itself: the product is on sale, and the shop
// is not asked for the picture again while it may be loading it.
func TestSlowPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		p := sample("slow", 3)
		p.Images = addresses("one", "slow")
		f.Slow = map[string]time.Duration{p.Images[1]: 100 * time.Second}
		a := f.connect(t, patiently(), nil)
		ref, l, took := timed(t, a, refOf(p), p, shopadapter.AllFields)
		if took > 35*time.Second || !slices.Contains(lateOf(l), p.Images[1]) || !f.seen(t, p.ID).OnSale {
			t.Errorf("after %s %v are late, on sale: %t", took, l.Missing, f.seen(t, p.ID).OnSale)
		}
		for range 2 {
			ref.OnSale = true
			if ref, l, took = timed(t, a, ref, p, shopadapter.FieldImages); took > 5*time.Second ||
				!slices.Contains(lateOf(l), p.Images[1]) {
				t.Errorf("while the shop loads it, the call took %s and %v are late", took, l.Missing)
			}
		}
		time.Sleep(100 * time.Second)
		ref.OnSale = true
		if _, l, _ = timed(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 {
			t.Errorf("once the shop has it %v are missing", l.Missing)
		}
		if s := f.seen(t, p.ID); !slices.Equal(s.Images, p.Images) || f.Uploads() != 2 {
			t.Errorf("it shows %v after %d uploads, want %v after 2", s.Images, f.Uploads(), p.Images)
		}
	})
}

// A cancelled call leaves no second copy in the media library.
func TestCancelledPicture(t *testing.T) {
	for name, new := range map[string]bool{"creation": true, "on sale": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				p := sample("cancelled", 3)
				a := f.connect(t, patiently(), nil)
				ref := refOf(p)
				if !new {
					ref, _ = must(t, a, ref, p, shopadapter.AllFields)
				}
				p.Images = addresses("one", "slow")
				f.Slow = map[string]time.Duration{p.Images[1]: 20 * time.Second}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				l, err := a.Publish(ctx, ref, p, shopadapter.AllFields)
				if err == nil {
					t.Fatal("it was not cancelled")
				}
				if l.ID != "" {
					ref.Listing, ref.State = l.ID, l.State
				}
				if _, l, _ = timed(t, a, ref, p, shopadapter.AllFields); len(l.Missing) > 0 || f.Uploads() != 2 {
					t.Errorf("%v are missing after %d uploads, want none after 2", l.Missing, f.Uploads())
				}
			})
		})
	}
}

// A picture that a lost request took in and did not name is known by its file.
func TestPictureKnownByItsFile(t *testing.T) {
	f := newFakeShop(t)
	p := sample("file", 3)
	a := f.connect(t, quickly(), nil)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.NextPost++
	f.Media[f.NextPost] = &fakeshop.Attachment{
		Source: addresses("one")[0], File: "one-1.jpg", Name: "one-1", Parent: f.Find(l.ID).ID,
	}
	f.Loaded++
	s, _ := readState(ref)
	s.Loading = time.Now().UnixMilli()
	ref.State = s.encode()
	p.Images = addresses("one", "two")
	must(t, a, ref, p, shopadapter.FieldImages)
	s, _ = readState(ref)
	s.Loading = 0
	ref.State = s.encode()
	if _, l = must(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 || f.Uploads() != 2 {
		t.Errorf("%v are missing after %d uploads, want none after 2", l.Missing, f.Uploads())
	}
}
