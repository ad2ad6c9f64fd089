package woocommerce

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// renumbered is p with SKUs that stand nowhere in the shop.
func renumbered(p shopadapter.Product) shopadapter.Product {
	for i := range p.Variants {
		p.Variants[i].SKU = fmt.Sprint("ANEW-", i)
	}
	return p
}

// goesOn publishes p without a hint, and holds the shop to one product, the one with the id.
func (f *fakeShop) goesOn(t *testing.T, a *adapter, p shopadapter.Product, id shopadapter.ListingID) {
	t.Helper()
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	if broken := f.inconsistent(p); broken != "" || ref.Listing != id || f.products() != 1 {
		t.Errorf("listing %s, want %s; %d products: %s", ref.Listing, id, f.products(), broken)
	}
}

// PHP dies in the middle of an exchange of two SKUs, the caller loses its hint, and the product
// shrinks to the variant whose SKU now stands nowhere.
func TestExchangeCutAndHintLost(t *testing.T) {
	for _, adopt := range []string{"", "sku"} {
		for _, renamed := range []bool{false, true} {
			for _, moved := range []bool{false, true} {
				t.Run(
					fmt.Sprintf("adopt=%s/renamed=%t/slug changed by hand=%t", adopt, renamed, moved),
					func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { cutAndLose(t, adopt, renamed, moved) })
					},
				)
			}
		}
	}
}

func cutAndLose(t *testing.T, adopt string, renamed, moved bool) {
	f := newFakeShop(t)
	f.watched(t)
	a := f.connect(t, realPatience(), nil, "ADOPT", adopt)
	p := sample("cut", 2)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	p.Variants[0].SKU, p.Variants[1].SKU = p.Variants[1].SKU, p.Variants[0].SKU
	f.dying("variation update row", 1)
	if _, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields); err == nil {
		t.Fatal("PHP did not die")
	}
	p.Options, p.Variants = nil, p.Variants[1:]
	p.Variants[0].Options = nil
	if f.Holder(p.Variants[0].SKU, 0) != nil {
		t.Fatalf("the SKU %s is in the shop, want none that has it", p.Variants[0].SKU)
	}
	if renamed {
		p.Title = "Another title"
	}
	if moved {
		f.Find(l.ID).Slug = "my-own-slug"
	}
	f.goesOn(t, f.connect(t, realPatience(), nil, "ADOPT", adopt), p, l.ID)
}

// The supplier has given every variant another SKU, and perhaps made more or fewer of them, since a
// creation that the caller did not live to note.
func TestSKUsAnewAndHintLost(t *testing.T) {
	for _, sizes := range [][2]int{{1, 1}, {1, 3}, {3, 1}, {3, 3}} {
		for _, status := range []string{"publish", "draft", "private", "pending"} {
			for _, restart := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v/%s/restart=%t", sizes, status, restart), func(t *testing.T) {
					f := newFakeShop(t)
					a := f.connect(t, quickly(), nil)
					_, l := must(t, a, refOf(sample("anew", sizes[0])), sample("anew", sizes[0]), shopadapter.AllFields)
					f.Find(l.ID).Status = status
					if restart {
						a = f.connect(t, quickly(), nil)
					}
					f.goesOn(t, a, renumbered(sample("anew", sizes[1])), l.ID)
				})
			}
		}
	}
}

// What only resembles the publication's listing is left as it is, and one is made beside it.
func TestNoListingAmongTheYoung(t *testing.T) {
	for name, change := range map[string]func(f *fakeShop, own *fakeshop.Post){
		"a copy by the merchant": func(f *fakeShop, own *fakeshop.Post) {
			delete(f.Posts, own.ID)
			f.NextPost++
			own.ID, own.SKU, own.Status = f.NextPost, "", "draft"
			f.Posts[own.ID] = own
		},
		"without a stamp, the slug kept": func(_ *fakeShop, own *fakeshop.Post) { own.Meta = map[string]any{} },
		"a stamp of another publication": func(f *fakeShop, own *fakeshop.Post) {
			other := readStamp(own.Meta[rest.StampKey].(string))
			other.ID = "other"
			own.Meta = map[string]any{rest.StampKey: stamp.Encode(other)}
		},
		"in the trash": func(f *fakeShop, own *fakeshop.Post) { f.Trash(own) },
	} {
		for _, restart := range []bool{false, true} {
			for _, adopt := range []string{"", "sku"} {
				t.Run(fmt.Sprintf("%s/restart=%t/adopt=%s", name, restart, adopt), func(t *testing.T) {
					f := newFakeShop(t)
					a := f.connect(t, quickly(), nil, "ADOPT", adopt)
					p := sample("alike", 1)
					_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
					own := f.Find(l.ID)
					change(f, own)
					before := *own
					before.Meta = maps.Clone(own.Meta)
					if restart {
						a = f.connect(t, quickly(), nil, "ADOPT", adopt)
					}
					p = renumbered(p)
					p.Title = "Another title"
					ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
					if f.Find(ref.Listing).ID == own.ID || f.Posts[own.ID] != own || f.products() != 2 {
						t.Errorf("listing %s among %d products, want another than %d, among 2", ref.Listing, f.products(), own.ID)
					}
					if own.Name != before.Name || own.Status != before.Status || own.SKU != before.SKU || own.Price != before.Price ||
						!maps.Equal(own.Meta, before.Meta) {
						t.Errorf("the merchant's is %+v, want %+v as before", *own, before)
					}
				})
			}
		}
	}
}

// The merchant has a product under one of the new SKUs. It is none to take over while the
// publication has a listing.
func TestNothingIsAdoptedBesideAListing(t *testing.T) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil)
	p := sample("beside", 1)
	_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	p = renumbered(p)
	theirs := f.AddForeign(p)
	_, err := f.connect(t, quickly(), nil, "ADOPT", "sku").Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || len(f.Find(theirs).Meta) != 0 ||
		f.seen(t, p.ID).Listing != l.ID {
		t.Errorf("got %v, want an error that is blocked; the merchant's product is %+v, want no stamp", err, f.Find(theirs))
	}
}

// The look at the youngest products is one request for a process, beside that at the drafts. A
// small shop needs one for both. A deletion by hand costs one more.
func TestRequestsForTheYoung(t *testing.T) {
	f := newFakeShop(t)
	for range mostYoung + 50 {
		f.NextPost++
		f.Posts[f.NextPost] = &fakeshop.Post{
			ID: f.NextPost, Kind: "simple", Status: "publish", Name: "Mine", Backorders: "no", Meta: map[string]any{},
		}
	}
	a := f.connect(t, quickly(), nil)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Requests()
	var ref shopadapter.Ref
	for i, looks := range [][]string{{"GET /products", "GET /products"}, nil, nil} {
		p := sample(fmt.Sprint("new-", i), 1)
		p.Variants[0].SKU = fmt.Sprint("NEW-", i)
		ref, _ = must(t, a, refOf(p), p, shopadapter.AllFields)
		f.wantRequests(t, string(p.ID), append(looks, "POST /products", "PUT /products/"+string(ref.Listing))...)
	}
	gone := "GET /products/" + string(ref.Listing)
	f.Erase(f.Find(ref.Listing).ID)
	p := sample(string(ref.Publication), 1)
	if _, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields); !errors.Is(err, shopadapter.ErrGone) {
		t.Fatalf("got %v, want ErrGone", err)
	}
	f.Requests()
	ref, _ = must(t, a, refOf(p), p, shopadapter.AllFields)
	f.wantRequests(t, "a listing that was deleted by hand", gone, "POST /products", "PUT /products/"+string(ref.Listing))
}

// The young listings that are known stay few, however many are made.
func TestYoungListingsStayFew(t *testing.T) {
	l := newLeftovers(nil)
	for i := range int64(3 * mostYoung) {
		l.made(fmt.Sprint(i), i+1)
	}
	oldest, _ := l.candidates("0", "", "")
	youngest, _ := l.candidates(fmt.Sprint(3*mostYoung-1), "", "")
	if len(l.young) != mostYoung || len(oldest) != 0 || len(youngest) != 1 {
		t.Errorf("%d are known, the oldest as %v, the youngest as %v, want %d, none and one",
			len(l.young), oldest, youngest, mostYoung)
	}
}
