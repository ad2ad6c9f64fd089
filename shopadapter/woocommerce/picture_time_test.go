package woocommerce

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
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
		if most := 15 * time.Second; took > most {
			t.Errorf("the call took %s, want at most %s", took, most)
		}
		if got, want := lateOf(l), []string{p.Images[1], p.Images[3]}; !slices.Equal(got, want) {
			t.Errorf("late are %q, want %q", got, want)
		}
		s := f.seen(t, p.ID)
		if !s.OnSale {
			t.Error("the product is not on sale")
		}
		if want := []string{p.Images[0], p.Images[2]}; !slices.Equal(s.Images, want) {
			t.Errorf("it shows %q, want %q", s.Images, want)
		}
		f.Silent = nil
		if _, l, _ = timed(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 {
			t.Errorf("once they answer %v are missing, want none", l.Missing)
		}
		if got := f.Uploads(); got != 4 {
			t.Errorf("once they answer there were %d uploads, want 4", got)
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
		if most := 31 * time.Second; took > most {
			t.Errorf("the call took %s, want at most %s", took, most)
		}
		if got := lateOf(l); !slices.Contains(got, p.Images[1]) {
			t.Errorf("late are %q, want %q among them", got, p.Images[1])
		}
		if !f.seen(t, p.ID).OnSale {
			t.Error("the product is not on sale")
		}
		for range 2 {
			ref.OnSale = true
			ref, l, took = timed(t, a, ref, p, shopadapter.FieldImages)
			if most := 5 * time.Second; took > most {
				t.Errorf("while the shop loads it, a call took %s, want at most %s", took, most)
			}
			if got := lateOf(l); !slices.Contains(got, p.Images[1]) {
				t.Errorf("while the shop loads it, late are %q, want %q among them", got, p.Images[1])
			}
		}
		time.Sleep(100 * time.Second)
		ref.OnSale = true
		if _, l, _ = timed(t, a, ref, p, shopadapter.FieldImages); len(l.Missing) > 0 {
			t.Errorf("once the shop has it %v are missing, want none", l.Missing)
		}
		if got := f.seen(t, p.ID).Images; !slices.Equal(got, p.Images) {
			t.Errorf("it shows %q, want %q", got, p.Images)
		}
		if got := f.Uploads(); got != 2 {
			t.Errorf("%d uploads, want 2", got)
		}
	})
}
