package httpshop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// An endpoint is a shop that implements the protocol: a store of products by publication, and one product of the merchant's own now and then.
type endpoint struct {
	mu       sync.Mutex
	token    string
	next     int
	products map[string]*listed // by the shop's id
}

type listed struct {
	shopadapter.Product
	onSale bool
	own    bool // the merchant's, not ours
	shopID map[string]string
}

const sentToken = `t0ken/with"quotes"&more`

func newEndpoint() *endpoint {
	return &endpoint{token: sentToken, products: map[string]*listed{}}
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
		return
	}
	key, err := url.PathUnescape(segments[len(segments)-1])
	if len(segments) != 2 || segments[0] != "products" || err != nil {
		http.NotFound(w, req)
		return
	}
	id, _ := e.find(key)
	switch {
	case req.Method == http.MethodPut:
		e.put(w, req, id, key)
	case id == "":
		problem(w, http.StatusNotFound, "Not found", "no such product")
	case req.URL.Query().Get("mode") == "delete":
		delete(e.products, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		e.products[id].onSale = false
		w.WriteHeader(http.StatusNoContent)
	}
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
		id, p = e.newID(), &listed{Product: body.Product, shopID: map[string]string{}}
		e.products[id] = p
	}
	refused := p.apply(body.Product, body.Changed, e.newID)
	p.onSale = len(p.Variants) > 0
	answer := map[string]any{"id": id, "url": "https://shop.example.com/" + id, "variants": p.shopID}
	if len(refused) > 0 {
		answer["refused"] = refused
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(answer)
}

// apply writes the groups that changed, and variants that are new.
func (p *listed) apply(q shopadapter.Product, changed shopadapter.Fields, newID func() string) (refused map[string]string) {
	if changed.Has(shopadapter.FieldTitle) {
		p.Title = q.Title
	}
	if changed.Has(shopadapter.FieldDescription) {
		p.Description = q.Description
	}
	if changed.Has(shopadapter.FieldImages) {
		p.Images = q.Images
	}
	if changed.Has(shopadapter.FieldCategory) {
		p.Category = q.Category
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
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "status": code, "title": title, "detail": detail})
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
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			seen.Variants = append(seen.Variants, shopadaptertest.SeenVariant{
				ID: v.ID, ShopID: p.shopID[v.ID], SKU: v.SKU, Options: options, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
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
			Observe:          shop.observe,
			Secrets:          []string{sentToken},
			AddForeign:       shop.addForeign,
			RefuseVariant:    func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
			RefuseProduct:    func(p shopadapter.Product) shopadapter.Product { p.Title += ", forbidden"; return p },
			BreakCredentials: shop.breakCredentials,
			Without: map[string]string{
				"deleted-by-hand":   "a PUT makes the listing, and the protocol has no word for one that somebody deleted",
				"merchants-edit":    work + "whether a text was edited, and whether to keep it",
				"edit-not-invented": work + "whether a text was edited, and whether to keep it",
				"image-once":        work + "what it does with the addresses of the pictures",
				"lister":            "the protocol has no request that lists what the shop holds",
			},
		}
	})
}
