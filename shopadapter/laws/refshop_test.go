package laws_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const goodToken = "s3cret/token+for=the shop"

// A refShop is a shop with an ordinary REST API: a product is created as a draft, and its variants
// and pictures are added one by one. Nothing is idempotent, and a SKU may be used twice. It is
// reached in process, through RoundTrip.
type refShop struct {
	mu       sync.Mutex
	token    string // the one accepted
	vat      string // the percentage that is added to each price; "" for none
	next     int
	uploads  int
	products map[string]*refProduct
	pictures map[string]string // id -> address
	lost     map[string]bool   // addresses that cannot be fetched now
	spoilt   map[string]bool   // addresses of what is no picture
}

type refProduct struct {
	ID          string            `json:"id"`
	Meta        map[string]string `json:"meta"` // private to API clients: the field that a stamp is kept in
	OnSale      bool              `json:"onSale"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Category    string            `json:"category"`

	Words    map[string]shopadapter.Translation `json:"words"`
	Pictures []string                           `json:"pictures"` // ids
	Variants []refVariant                       `json:"variants"`
	Facts    refFacts                           `json:"facts"`
}

type refVariant struct {
	ID         string               `json:"id"`
	Ref        string               `json:"ref"` // the client's own id of it
	SKU        string               `json:"sku"`
	Options    []shopadapter.Option `json:"options"`
	Price      string               `json:"price"`
	Quantity   int                  `json:"quantity"`
	Backorders bool                 `json:"backorders"`
	Offer      string               `json:"offer"` // what the merchant reduced the price to; "" for nothing
	Off        bool                 `json:"off"`   // switched off by the merchant
	Facts      refFacts             `json:"facts"`
}

type refPicture struct {
	ID      string `json:"id"`
	Address string `json:"address"`
	Problem string `json:"problem,omitempty"` // why there is no id
	Later   bool   `json:"later,omitempty"`   // another try may succeed
}

func newRefShop() *refShop {
	return &refShop{
		token:    goodToken,
		products: map[string]*refProduct{},
		pictures: map[string]string{},
		lost:     map[string]bool{},
		spoilt:   map[string]bool{},
	}
}

// RoundTrip serves a request without a network.
func (s *refShop) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	rec := httptest.NewRecorder()
	s.serve(rec, req)
	if req.Body != nil {
		_ = req.Body.Close()
	}
	resp := rec.Result()
	resp.Request = req
	return resp, nil
}

func (s *refShop) serve(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Header.Get("Authorization") != "Bearer "+s.token {
		reply(w, http.StatusUnauthorized, "who are you?")
		return
	}
	path := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	id := ""
	if len(path) > 1 {
		id = path[1]
	}
	product := s.products[id]
	switch route := req.Method + " " + path[0]; {
	case len(path) > 2 && product != nil:
		s.serveVariant(w, req, product, slices.Concat(path, []string{""})[3])
	case route == "GET me":
		reply(w, http.StatusOK, map[string]string{"vat": s.vat})
	case route == "GET pictures":
		reply(w, http.StatusOK, s.picturesOf(req.URL.Query().Get("address")))
	case route == "POST pictures":
		var p refPicture
		if !decode(w, req, &p) {
			return
		}
		switch {
		case s.lost[p.Address]:
			reply(w, http.StatusOK, refPicture{Problem: "nobody answers there", Later: true})
		case s.spoilt[p.Address]:
			reply(w, http.StatusOK, refPicture{Problem: "that is no picture"})
		default:
			s.uploads++
			p.ID = s.newID("picture")
			s.pictures[p.ID] = p.Address
			reply(w, http.StatusCreated, p)
		}
	case route == "GET products" && id == "":
		reply(w, http.StatusOK, s.productsOf(req.URL.Query().Get("key")))
	case route == "POST products":
		var p refProduct
		if decode(w, req, &p) && acceptable(w, p) {
			p.ID = s.newID("product")
			s.products[p.ID] = &p
			reply(w, http.StatusCreated, p)
		}
	case product == nil:
		reply(w, http.StatusNotFound, "no such product")
	case route == "GET products":
		reply(w, http.StatusOK, product)
	case route == "PATCH products":
		changed := product.clone()
		if decode(w, req, &changed) && acceptable(w, changed) {
			s.products[id] = &changed
			reply(w, http.StatusOK, changed)
		}
	case route == "DELETE products":
		delete(s.products, id)
		reply(w, http.StatusNoContent, nil)
	default:
		reply(w, http.StatusMethodNotAllowed, "no such route")
	}
}

func (s *refShop) serveVariant(w http.ResponseWriter, req *http.Request, p *refProduct, id string) {
	i := slices.IndexFunc(p.Variants, func(v refVariant) bool { return v.ID == id })
	if req.Method != http.MethodPost && i < 0 {
		reply(w, http.StatusNotFound, "no such variant")
		return
	}
	if req.Method == http.MethodDelete {
		p.Variants = slices.Delete(slices.Clone(p.Variants), i, i+1)
		reply(w, http.StatusNoContent, nil)
		return
	}
	var v refVariant
	if !decode(w, req, &v) {
		return
	}
	if v.Price == "0.00" {
		reply(w, http.StatusUnprocessableEntity, "a price must be above zero")
		return
	}
	p.Variants = slices.Clone(p.Variants)
	if i < 0 {
		v.ID = s.newID("variant")
		p.Variants = append(p.Variants, v)
	} else {
		v.ID = id
		p.Variants[i] = v
	}
	reply(w, http.StatusOK, v)
}

func (s *refShop) newID(kind string) string {
	s.next++
	return kind + "-" + strconv.Itoa(s.next)
}

func (s *refShop) productsOf(key string) []refProduct {
	found := []refProduct{}
	for _, p := range s.products {
		if key == "" || p.Meta["key"] == key {
			found = append(found, p.clone())
		}
	}
	slices.SortFunc(found, func(x, y refProduct) int {
		return cmp.Compare(len(x.ID)*1000+len(x.Title), len(y.ID)*1000+len(y.Title))
	})
	return found
}

func (s *refShop) picturesOf(address string) []refPicture {
	found := []refPicture{}
	for id, known := range s.pictures {
		if known == address {
			found = append(found, refPicture{ID: id, Address: known})
		}
	}
	return found
}

func (p *refProduct) clone() refProduct {
	c := *p
	c.Meta, c.Pictures, c.Variants = maps.Clone(p.Meta), slices.Clone(p.Pictures), slices.Clone(p.Variants)
	c.Words = maps.Clone(p.Words)
	return c
}

func acceptable(w http.ResponseWriter, p refProduct) bool {
	if strings.Contains(p.Title, "forbidden") {
		reply(w, http.StatusUnprocessableEntity, "this shop does not sell that")
		return false
	}
	return true
}

func decode(w http.ResponseWriter, req *http.Request, into any) bool {
	if err := json.NewDecoder(req.Body).Decode(into); err != nil {
		reply(w, http.StatusBadRequest, "not JSON")
		return false
	}
	return true
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status >= 400 {
		body = map[string]any{"message": body}
	}
	if body != nil {
		_ = json.NewEncoder(w).Encode(body)
	}
}

// harness is the shop as the suite sees it, with adapters that open makes over it.
func (s *refShop) harness(open func(http.RoundTripper) shopadapter.Adapter) laws.Harness {
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return open(wrap(s)), nil
		},
		Observe: func(context.Context) ([]laws.Seen, error) {
			return s.observe(), nil
		},
		Secrets:    []string{goodToken},
		Drafts:     true,
		Languages:  []string{"nl"},
		AddTax:     func(percent string) { s.mu.Lock(); defer s.mu.Unlock(); s.vat = percent },
		Details:    refDetails(),
		EditDetail: s.editDetail,
		Edit:       s.edit,
		Visit:      laws.VisitSeen(func(context.Context) ([]laws.Seen, error) { return s.observe(), nil }),
		RenameOption: func(_ context.Context, listing shopadapter.ListingID, option, name string) error {
			return s.rename(listing, func(o *shopadapter.Option) {
				if o.Name == option {
					o.Name = name
				}
			})
		},
		RenameValue: func(_ context.Context, listing shopadapter.ListingID, option, value, name string) error {
			return s.rename(listing, func(o *shopadapter.Option) {
				if o.Name == option && o.Value == value {
					o.Value = name
				}
			})
		},
		DeleteByHand: s.deleteByHand,
		HideByHand:   s.hideByHand,
		DeleteStamp:  s.deleteStamp,
		SetPriceByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string) error {
			return s.handle(l, v, func(v *refVariant) { v.Price = price })
		},
		SetQuantityByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, quantity int) error {
			return s.handle(l, v, func(v *refVariant) { v.Quantity = quantity })
		},
		ReduceByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string) error {
			return s.handle(l, v, func(v *refVariant) { v.Offer = price })
		},
		HideVariantByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
			return s.handle(l, v, func(v *refVariant) { v.Off = true })
		},
		RemoveVariantByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
			return s.handle(l, v, nil)
		},
		AddForeign:       s.addForeign,
		RefuseVariant:    func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
		RefuseProduct:    func(p shopadapter.Product) shopadapter.Product { p.Title += ", forbidden"; return p },
		BreakCredentials: s.breakCredentials,
		Uploads:          func() int { s.mu.Lock(); defer s.mu.Unlock(); return s.uploads },
		LosePicture:      s.losePicture,
		SpoilPicture:     func(address string) { s.mu.Lock(); defer s.mu.Unlock(); s.spoilt[address] = true },
	}
}

func (s *refShop) observe() []laws.Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var products []laws.Seen
	prices := shopadapter.Prices{VAT: s.vat}
	for _, p := range s.products {
		seen := laws.Seen{
			Listing: shopadapter.ListingID(p.ID), Publication: shopadapter.PublicationID(p.Meta["key"]),
			OnSale: p.OnSale, Title: p.Title, Description: p.Description, Category: p.Category, Images: s.addresses(p.Pictures),
			Details: p.seenBrand(), Translations: p.Words,
		}
		for _, v := range p.Variants {
			if v.Off {
				continue
			}
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.Ref, ShopID: v.ID, SKU: v.SKU, Options: options,
				Price: prices.Shown(v.Price), Quantity: v.Quantity, Backorders: v.Backorders,
				Details: v.Facts.Held,
			})
		}
		products = append(products, seen)
	}
	return products
}

func (s *refShop) addresses(pictures []string) []string {
	addresses := make([]string, len(pictures))
	for i, id := range pictures {
		addresses[i] = s.pictures[id]
	}
	return addresses
}

func (s *refShop) edit(_ context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)]
	if p == nil {
		return fmt.Errorf("no product %s", listing)
	}
	switch group {
	case shopadapter.FieldTitle:
		p.Title = "The merchant's own title"
	case shopadapter.FieldDescription:
		p.Description = "<p>The merchant's own words.</p>"
	case shopadapter.FieldCategory:
		p.Category = "The merchant's own shelf"
	case shopadapter.FieldImages:
		p.Pictures = slices.Concat(p.Pictures[1:], p.Pictures[:1])
	}
	return nil
}

// axes are the options of the variants with their values.
func (p *refProduct) axes() []kit.Axis {
	var all []kit.Axis
	for _, v := range p.Variants {
		for _, o := range v.Options {
			i := slices.IndexFunc(all, func(a kit.Axis) bool { return a.Name == o.Name })
			if i < 0 {
				all, i = append(all, kit.Axis{Name: o.Name}), len(all)
			}
			if !slices.Contains(all[i].Values, o.Value) {
				all[i].Values = append(all[i].Values, o.Value)
			}
		}
	}
	return all
}

func (s *refShop) rename(listing shopadapter.ListingID, change func(*shopadapter.Option)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)].clone()
	for i := range p.Variants {
		p.Variants[i].Options = slices.Clone(p.Variants[i].Options)
		for j := range p.Variants[i].Options {
			change(&p.Variants[i].Options[j])
		}
	}
	s.products[string(listing)] = &p
	return nil
}

// handle changes a variant by hand; nil deletes it.
func (s *refShop) handle(listing shopadapter.ListingID, v laws.SeenVariant, change func(*refVariant)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)].clone()
	i := slices.IndexFunc(p.Variants, func(w refVariant) bool { return w.ID == v.ShopID })
	if i < 0 {
		return fmt.Errorf("no variant %s", v.ShopID)
	}
	if change == nil {
		p.Variants = slices.Delete(p.Variants, i, i+1)
	} else {
		change(&p.Variants[i])
	}
	p.Variants = slices.Clip(p.Variants)
	s.products[string(listing)] = &p
	return nil
}

func (s *refShop) deleteByHand(_ context.Context, listing shopadapter.ListingID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.products[string(listing)] == nil {
		return fmt.Errorf("no product %s", listing)
	}
	delete(s.products, string(listing))
	return nil
}

func (s *refShop) hideByHand(_ context.Context, listing shopadapter.ListingID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)]
	if p == nil {
		return fmt.Errorf("no product %s", listing)
	}
	p.OnSale = false
	return nil
}

func (s *refShop) deleteStamp(_ context.Context, listing shopadapter.ListingID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)]
	if p == nil {
		return fmt.Errorf("no product %s", listing)
	}
	p.Meta = nil
	return nil
}

func (s *refShop) addForeign(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &refProduct{
		ID:          s.newID("product"),
		OnSale:      true,
		Title:       p.Title,
		Description: p.Description,
		Category:    p.Category.Path,
	}
	for _, v := range p.Variants {
		own.Variants = append(
			own.Variants,
			refVariant{ID: s.newID("variant"), SKU: v.SKU, Options: v.Options, Price: "1.00", Quantity: 1},
		)
	}
	s.products[own.ID] = own
	return shopadapter.ListingID(own.ID), nil
}

func (s *refShop) breakCredentials() (mend func()) {
	set := func(token string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.token = token
	}
	set("another")
	return func() { set(goodToken) }
}

func (s *refShop) losePicture(address string) (back func()) {
	set := func(lost bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lost[address] = lost
	}
	set(true)
	return func() { set(false) }
}
