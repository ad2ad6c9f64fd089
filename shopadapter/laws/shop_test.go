package laws_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const goodToken = `t0ken/with"quotes"&more+for=`

// A world is the shop of package shoptest as an endpoint, with what befalls it in the laws. It is
// reached in process, by the adapter http.
type world struct {
	*shoptest.Shop

	mu                 sync.Mutex
	token              string
	vat                string                         // percentage that is added to each price; "" for none
	missing            map[string]shopadapter.Picture // by the addresses that cannot be shown
	library            map[string]bool                // addresses of the pictures that were taken in
	uploads, creations int
	words              map[string]string                                // the merchant's names of options and values
	offers             map[string]string                                // what variants are reduced to
	typed              map[string]map[string]string                     // details that the merchant typed, of each variant
	current            shopadapter.Product                              // of the saboteur that shares one product
	memories           map[shopadapter.PublicationID]shopadapter.Listed // of the saboteur that lists what it wrote
}

func newWorld() *world {
	w := &world{
		Shop: shoptest.New(shoptest.Abilities{
			Lists: true, Observes: true, Figures: true, Drafts: true, Currency: "EUR",
		}),
		token: goodToken, missing: map[string]shopadapter.Picture{}, library: map[string]bool{},
		words: map[string]string{}, offers: map[string]string{}, typed: map[string]map[string]string{},
		memories: map[shopadapter.PublicationID]shopadapter.Listed{},
	}
	w.Rule(w.rule)
	return w
}

// rule refuses what the laws have it refuse, and takes in the pictures that can be shown.
func (w *world) rule(c shoptest.Call) (r shoptest.Reply) {
	if strings.Contains(c.Product.Title, "forbidden") {
		return shoptest.Reply{Err: shopadapter.Reject("this shop does not sell that")}
	}
	r.Refused = map[string]string{}
	for _, v := range c.Product.Variants {
		if v.Price == "0.00" {
			r.Refused[v.ID] = "a price must be above zero"
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, address := range c.Product.Images {
		if picture, missing := w.missing[address]; missing {
			r.Missing = append(r.Missing, picture)
		} else if c.Method == shoptest.Publish && !w.library[address] {
			w.library[address] = true
			w.uploads++
		}
	}
	return r
}

// RoundTrip serves a request without a network.
func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	rec := httptest.NewRecorder()
	if known := req.Header.Get("Authorization") == "Bearer "+w.token; known {
		w.Shop.ServeHTTP(rec, req)
	} else {
		http.Error(rec, "the token is not known here", http.StatusUnauthorized)
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	resp := rec.Result()
	resp.Request = req
	return resp, nil
}

func (w *world) with(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// hand changes the product of a listing as the shop's owner does.
func (w *world) hand(listing shopadapter.ListingID, change func(p *shoptest.Product)) error {
	for key, p := range w.Products() {
		if p.Listing == listing && w.Hand(key, change) {
			return nil
		}
	}
	return errors.New("no such listing")
}

// handle changes a variant as the shop's owner does.
func (w *world) handle(l shopadapter.ListingID, v laws.SeenVariant, change func(p *shoptest.Product, i int)) error {
	return w.hand(l, func(p *shoptest.Product) {
		change(p, slices.IndexFunc(p.Variants, func(o shopadapter.Variant) bool { return o.ID == v.ID }))
	})
}

func edit(p *shoptest.Product, group shopadapter.Fields) {
	switch p.Edited |= group; group {
	case shopadapter.FieldTitle:
		p.Title += ", our own"
	case shopadapter.FieldDescription:
		p.Description += "<p>our own</p>"
	case shopadapter.FieldImages:
		p.Images = slices.Concat(p.Images[1:], p.Images[:1])
	default:
		p.Category.Path, p.Category.Name = "OUR_OWN", "Our own"
	}
}

func detailNames() []string {
	return []string{
		"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
		"materials", "caseQuantity",
	}
}

func (w *world) observe(context.Context) (products []laws.Seen, err error) {
	all := w.Products()
	w.mu.Lock()
	defer w.mu.Unlock()
	prices := shopadapter.Prices{VAT: w.vat}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		p := all[key]
		seen := laws.Seen{
			Listing: p.Listing, Publication: p.ID, OnSale: p.OnSale, Title: p.Title, Description: p.Description,
			Category: p.Category.Name, Images: p.Images, Translations: p.Translations,
			Details: map[string]string{"brand": cmp.Or(w.typed[string(p.ID)]["brand"], p.Brand)},
		}
		if p.Own {
			seen.Publication = ""
		}
		for _, v := range p.Variants {
			if p.Off[v.ID] {
				continue
			}
			options, details := map[string]string{}, map[string]string{"ean": v.EAN}
			for _, o := range v.Options {
				at := string(p.Listing)
				options[cmp.Or(w.words[at+o.Name], o.Name)] = cmp.Or(w.words[at+o.Value], o.Value)
			}
			for _, one := range v.Details.List() {
				details[one.Name] = one.Value
			}
			maps.Copy(details, w.typed[v.ID])
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.ID, ShopID: "v-" + v.ID, SKU: v.SKU, Options: options, Quantity: v.Quantity, Backorders: v.Backorders,
				Price: prices.Shown(cmp.Or(w.offers[v.ID], v.Price)), Details: details,
			})
		}
		products = append(products, seen)
	}
	return products, nil
}

// harness is the shop as the laws need it, with adapters that open makes of the plain ones.
func (w *world) harness(open func(plain shopadapter.Adapter) shopadapter.Adapter) laws.Harness {
	opener := func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
		settings := map[string]string{"URL": "https://shop.example", "TOKEN": goodToken}
		if w.vat != "" {
			settings["PRICES"] = "net"
		}
		plain, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
			Settings: settings, HTTPClient: &http.Client{Transport: wrap(w)}, VATPercent: w.vat,
		})
		return open(plain), err
	}
	type listing = shopadapter.ListingID
	type variant = laws.SeenVariant
	rename := func(_ context.Context, l listing, option, name string) error {
		w.with(func() { w.words[string(l)+option] = name })
		return nil
	}
	return laws.Harness{
		Open: opener, Observe: w.observe, Visit: laws.VisitSeen(w.observe),
		Secrets: []string{goodToken}, Drafts: true, Details: detailNames(), Followed: []string{"ean"},
		Languages: []string{"nl"},
		AddTax:    func(percent string) { w.vat = percent },
		EditDetail: func(_ context.Context, l listing, v variant, name string) error {
			return w.hand(l, func(p *shoptest.Product) {
				of := map[bool]string{true: string(p.ID), false: v.ID}[name == "brand"]
				w.with(func() { w.typed[of] = map[string]string{name: "7.77"} })
			})
		},
		Edit: func(_ context.Context, l listing, group shopadapter.Fields) error {
			return w.hand(l, func(p *shoptest.Product) { edit(p, group) })
		},
		RenameOption: rename,
		RenameValue: func(ctx context.Context, l listing, _, value, name string) error {
			return rename(ctx, l, value, name)
		},
		DeleteByHand: func(_ context.Context, l listing) error {
			return w.hand(l, func(p *shoptest.Product) { p.Deleted = true })
		},
		HideByHand: func(_ context.Context, l listing) error {
			return w.hand(l, func(p *shoptest.Product) { p.OnSale = false })
		},
		DeleteStamp: func(_ context.Context, l listing) error {
			return w.hand(l, func(p *shoptest.Product) { p.Own = true })
		},
		SetPriceByHand: func(_ context.Context, l listing, v variant, price string) error {
			return w.handle(l, v, func(p *shoptest.Product, i int) { p.Variants[i].Price = price })
		},
		SetQuantityByHand: func(_ context.Context, l listing, v variant, quantity int) error {
			return w.handle(l, v, func(p *shoptest.Product, i int) { p.Variants[i].Quantity = quantity })
		},
		ReduceByHand: func(_ context.Context, _ listing, v variant, price string) error {
			w.with(func() { w.offers[v.ID] = price })
			return nil
		},
		RemoveVariantByHand: func(_ context.Context, l listing, v variant) error {
			return w.handle(l, v, func(p *shoptest.Product, i int) { p.Variants = slices.Delete(p.Variants, i, i+1) })
		},
		HideVariantByHand: func(_ context.Context, l listing, v variant) error {
			return w.handle(l, v, func(p *shoptest.Product, _ int) { p.Off[v.ID] = true })
		},
		AddForeign:    func(_ context.Context, p shopadapter.Product) (listing, error) { return w.Add(p), nil },
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product { p.Title += ", forbidden"; return p },
		BreakCredentials: func() (mend func()) {
			w.token = "another"
			return func() { w.token = goodToken }
		},
		Uploads: func() int { return w.uploads },
		LosePicture: func(address string) (back func()) {
			w.with(func() {
				w.missing[address] = shopadapter.Picture{URL: address, Reason: "nobody answers there", Later: true}
			})
			return func() { w.with(func() { delete(w.missing, address) }) }
		},
		SpoilPicture: func(address string) {
			w.with(func() { w.missing[address] = shopadapter.Picture{URL: address, Reason: "that is no picture"} })
		},
	}
}

// A reference is the adapter http with what its protocol has no word for: listings that were hidden,
// that have lost their stamp or were the merchant's own, and details that the merchant typed.
type reference struct {
	shopadapter.Adapter
	*world
}

// reference keeps every law.
func (w *world) reference(plain shopadapter.Adapter) shopadapter.Adapter { return reference{plain, w} }

func (r reference) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (l shopadapter.Listing, err error) {
	if err := ctx.Err(); err != nil {
		return l, err
	}
	key := string(ref.Publication)
	it, found := r.Get(key)
	switch {
	case found && it.Own && !ref.Revive:
		return l, shopadapter.Block("the stamp of %s was deleted", it.Listing)
	case found && it.Own:
		r.Hand(key, func(p *shoptest.Product) { p.Own = false })
	case found && ref.OnSale && !it.OnSale:
		return l, shopadapter.ErrHidden
	}
	l, err = r.Adapter.Publish(ctx, ref, p, changed)
	if err == nil && !p.Figures {
		l.Kept |= r.keepTyped(p, changed, ref.Reset)
	}
	return l, err
}

// keepTyped leaves the details that the merchant typed, until they are reset, and names their groups.
func (r reference) keepTyped(p shopadapter.Product, changed, reset shopadapter.Fields) (kept shopadapter.Fields) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := map[string]shopadapter.Fields{string(p.ID): shopadapter.FieldBrand}
	for _, v := range p.Variants {
		of[v.ID] = shopadapter.FieldDetails
	}
	for id, group := range of {
		if reset.Has(group) {
			delete(r.typed, id)
		} else if len(r.typed[id]) > 0 {
			kept |= group & changed
		}
	}
	return kept
}

func (r reference) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if it, _ := r.Get(string(ref.Publication)); it.Own {
		return "", shopadapter.Block("the stamp of %s was deleted", it.Listing)
	}
	return r.Adapter.Unpublish(ctx, ref, how)
}

// verdict exercises a law in a bubble, where a goroutine left behind is a failure.
func verdict(t *testing.T, law laws.Law, h laws.Harness) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { err = law.Check(t.Context(), h) })
	return err
}

// The reference is excused from nothing.
func TestReferenceKeepsTheLaws(t *testing.T) {
	for _, law := range laws.Laws() {
		t.Run(law.ID, func(t *testing.T) {
			w := newWorld()
			if err := verdict(t, law, w.harness(w.reference)); err != nil {
				t.Errorf("%s\ngot %v, want nil", law.Sentence, err)
			}
		})
	}
}

// The shop's own adapter makes no requests.
func TestShopInMemoryKeepsTheLaws(t *testing.T) {
	laws.Run(t, func(*testing.T) laws.Harness {
		w := newWorld()
		h := w.harness(nil)
		h.Open = func(func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) { return w.Adapter(), nil }
		h.DeleteStamp, h.EditDetail, h.AddTax, h.Drafts, h.NoTransport = nil, nil, nil, false, true
		const inProcess = "the shop is in the same process: each call is one step that cannot be cut"
		h.Without = map[string]string{
			"lost-answer": inProcess, "fault-half-way": inProcess, "never-half-built": inProcess,
			"edit-not-invented": inProcess, "translation-lost-answer": inProcess, "detail-lost-answer": inProcess,
			"image-once": inProcess, "restock-lost-answer": inProcess,
			"credentials": "the shop asks nobody who they are", "checker": "as credentials",
		}
		return h
	})
}

// good is the harness of the reference.
func good() laws.Harness {
	w := newWorld()
	return w.harness(w.reference)
}
