package woocommerce

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// dying makes PHP die at a point, so many times.
func (f *fakeShop) dying(at string, times int) {
	f.Dies = func(here string) bool {
		if here != at || times == 0 {
			return false
		}
		times--
		return true
	}
}

// buyable is what a visitor could put into the cart and should not: a variation on sale without a
// price, on a product that is on sale.
func (f *fakeShop) halfMade() string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Posts {
		parent := f.Posts[p.Parent]
		switch {
		case p.Status != "publish" || p.Price != "" || p.Kind == "variable":
		case p.Kind != "variation":
			return fmt.Sprintf("product %d is on sale without a price", p.ID)
		case parent != nil && parent.Status == "publish":
			return fmt.Sprintf("variation %d of product %d is on sale without a price", p.ID, parent.ID)
		}
	}
	return ""
}

// watched fails the test as soon as something half-made can be bought.
func (f *fakeShop) watched(t *testing.T) {
	f.Before = func(*http.Request, int) error {
		if wrong := f.halfMade(); wrong != "" {
			t.Error(wrong)
		}
		return nil
	}
}

func (f *fakeShop) products() (n int) {
	for _, p := range f.Posts {
		if p.Kind != "variation" {
			n++
		}
	}
	return n
}

// PHP dies in the middle of creating a product, again and again. The next try goes on with what the
// first one left, in this process or another: one product comes of it.
func TestPHPDiesWhileAProductIsMade(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"product row", "product sku", "product whole"} {
		for _, variants := range []int{1, 3} {
			for _, adopt := range []string{"", "sku"} {
				for _, restart := range []bool{false, true} {
					for _, renamed := range []bool{false, true} {
						name := fmt.Sprintf("%s/%d variants/adopt=%s/restart=%t/renamed=%t", at, variants, adopt, restart, renamed)
						t.Run(name, func(t *testing.T) {
							synctest.Test(
								t,
								func(t *testing.T) { dieAndGoOn(t, at, variants, adopt, restart, renamed) },
							)
						})
					}
				}
			}
		}
	}
}

func dieAndGoOn(t *testing.T, at string, variants int, adopt string, restart, renamed bool) {
	f := newFakeShop(t)
	f.watched(t)
	f.dying(at, 4)
	a := f.connect(t, realPatience(), nil, "ADOPT", adopt)
	p := sample("dying", variants)
	ref := refOf(p)
	for try := 1; ; try++ {
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if f.products() > 1 {
			t.Fatalf("after try %d there are %d products, want 1 at most", try, f.products())
		}
		if err == nil {
			if f.Find(l.ID) == nil {
				t.Errorf("listing %s is not there", l.ID)
			}
			break
		}
		if e := shopadapter.Explain(err); e.Kind != shopadapter.Transient || try > 10 {
			t.Fatalf("try %d: %s: %v, want a transient error, and ten tries at most", try, e.Kind, err)
		}
		if l.ID != "" {
			ref.Listing, ref.State = l.ID, l.State
		}
		if restart {
			a, ref = f.connect(t, realPatience(), nil, "ADOPT", adopt), refOf(p)
		}
		if renamed {
			p.Title = fmt.Sprint("Another title ", try)
		}
	}
	if broken := f.inconsistent(p); broken != "" {
		t.Error(broken)
	}
	if wrong := f.halfMade(); wrong != "" {
		t.Error(wrong)
	}
	if s := f.seen(t, p.ID); s.Title != p.Title || s.Category != "Lighting" {
		t.Errorf("title %q, category %q, want %q and Lighting", s.Title, s.Category, p.Title)
	}
}

// Leftovers of many tries, as an older version made them, are one product in the end.
func TestManyLeftoversBecomeOneProduct(t *testing.T) {
	f := newFakeShop(t)
	p := sample("many", 3)
	for range 5 {
		f.NextPost++
		f.Posts[f.NextPost] = &fakeshop.Post{
			ID: f.NextPost, Kind: "simple", Status: "draft", Name: p.Title, Slug: slug(p.Title, p.ID), Backorders: "no",
			Meta: map[string]any{},
		}
	}
	must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	if broken := f.inconsistent(p); broken != "" || f.products() != 1 {
		t.Errorf("%d products, want 1: %s", f.products(), broken)
	}
}

// A title in letters that WordPress writes in several bytes each leaves room for the end of the
// slug, by which a leftover is known.
func TestLeftoverWithATitleInOtherLetters(t *testing.T) {
	for _, title := range []string{
		"Größe für große Köpfe, mit Schirm, Fuß und vielen weiteren schönen Dingen", strings.Repeat("Επιτραπέζιο "+
			"φωτιστικό ", 5), strings.Repeat("日本語の読書灯 ", 12),
		strings.Repeat("長", 120), "!!!",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeShop(t)
			f.dying("product row", 3)
			a := f.connect(t, realPatience(), nil)
			p := sample("letters", 3)
			p.Title = title
			for try := 0; ; try++ {
				if _, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields); err == nil {
					break
				}
				if try == 1 {
					a = f.connect(t, realPatience(), nil)
				}
			}
			s := f.seen(t, p.ID)
			if end := slugEnd(f.Find(s.Listing).Slug); f.products() != 1 || end == "" {
				t.Errorf("%q: %d products, slug %s, want 1, and a slug of ours", title, f.products(), f.Find(s.Listing).Slug)
			}
		})
	}
}

// A draft of the merchant's own is never taken for a leftover.
func TestMerchantsDraftIsNoLeftover(t *testing.T) {
	p := sample("drafts", 1)
	for name, change := range map[string]func(own *fakeshop.Post){
		"another slug":       func(own *fakeshop.Post) { own.Slug = "lamp-abcdef" },
		"no slug":            func(own *fakeshop.Post) { own.Slug = "" },
		"a SKU of their own": func(own *fakeshop.Post) { own.SKU = "MINE" },
		"a price":            func(own *fakeshop.Post) { own.Price = "5.00" },
		"on sale":            func(own *fakeshop.Post) { own.Status = "publish" },
		"private":            func(own *fakeshop.Post) { own.Status = "private" },
		"another's stamp": func(own *fakeshop.Post) {
			own.Meta[rest.StampKey] = stamp.Encode(newStamp("another"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeShop(t)
			f.NextPost++
			own := &fakeshop.Post{
				ID: f.NextPost, Kind: "simple", Status: "draft", Name: "Mine", Slug: slug(p.Title, p.ID), Backorders: "no",
				Meta: map[string]any{},
			}
			change(own)
			f.Posts[own.ID] = own
			must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			if own.Name != "Mine" || f.Posts[own.ID] == nil || f.products() != 2 {
				t.Errorf("the merchant's is %+v among %d products, want Mine among 2", own, f.products())
			}
		})
	}
}

// A product that the merchant has under our SKU is taken over or blocks; the leftover beside it
// goes.
func TestLeftoverBesideTheMerchantsProduct(t *testing.T) {
	for _, adopt := range []string{"", "sku"} {
		f := newFakeShop(t)
		p := sample("beside", 1)
		f.AddForeign(p)
		f.NextPost++
		f.Posts[f.NextPost] = &fakeshop.Post{
			ID: f.NextPost, Kind: "simple", Status: "draft", Name: p.Title, Slug: slug(p.Title, p.ID), Backorders: "no",
			Meta: map[string]any{},
		}
		a := f.connect(t, quickly(), nil, "ADOPT", adopt)
		_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
		e := shopadapter.Explain(err)
		if adopt == "" && (e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Message, "ADOPT")) ||
			adopt != "" && e != nil {
			t.Errorf("adopt=%q: got %v, want an error that is blocked and names ADOPT, or none where it is set", adopt, err)
		}
		if f.products() != 1 {
			t.Errorf("adopt=%q: %d products, want 1", adopt, f.products())
		}
	}
}

// A shop with more drafts than are read is asked for the slug.
func TestLeftoverAmongManyDrafts(t *testing.T) {
	f := newFakeShop(t)
	p := sample("hidden", 1)
	f.Posts[1] = &fakeshop.Post{
		ID: 1, Kind: "simple", Status: "draft", Name: p.Title, Slug: slug(p.Title, p.ID), Backorders: "no",
		Meta: map[string]any{},
	}
	for range mostDraftPages*rest.PerPage + 1 {
		f.NextPost++
		f.Posts[f.NextPost] = &fakeshop.Post{
			ID: f.NextPost, Kind: "simple", Status: "draft", Name: "Mine", Backorders: "no", Meta: map[string]any{},
		}
	}
	ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	if ref.Listing != "1" {
		t.Errorf("listing %s, want 1", ref.Listing)
	}
}

// A product that was taken over and not written yet gets no hint: the hint would lead to a product
// without our stamp, which counts as deleted by hand.
func TestAdoptionInterrupted(t *testing.T) {
	for _, variants := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeShop(t)
			p := sample("interrupted", variants)
			id := f.AddForeign(p)
			a := f.connect(t, realPatience(), nil, "ADOPT", "sku")
			f.Before = func(req *http.Request, _ int) error {
				if req.Method == http.MethodPut {
					return fmt.Errorf("the line is cut")
				}
				return nil
			}
			l, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			if err == nil || l.ID != "" {
				t.Errorf("listing %q, %v, want none and an error", l.ID, err)
			}
			f.Before = nil
			if ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields); ref.Listing != id {
				t.Errorf("listing %s, want %s", ref.Listing, id)
			}
		})
	}
}

// PHP dies in the middle of a change. The stamp is written before the text that it speaks of. Yet
// the next try does not take the old text for the merchant's edit.
func TestPHPDiesWhileAProductIsChanged(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"update meta", "update row", "update sku", "update whole"} {
		for _, variants := range []int{1, 3} {
			for _, made := range []bool{true, false} {
				for _, lost := range []bool{false, true} {
					for _, times := range []int{1, 3} {
						t.Run(
							fmt.Sprintf("%s/%d variants/made before=%t/hints lost=%t/%d times", at, variants, made, lost, times),
							func(t *testing.T) {
								synctest.Test(
									t,
									func(t *testing.T) { dieInAChange(t, at, variants, made, lost, times) },
								)
							},
						)
					}
				}
			}
		}
	}
}

func dieInAChange(t *testing.T, at string, variants int, made, lost bool, times int) {
	f := newFakeShop(t)
	f.watched(t)
	a := f.connect(t, realPatience(), nil)
	p := sample("change", variants)
	p.Images = pictureURLs(1, 2)
	ref := refOf(p)
	if made {
		ref, _ = must(t, a, ref, p, shopadapter.AllFields)
	}
	f.dying(at, times)
	for try := 1; ; try++ {
		p = shopadaptertest.Revise(p, try) // the supplier goes on meanwhile
		p.Images = pictureURLs(try+2, 1)
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if wrong := f.halfMade(); wrong != "" {
			t.Error(wrong)
		}
		if err == nil && l.Kept != 0 {
			t.Errorf("kept %s, want none", l.Kept)
		}
		later := slices.ContainsFunc(l.Missing, func(m shopadapter.Picture) bool { return m.Later })
		if err == nil && !later {
			break
		}
		if try > 10 {
			t.Fatal(err)
		}
		if l.ID != "" {
			ref.Listing, ref.State = l.ID, l.State
		}
		if lost {
			a, ref = f.connect(t, realPatience(), nil), refOf(p)
		}
	}
	s := f.seen(t, p.ID)
	if broken := f.inconsistent(p); broken != "" || s.Title != p.Title || s.Category != p.Category.Name ||
		len(s.Images) != 2 ||
		s.Images[0] != p.Images[0] {
		t.Errorf("%s; title %q, category %q, pictures %v, want %q, %q and %v",
			broken, s.Title, s.Category, s.Images, p.Title, p.Category.Name, p.Images)
	}
	// Nothing of that makes an edit of the merchant's look like ours.
	ref = shopadapter.Ref{Publication: p.ID, Listing: s.Listing}
	if err := f.Edit(s.Listing, shopadapter.FieldTitle); err != nil {
		t.Fatal(err)
	}
	p.Title = "One more"
	if _, l := must(t, a, ref, p, shopadapter.FieldTitle); l.Kept != shopadapter.FieldTitle {
		t.Errorf("kept %s, want the merchant's title", l.Kept)
	}
}

// A variant's SKU is on a row that PHP died over, and PHP dies again while that row is written.
func TestPHPDiesOverWhatItDiedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.watched(t)
		a := f.connect(t, realPatience(), nil)
		p := sample("twice", 5)
		before := sample("twice", 3)
		ref, _ := must(t, a, refOf(p), before, shopadapter.AllFields)
		for _, at := range []string{"variation sku", "variation update row", "variation update row"} {
			f.dying(at, 1)
			l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if err == nil {
				t.Errorf("%s: got no error, want one: PHP died", at)
			}
			ref.State = l.State
			// The price is not there yet.
			for _, v := range f.Posts {
				if v.Kind == "variation" && v.Meta[rest.StampKey] == nil {
					v.Price = ""
				}
			}
			if wrong := f.halfMade(); wrong != "" {
				t.Errorf("%s: %s", at, wrong)
			}
		}
		must(t, a, ref, p, shopadapter.AllFields)
		if broken := f.inconsistent(p); broken != "" {
			t.Error(broken)
		}
	})
}

// PHP dies in a batch of variations. Nothing without a price can be bought at any moment, and the
// next try leaves nothing half-made behind.
func TestPHPDiesInABatch(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"variation row", "variation sku", "variation whole"} {
		for _, times := range []int{1, 3} {
			for _, grown := range []bool{false, true} {
				for _, lost := range []bool{false, true} {
					for _, adopt := range []string{"", "sku"} {
						name := fmt.Sprintf("%s/%d times/grown=%t/hints lost=%t/adopt=%s", at, times, grown, lost, adopt)
						t.Run(name, func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { dieInABatch(t, at, times, grown, lost, adopt) })
						})
					}
				}
			}
		}
	}
}

func dieInABatch(t *testing.T, at string, times int, grown, lost bool, adopt string) {
	f := newFakeShop(t)
	f.watched(t)
	a := f.connect(t, realPatience(), nil, "ADOPT", adopt)
	p := sample("batch", 5)
	ref := refOf(p)
	if grown { // the first three are on sale before
		before := sample("batch", 3)
		if adopt != "" {
			f.AddForeign(before)
		}
		ref, _ = must(t, a, ref, before, shopadapter.AllFields)
	}
	f.dying(at, times)
	for try := 1; ; try++ {
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if wrong := f.halfMade(); wrong != "" {
			t.Error(wrong)
		}
		if err == nil {
			break
		}
		if e := shopadapter.Explain(err); e.Kind != shopadapter.Transient || try > 10 {
			t.Fatalf("try %d: %s: %v, want a transient error, and ten tries at most", try, e.Kind, err)
		}
		if l.ID != "" {
			ref.Listing, ref.State = l.ID, l.State
		}
		if lost {
			a, ref = f.connect(t, realPatience(), nil, "ADOPT", adopt), refOf(p)
		}
	}
	if broken := f.inconsistent(p); broken != "" {
		t.Error(broken)
	}
	n := 0
	for _, v := range f.Posts {
		if v.Kind == "variation" {
			n++
		}
	}
	if n != 5 || f.products() != 1 {
		t.Errorf("%d variations of %d products, want 5 of 1", n, f.products())
	}
}

// PHP dies over a new variation once it is written whole, and private. The next change puts it on
// sale, be it of a price alone.
func TestNewVariationIsNotLeftPrivate(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
	p := sample("private", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.Erase(f.Children(f.Find(ref.Listing).ID)[0])
	f.dying("variation whole", 1)
	for i := range p.Variants {
		p.Variants[i].Price = "33.00"
	}
	l, err := a.Publish(t.Context(), ref, p, shopadapter.FieldPrice)
	if err == nil || f.inconsistent(p) == "" {
		t.Fatalf("%v: PHP did not die", err)
	}
	ref.State = l.State
	must(t, a, ref, p, shopadapter.FieldPrice)
	if broken := f.inconsistent(p); broken != "" {
		t.Error(broken)
	}
}
