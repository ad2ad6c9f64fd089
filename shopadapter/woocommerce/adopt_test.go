package woocommerce

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// A SKU of the merchant's own is never taken over, and the message says whose it is.
// editable are the texts whose edits the adapter keeps.
const editable = shopadapter.FieldTitle | shopadapter.FieldDescription | shopadapter.FieldImages |
	shopadapter.FieldCategory

func TestBlockedBySKU(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants int
		sku      func(string) string
		trash    bool
		want     []string
	}{
		{"simple", 1, nil, false, []string{"your own product #101", "«My lamp»", "ADOPT=sku"}},
		{"variable", 3, nil, false, []string{"your own product #101", "«My lamp»", "ADOPT=sku"}},
		{"in other case", 1, strings.ToLower, false, []string{"your own product #101"}},
		{"with a comma", 1, func(string) string { return "LAMP,SMALL" }, false, []string{"the SKU LAMP,SMALL is used " +
			"by your own product #101"}},
		{"in the trash", 1, nil, true, []string{"your product #101 «My lamp» in the trash", "delete it permanently"}},
		{"in the trash, with a comma", 1, func(string) string { return "LAMP,SMALL" }, true, []string{"#101", "in " +
			"the trash"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("twin", tt.variants)
			own := sample("twin", tt.variants)
			own.Title = "My lamp"
			if tt.sku != nil {
				p.Variants[0].SKU = tt.sku(p.Variants[0].SKU)
				if strings.Contains(p.Variants[0].SKU, ",") {
					own.Variants[0].SKU = p.Variants[0].SKU
				}
			}
			id := f.AddForeign(own)
			if tt.trash {
				f.TrashByHand(id)
			}
			before := *f.Find(id)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
				t.Fatalf("got %v, want an error that is blocked", err)
			}
			for _, text := range tt.want {
				if !strings.Contains(e.Error(), text) {
					t.Errorf("got the message %s, want %q in it", e, text)
				}
			}
			if diff := cmp.Diff(before, *f.Find(id), cmp.AllowUnexported(fakeshop.Post{}, fakeshop.Attribute{})); diff != "" {
				t.Errorf("the merchant's product changed (-before +after):\n%s", diff)
			}
			for _, other := range f.Posts {
				if other.Status == "publish" && other.ID != before.ID && other.Parent != before.ID && other.Kind != "variation" {
					t.Errorf("%+v is on sale, want no product beside the merchant's", other)
				}
			}
			// The merchant gives the SKU up.
			f.Erase(before.ID)
			for _, v := range f.Posts {
				if v.Parent == before.ID {
					f.Erase(v.ID)
				}
			}
			must(t, a, refOf(p), p, shopadapter.AllFields)
			f.wantConsistent(t, p)
		})
	}
}

// One variant of a listing that is on sale gets a SKU of the merchant's own: the others stay on
// sale.
func TestOneVariantBlockedBySKU(t *testing.T) {
	f, a := opened(t)
	p := sample("family", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	other := sample("own", 1)
	id := f.AddForeign(other)
	p.Variants[2].SKU, p.Variants[0].Price = other.Variants[0].SKU, "9.99"
	_, l := must(t, a, ref, p, shopadapter.AllFields)
	if why := l.Refused[p.Variants[2].ID]; len(l.Refused) != 1 || !strings.Contains(why, "#"+string(id)) {
		t.Errorf("refused %v, want %s alone, for product #%s", l.Refused, p.Variants[2].ID, id)
	}
	if s := f.seen(t, p.ID); len(s.Variants) != 2 || !s.OnSale {
		t.Errorf("%d variants, on sale %t, want 2 and true", len(s.Variants), s.OnSale)
	}
}

func TestAdopt(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := newFakeShop(t)
			p := sample("adopted", n)
			own := laws.Revise(p, 1)
			own.Title = "My own lamp"
			id := f.AddForeign(own)
			a := f.connect(t, quickly(), nil, "ADOPT", "sku")
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if l.ID != id || l.Kept != editable {
				t.Fatalf("listing %s, want %s; kept %s", l.ID, id, l.Kept)
			}
			f.wantConsistent(t, p)
			if s := f.seen(t, p.ID); s.Title != "My own lamp" || s.Category != "My own" {
				t.Errorf("title %q, category %q, want the merchant's: My own lamp, My own", s.Title, s.Category)
			}
			// It goes on being kept in step, also when the store and the setting are lost.
			p = laws.Revise(p, 2)
			p.Images = nil
			ref, l = must(t, a, ref, p, shopadapter.AllFields)
			plainly := f.connect(t, quickly(), nil)
			if _, again := must(t, plainly, refOf(p), p, shopadapter.AllFields); again.ID != id ||
				l.Kept != editable ||
				f.inconsistent(p) != "" {
				t.Errorf("listing %s, kept %s, want %s and all texts: %s", again.ID, l.Kept, id, f.inconsistent(p))
			}
			// Reset gives the texts to the supplier.
			ref.Reset = shopadapter.TextFields
			if _, l = must(t, a, ref, p, shopadapter.NoFields); l.Kept != 0 || f.seen(t, p.ID).Title != p.Title {
				t.Errorf("after a reset: kept %s, title %q, want none and %q", l.Kept, f.seen(t, p.ID).Title, p.Title)
			}
		})
	}
}

func TestAdoptRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		p, own shopadapter.Product
		want   string
	}{
		{"a simple one for several", sample("a", 3), func() shopadapter.Product {
			own := sample("a", 3)
			own.Variants = own.Variants[:1]
			return own
		}(), "cannot be taken over: it is simple"},
		{"a variation for one", func() shopadapter.Product {
			p := sample("b", 3)
			p.Variants, p.Options = p.Variants[:1], nil
			p.Variants[0].Options = nil
			return p
		}(), sample("b", 3), "cannot be taken over: it is variable"},
		{"one with more variations", func() shopadapter.Product {
			p := sample("c", 3)
			p.Variants = p.Variants[:2]
			return p
		}(), sample("c", 3), "is none of the supplier's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.AddForeign(tt.own)
			before := len(f.Posts)
			states := maps.Clone(f.Posts)
			a := f.connect(t, quickly(), nil, "ADOPT", "sku")
			_, err := a.Publish(t.Context(), refOf(tt.p), tt.p, shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked ||
				!strings.Contains(e.Error(), tt.want) {
				t.Errorf("got %v, want an error that is blocked with %q", err, tt.want)
			}
			for id := range states {
				if f.Posts[id] == nil || f.Posts[id].Meta[noteKey] != nil {
					t.Errorf("post %d is %+v, want it there without a stamp", id, f.Posts[id])
				}
			}
			if len(f.Posts) != before {
				t.Errorf("%d posts, want %d as before", len(f.Posts), before)
			}
		})
	}
}

// An adopted product is given back whole: as a draft, without a trace of ours, and the merchant is
// told.
func TestAdoptedProductIsGivenBack(t *testing.T) {
	f := newFakeShop(t)
	p := sample("returned", 3)
	id := f.AddForeign(p)
	merchants := f.Children(f.Find(id).ID)
	a := f.connect(t, quickly(), nil, "ADOPT", "sku")
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)

	// The supplier drops a variant of the merchant's, and adds one.
	dropped := f.Find(shopadapter.ListingID(fmt.Sprint(merchants[2])))
	more := p.Variants[2]
	more.ID, more.SKU, more.Options = "added", "LAMP-ADDED", []shopadapter.Option{
		{Name: "Color", Value: "Pink"}, {Name: "Size", Value: "1 m"},
	}
	p.Variants = []shopadapter.Variant{p.Variants[0], p.Variants[1], more}
	ref, _ = must(t, a, ref, p, shopadapter.AllFields)
	if broken := f.inconsistent(p); broken != "" {
		t.Fatal(broken)
	}
	if f.Posts[dropped.ID] == nil || dropped.Status != "private" || dropped.Meta[noteKey] != nil {
		t.Errorf("the merchant's variation that the supplier dropped is %+v, want it private, without our stamp", dropped)
	}
	note, err := a.Unpublish(t.Context(), ref, shopadapter.Delete)
	if err != nil || !strings.Contains(note, "#"+string(id)) || !strings.Contains(note, "your own") || len(note) > 160 {
		t.Errorf("withdrawn with the note %q, %v, want one that names #%s as your own", note, err, id)
	}
	if diff := cmp.Diff(merchants, f.Children(f.Find(id).ID)); diff != "" {
		t.Errorf("the merchant's variations (-want +got):\n%s", diff)
	}
	for _, post := range f.Posts {
		if post.Meta[noteKey] != nil {
			t.Errorf("our stamp is still on %+v, want it off", post)
		}
	}
	if own := f.Find(id); own.Status != "draft" {
		t.Errorf("the product is %s, want draft", own.Status)
	}
	if note, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil || note != "" {
		t.Errorf("given back a second time with %q, %v, want no note and no error", note, err)
	}
}

// A product that is ours is deleted without a note.
func TestOwnProductIsDeletedWithoutANote(t *testing.T) {
	f, a := opened(t, "ADOPT", "sku")
	p := sample("ours", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	if note, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil || note != "" || len(f.Posts) != 0 {
		t.Errorf("note %q, %v, %d posts left, want no note, no error and none", note, err, len(f.Posts))
	}
}

// The merchant's variations would go with a change of type, so an adopted product keeps its own.
func TestAdoptedProductIsNotTurned(t *testing.T) {
	f := newFakeShop(t)
	p := sample("turned", 3)
	id := f.AddForeign(p)
	a := f.connect(t, quickly(), nil, "ADOPT", "sku")
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	p.Options, p.Variants = nil, p.Variants[:1]
	p.Variants[0].Options = nil
	_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked ||
		!strings.Contains(e.Message, "your own") {
		t.Errorf("got %v, want an error that is blocked", err)
	}
	if n := len(f.Children(f.Find(id).ID)); n != 3 {
		t.Errorf("%d variations are left, want 3", n)
	}
}
