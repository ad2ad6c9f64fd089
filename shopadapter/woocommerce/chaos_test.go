package woocommerce

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
)

// PHP dies anywhere, in any sequence of calls for a product, and the connector forgets what it
// knew. Nothing half-made can be bought at any moment, and once PHP lives the shop holds what was
// wanted, once.
func TestPHPDiesAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	t.Parallel()
	for seed := range uint64(60 / race.Stride) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { liveWithDeaths(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

func liveWithDeaths(t *testing.T, r *rand.Rand) {
	f := newFakeShop(t)
	f.watched(t)
	adopt := ""
	if r.IntN(4) == 0 {
		adopt = "sku"
	}
	open := func() *adapter { return f.connect(t, realPatience(), nil, "ADOPT", adopt) }
	a := open()
	f.Dies = func(string) bool { return r.IntN(8) == 0 }
	ref := shopadapter.Ref{Publication: "chaos"}
	p := sample("chaos", 1+r.IntN(4))
	listed := true
	publish := func() error {
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if l.ID != "" {
			ref.Listing, ref.State = l.ID, l.State
		}
		if errors.Is(err, shopadapter.ErrGone) {
			ref.Listing, ref.State = "", nil
		}
		later := slices.ContainsFunc(l.Missing, func(m shopadapter.Picture) bool { return m.Later })
		if err == nil && later {
			return errors.New("pictures are missing")
		}
		return err
	}
	for range 12 {
		switch r.IntN(7) {
		case 0, 1, 2:
			// The supplier changes everything there is.
			n := 1 + r.IntN(4)
			q := sample("chaos", n)
			q.Title = fmt.Sprint("Lamp ", r.IntN(1000))
			for i := range q.Variants {
				q.Variants[i].Price = fmt.Sprintf("%d.50", 10+r.IntN(90))
				q.Variants[i].Quantity = r.IntN(50)
			}
			if n > 1 && r.IntN(3) == 0 {
				q.Variants[0].SKU, q.Variants[1].SKU = q.Variants[1].SKU, q.Variants[0].SKU
			}
			if n > 1 && r.IntN(4) == 0 {
				q.Variants[n-1].ID = fmt.Sprint("anew-", r.IntN(3))
			}
			q.Images = pictureURLs(1, 2, 3)[:r.IntN(4)]
			p = q
		case 3:
			a = open()
		case 4: // the store is lost
			a, ref = open(), shopadapter.Ref{Publication: "chaos"}
		case 5:
			ref.State = nil
		case 6:
			how := shopadapter.TakeOffline
			if r.IntN(2) == 0 {
				how = shopadapter.Delete
			}
			if _, err := a.Unpublish(t.Context(), ref, how); err == nil && how == shopadapter.Delete {
				ref = shopadapter.Ref{Publication: "chaos"}
			}
			listed = false
		}
		if listed || r.IntN(2) == 0 {
			listed = true
			err := publish()
			if e := shopadapter.Explain(err); e != nil && e.Kind != shopadapter.Transient &&
				!errors.Is(err, shopadapter.ErrGone) {
				t.Fatalf("%s: %v", e.Kind, err)
			}
		}
	}
	f.Dies = nil
	ref.Asked = true
	for try := 0; ; try++ {
		err := publish()
		if err == nil {
			break
		}
		if try == 8 {
			t.Fatalf("it does not settle: %v", err)
		}
	}
	if broken := f.inconsistent(p); broken != "" {
		t.Error(broken)
	}
	s := f.seen(t, p.ID)
	if s.Title != p.Title || !slices.Equal(s.Images, p.Images) {
		t.Errorf("title %q, want %q; pictures %v, want %v", s.Title, p.Title, s.Images, p.Images)
	}
	variations := 0
	for _, post := range f.Posts {
		if post.Kind == "variation" {
			variations++
		}
	}
	if want := len(p.Variants); f.products() != 1 || variations != want && (want > 1 || variations != 0) {
		t.Errorf("%d products with %d variations, wanted were %d variants", f.products(), variations, want)
	}
}
