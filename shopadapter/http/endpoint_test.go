package httpshop

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// An endpoint is a shop that implements the protocol: a store of products by publication, and one
// product of the merchant's own now and then.
type endpoint struct {
	mu       sync.Mutex
	token    string
	next     int
	products map[string]*listed // by the shop's id
	lost     map[string]bool    // addresses of pictures that cannot be fetched now
	spoilt   map[string]bool    // addresses of what is no picture
	gone     map[string]bool    // publications whose listing somebody deleted by hand
}

type listed struct {
	shopadapter.Product
	onSale  bool
	own     bool // the merchant's, not ours
	shopID  map[string]string
	off     map[string]bool // variants that the merchant switched off
	changed time.Time
	written shopadapter.Product // the texts as last written: what differs is the merchant's
}

const sentToken = `t0ken/with"quotes"&more`

func newEndpoint() *endpoint {
	return &endpoint{
		token:    sentToken,
		products: map[string]*listed{},
		lost:     map[string]bool{},
		spoilt:   map[string]bool{},
		gone:     map[string]bool{},
	}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if req.Header.Get("Authorization") != "Bearer "+e.token {
		problem(w, http.StatusUnauthorized, "Unauthorized", "the token is not known here")
		return
	}
	segments := strings.Split(strings.TrimPrefix(req.URL.EscapedPath(), "/shop/"), "/")
	if len(segments) == 1 && segments[0] == "health" && req.Method == http.MethodGet {
		_, _ = w.Write([]byte(`{"currency":"EUR","version":"1.2","figures":true,"observed":true}`))
		return
	}
	if len(segments) == 1 && segments[0] == "products" && req.Method == http.MethodGet {
		e.list(w, req.URL.Query())
		return
	}
	key, err := url.PathUnescape(segments[len(segments)-1])
	if len(segments) != 2 || segments[0] != "products" || err != nil {
		http.NotFound(w, req)
		return
	}
	id, _ := e.find(key)
	switch {
	case req.Method == http.MethodPut && e.gone[key] && req.Header.Get("Pubsync-Recreate") != "true":
		w.WriteHeader(http.StatusGone)
		_, _ = w.Write([]byte(`{"deleted":true}`))
	case req.Method == http.MethodPut:
		delete(e.gone, key)
		e.put(w, req, id, key)
	case req.Method == http.MethodPatch && e.gone[key]:
		w.WriteHeader(http.StatusGone)
		_, _ = w.Write([]byte(`{"deleted":true}`))
	case req.Method == http.MethodPatch:
		e.patch(w, req, id)
	case id == "":
		problem(w, http.StatusNotFound, "Not found", "no such product")
	case req.URL.Query().Get("mode") == "delete":
		delete(e.products, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		e.products[id].onSale, e.products[id].changed = false, time.Now()
		w.WriteHeader(http.StatusNoContent)
	}
}

// list answers three products a page.
func (e *endpoint) list(w http.ResponseWriter, query url.Values) {
	ids := slices.Sorted(maps.Keys(e.products))
	ids = slices.DeleteFunc(ids, func(id string) bool {
		other := query.Has("publication") && query.Get("publication") != string(e.products[id].ID)
		return e.products[id].own || other || id <= query.Get("after")
	})
	page, next := []map[string]any{}, ""
	for _, id := range ids[:min(3, len(ids))] {
		p := e.products[id]
		page = append(page, map[string]any{
			"publication": p.ID, "id": id, "url": "https://shop.example.com/" + id, "onSale": p.onSale,
			"variants": p.standing(), "images": len(p.Images), "edited": p.edited(),
		})
	}
	if len(ids) > 3 {
		next = ids[2]
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"products": page, "after": next})
}

// standing is the variants as they stand in the shop, by the shop's ids.
func (p *listed) standing() []map[string]any {
	list := []map[string]any{}
	for _, v := range p.Variants {
		list = append(list, map[string]any{
			"id": p.shopID[v.ID], "sku": v.SKU, "price": v.Price, "quantity": v.Quantity, "backorders": v.Backorders,
			"onSale": p.onSale && !p.off[v.ID],
		})
	}
	return list
}

// edited is the texts that the shop's owner has edited.
func (p *listed) edited() (edited shopadapter.Fields) {
	for group, same := range map[shopadapter.Fields]bool{
		shopadapter.FieldTitle:       p.Title == p.written.Title,
		shopadapter.FieldDescription: p.Description == p.written.Description,
		shopadapter.FieldImages:      slices.Equal(p.Images, p.written.Images),
		shopadapter.FieldCategory:    p.Category.Name == p.written.Category.Name,
	} {
		if !same {
			edited |= group
		}
	}
	return edited
}

// edit changes a text as the shop's owner does.
func (e *endpoint) edit(_ context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.products[string(listing)]
	switch p.changed = time.Now(); group {
	case shopadapter.FieldTitle:
		p.Title += ", our own"
	case shopadapter.FieldDescription:
		p.Description += "<p>our own</p>"
	case shopadapter.FieldImages:
		p.Images = p.Images[1:]
	default:
		p.Category.Name = "Our own"
	}
	return nil
}

// handle changes a variant as the shop's owner does; nil deletes it.
func (e *endpoint) handle(
	listing shopadapter.ListingID, v shopadaptertest.SeenVariant, change func(p *listed, v *shopadapter.Variant),
) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.products[string(listing)]
	p.Variants, p.changed = slices.Clone(p.Variants), time.Now()
	i := slices.IndexFunc(p.Variants, func(w shopadapter.Variant) bool { return w.ID == v.ID })
	if change == nil {
		p.Variants = slices.Delete(p.Variants, i, i+1)
	} else {
		change(p, &p.Variants[i])
	}
	return nil
}

// deleteByHand deletes a product as the shop's owner does.
func (e *endpoint) deleteByHand(_ context.Context, listing shopadapter.ListingID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gone[string(e.products[string(listing)].ID)] = true
	delete(e.products, string(listing))
	return nil
}

func (e *endpoint) find(key string) (string, *listed) {
	for id, p := range e.products {
		if !p.own && string(p.ID) == key {
			return id, p
		}
	}
	return "", nil
}

func (e *endpoint) put(w http.ResponseWriter, req *http.Request, id, key string) {
	var body struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
		Reset   shopadapter.Fields `json:"reset"`
		Revive  bool               `json:"revive"`
	}
	decoder := json.NewDecoder(req.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || string(body.ID) != key {
		problem(w, http.StatusBadRequest, "Bad body", fmt.Sprint(err))
		return
	}
	if strings.Contains(body.Title, "forbidden") {
		problem(w, http.StatusUnprocessableEntity, "Not for sale", "this shop does not sell that")
		return
	}
	p := e.products[id]
	if p == nil {
		id, p = e.newID(), &listed{
			Product: body.Product, shopID: map[string]string{}, off: map[string]bool{}, written: body.Product,
		}
		e.products[id] = p
	}
	kept := p.edited() & body.Changed &^ body.Reset
	refused := p.apply(body.Product, body.Changed&^kept, e.newID)
	if body.Revive {
		clear(p.off)
	}
	p.onSale, p.changed = len(p.Variants) > 0, time.Now()
	answer := map[string]any{"id": id, "url": "https://shop.example.com/" + id, "variants": p.shopID, "kept": kept}
	if len(refused) > 0 {
		answer["refused"] = refused
	}
	if body.Changed.Has(shopadapter.FieldImages) && !kept.Has(shopadapter.FieldImages) {
		answer["missing"] = e.fetchImages(p)
		p.written.Images = p.Images
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(answer)
}

// patch takes figures of all variants of a product that it holds.
func (e *endpoint) patch(w http.ResponseWriter, req *http.Request, id string) {
	var body struct {
		Variants  []shopadapter.Figures
		UpdatedAt string
		Changed   shopadapter.Fields
	}
	decoder := json.NewDecoder(req.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		problem(w, http.StatusBadRequest, "Bad body", fmt.Sprint(err))
		return
	}
	p := e.products[id]
	if p == nil {
		problem(w, http.StatusNotFound, "Not found", "no such product")
		return
	}
	figured, same := p.Refigured(body.Variants)
	if !same {
		problem(w, http.StatusConflict, "Not whole", "it has other variants")
		return
	}
	refused := p.apply(figured, body.Changed, e.newID)
	p.onSale, p.changed = len(p.Variants) > 0, time.Now()
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": id, "url": "https://shop.example.com/" + id, "variants": p.shopID, "refused": refused,
	})
}

// fetchImages leaves a product the pictures that can be had, and names the others.
func (e *endpoint) fetchImages(p *listed) []map[string]any {
	var shown []string
	missing := []map[string]any{}
	for _, address := range p.Images {
		switch {
		case e.lost[address]:
			missing = append(missing, map[string]any{"url": address, "reason": "nobody answers there", "later": true})
		case e.spoilt[address]:
			missing = append(missing, map[string]any{"url": address, "reason": "that is no picture"})
		default:
			shown = append(shown, address)
		}
	}
	p.Images = shown
	return missing
}

func (e *endpoint) losePicture(address string) (back func()) {
	set := func(lost bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.lost[address] = lost
	}
	set(true)
	return func() { set(false) }
}

func (e *endpoint) spoilPicture(address string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spoilt[address] = true
}

// apply writes the groups that changed, and variants that are new.
func (p *listed) apply(
	q shopadapter.Product,
	changed shopadapter.Fields,
	newID func() string,
) (refused map[string]string) {
	if changed.Has(shopadapter.FieldTitle) {
		p.Title, p.written.Title = q.Title, q.Title
	}
	if changed.Has(shopadapter.FieldDescription) {
		p.Description, p.written.Description = q.Description, q.Description
	}
	if changed.Has(shopadapter.FieldImages) {
		p.Images, p.written.Images = q.Images, q.Images
	}
	if changed.Has(shopadapter.FieldCategory) {
		p.Category, p.written.Category = q.Category, q.Category
	}
	refused = map[string]string{}
	var variants []shopadapter.Variant
	for _, v := range q.Variants {
		if v.Price == "0.00" {
			refused[v.ID] = "a price must be above zero"
			continue
		}
		i := slices.IndexFunc(p.Variants, func(old shopadapter.Variant) bool { return old.ID == v.ID })
		if i >= 0 && !changed.Has(shopadapter.FieldPrice) {
			v.Price = p.Variants[i].Price
		}
		if i >= 0 && !changed.Has(shopadapter.FieldStock) {
			v.Quantity, v.Backorders = p.Variants[i].Quantity, p.Variants[i].Backorders
		}
		if p.shopID[v.ID] == "" {
			p.shopID[v.ID] = newID()
		}
		variants = append(variants, v)
	}
	p.Variants = variants
	return refused
}

func (e *endpoint) newID() string {
	e.next++
	return fmt.Sprint(e.next)
}

func problem(w http.ResponseWriter, code int, title, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).
		Encode(map[string]any{"type": "about:blank", "status": code, "title": title, "detail": detail})
}

func (e *endpoint) observe(context.Context) ([]shopadaptertest.Seen, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var products []shopadaptertest.Seen
	for id, p := range e.products {
		seen := shopadaptertest.Seen{
			Listing: shopadapter.ListingID(id), Publication: p.ID, OnSale: p.onSale,
			Title: p.Title, Description: p.Description, Category: p.Category.Name, Images: p.Images,
		}
		if p.own {
			seen.Publication = ""
		}
		for _, v := range p.Variants {
			if p.off[v.ID] {
				continue
			}
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			seen.Variants = append(seen.Variants, shopadaptertest.SeenVariant{
				ID: v.ID, ShopID: p.shopID[v.ID], SKU: v.SKU, Options: options, Price: v.Price, Quantity: v.Quantity,
				Backorders: v.Backorders,
			})
		}
		products = append(products, seen)
	}
	return products, nil
}

func (e *endpoint) addForeign(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	id := e.newID()
	e.products[id] = &listed{Product: p, onSale: true, own: true}
	return shopadapter.ListingID(id), nil
}

func (e *endpoint) breakCredentials() (mend func()) {
	set := func(token string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.token = token
	}
	set("another")
	return func() { set(sentToken) }
}

func TestLaws(t *testing.T) {
	shopadaptertest.Run(t, func(t *testing.T) shopadaptertest.Harness {
		t.Parallel()
		shop := newEndpoint()
		srv := httptest.NewServer(shop)
		t.Cleanup(srv.Close)
		const work = "the protocol leaves this to the endpoint, which knows the shop: "
		return shopadaptertest.Harness{
			Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
				return shopadapter.Open(Name, shopadapter.Options{
					Settings:   map[string]string{"URL": srv.URL + "/shop/", "TOKEN": sentToken},
					HTTPClient: &http.Client{Transport: wrap(srv.Client().Transport)},
				})
			},
			Observe:      shop.observe,
			Secrets:      []string{sentToken},
			AddForeign:   shop.addForeign,
			DeleteByHand: shop.deleteByHand,
			Edit:         shop.edit,
			SetPriceByHand: func(_ context.Context, l shopadapter.ListingID, v shopadaptertest.SeenVariant, price string) error {
				return shop.handle(l, v, func(_ *listed, v *shopadapter.Variant) { v.Price = price })
			},
			SetQuantityByHand: func(_ context.Context, l shopadapter.ListingID, v shopadaptertest.SeenVariant, n int) error {
				return shop.handle(l, v, func(_ *listed, v *shopadapter.Variant) { v.Quantity = n })
			},
			RemoveVariantByHand: func(_ context.Context, l shopadapter.ListingID, v shopadaptertest.SeenVariant) error {
				return shop.handle(l, v, nil)
			},
			HideVariantByHand: func(_ context.Context, l shopadapter.ListingID, v shopadaptertest.SeenVariant) error {
				return shop.handle(l, v, func(p *listed, v *shopadapter.Variant) { p.off[v.ID] = true })
			},
			RefuseVariant:    func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
			RefuseProduct:    func(p shopadapter.Product) shopadapter.Product { p.Title += ", forbidden"; return p },
			BreakCredentials: shop.breakCredentials,
			LosePicture:      shop.losePicture,
			SpoilPicture:     shop.spoilPicture,
			Without: map[string]string{
				"hidden-by-hand": "a PUT puts the listing on sale, and the protocol has no word for one that " +
					"somebody took out of sale",
				"observed-reduction": "the protocol has the regular price alone: a reduction beside it is the endpoint's",
				"choice":             work + "what its pages let a visitor choose",
				"renamed-choice":     work + "what its pages let a visitor choose, and under which names",
				"image-once":         work + "what it does with the addresses of the pictures",
			},
		}
	})
}
