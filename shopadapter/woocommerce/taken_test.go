package woocommerce

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// A SKU of the merchant's own is never taken over, and the message says whose it is.
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
		{"with a comma", 1, func(string) string { return "LAMP,SMALL" }, false, []string{"the SKU LAMP,SMALL is used by your own product #101"}},
		{"in the trash", 1, nil, true, []string{"your product #101 «My lamp» in the trash", "delete it permanently"}},
		{"in the trash, with a comma", 1, func(string) string { return "LAMP,SMALL" }, true, []string{"#101", "in the trash"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), nil)
			p := sample("twin", tt.variants)
			own := sample("twin", tt.variants)
			own.Title = "My lamp"
			if tt.sku != nil {
				p.Variants[0].SKU = tt.sku(p.Variants[0].SKU)
				if strings.Contains(p.Variants[0].SKU, ",") {
					own.Variants[0].SKU = p.Variants[0].SKU
				}
			}
			id := f.addForeign(own)
			if tt.trash {
				f.trashByHand(id)
			}
			before := *f.post(id)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
				t.Fatalf("%v, not blocked", err)
			}
			for _, text := range tt.want {
				if !strings.Contains(e.Error(), text) {
					t.Errorf("the message lacks %q: %s", text, e)
				}
			}
			if diff := cmp.Diff(before, *f.post(id), cmp.AllowUnexported(post{}, fakeAttribute{})); diff != "" {
				t.Errorf("the merchant's product changed:\n%s", diff)
			}
			for _, other := range f.posts {
				if other.status == "publish" && other.id != before.id && other.parent != before.id && other.kind != "variation" {
					t.Errorf("a product beside it is on sale: %+v", other)
				}
			}
			// The merchant gives the SKU up.
			f.erase(before.id)
			for _, v := range f.posts {
				if v.parent == before.id {
					f.erase(v.id)
				}
			}
			must(t, a, refOf(p), p, shopadapter.AllFields)
			if broken := f.inconsistent(p); broken != "" {
				t.Error(broken)
			}
		})
	}
}

// One variant of a listing that is on sale gets a SKU of the merchant's own: the others stay on sale.
func TestOneVariantBlockedBySKU(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
	p := sample("family", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	other := sample("own", 1)
	id := f.addForeign(other)
	p.Variants[2].SKU, p.Variants[0].Price = other.Variants[0].SKU, "9.99"
	_, l := must(t, a, ref, p, shopadapter.AllFields)
	if why := l.Refused[p.Variants[2].ID]; len(l.Refused) != 1 || !strings.Contains(why, "#"+string(id)) {
		t.Errorf("refused %v", l.Refused)
	}
	if s := f.seen(t, p.ID); len(s.Variants) != 2 || !s.OnSale {
		t.Errorf("%d variants, on sale %t", len(s.Variants), s.OnSale)
	}
}

func TestAdopt(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := newFakeShop(t)
			p := sample("adopted", n)
			own := shopadaptertest.Revise(p, 1)
			own.Title = "My own lamp"
			id := f.addForeign(own)
			a := f.connect(t, quickly(), nil, "ADOPT", "sku")
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if l.ID != id || l.Kept != shopadapter.TextFields {
				t.Fatalf("listing %s, not %s; kept %s", l.ID, id, l.Kept)
			}
			if broken := f.inconsistent(p); broken != "" {
				t.Error(broken)
			}
			if s := f.seen(t, p.ID); s.Title != "My own lamp" || s.Category != "My own" {
				t.Errorf("title %q, category %q", s.Title, s.Category)
			}
			// It goes on being kept in step, also when the store and the setting are lost.
			p = shopadaptertest.Revise(p, 2)
			p.Images = nil
			ref, l = must(t, a, ref, p, shopadapter.AllFields)
			plainly := f.connect(t, quickly(), nil)
			if _, again := must(t, plainly, refOf(p), p, shopadapter.AllFields); again.ID != id || l.Kept != shopadapter.TextFields || f.inconsistent(p) != "" {
				t.Errorf("listing %s, kept %s: %s", again.ID, l.Kept, f.inconsistent(p))
			}
			// Reset gives the texts to the supplier.
			ref.Reset = shopadapter.TextFields
			if _, l = must(t, a, ref, p, shopadapter.NoFields); l.Kept != 0 || f.seen(t, p.ID).Title != p.Title {
				t.Errorf("reset: kept %s, title %q", l.Kept, f.seen(t, p.ID).Title)
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
			f.addForeign(tt.own)
			before := len(f.posts)
			states := maps.Clone(f.posts)
			a := f.connect(t, quickly(), nil, "ADOPT", "sku")
			_, err := a.Publish(t.Context(), refOf(tt.p), tt.p, shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%v, not blocked with %q", err, tt.want)
			}
			for id := range states {
				if f.posts[id] == nil || f.posts[id].meta[metaKey] != nil {
					t.Errorf("post %d was touched", id)
				}
			}
			if len(f.posts) != before {
				t.Errorf("%d posts, before there were %d", len(f.posts), before)
			}
		})
	}
}

func TestKeySKU(t *testing.T) {
	long := strings.Repeat("a", 65)
	for _, tt := range []struct{ name, id, want string }{
		{"legible", "01j9-x_y", "pubsync-01j9-x_y"},
		{"upper case", "ABC", "pubsync." + digest("ABC", 16)},
		{"comma", "a,b", "pubsync." + digest("a,b", 16)},
		{"long", long, "pubsync." + digest(long, 16)},
		{"empty", "", "pubsync." + digest("", 16)},
		{"dot", ".", "pubsync." + digest(".", 16)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := keySKU(shopadapter.PublicationID(tt.id)); got != tt.want || len(got) > maxSKU {
				t.Errorf("%q, not %q", got, tt.want)
			}
		})
	}
}
