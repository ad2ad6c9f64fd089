// Package toyshop is a shop in memory with a small API, so that there is something to write an
// adapter for. Your shop takes its place.
//
//	GET    /api/me             204, for a client that is known
//	GET    /api/products/      all products
//	GET    /api/products/{id}  one, or 404
//	PUT    /api/products/{id}  makes it, or changes the members that are sent, and answers with it
//	DELETE /api/products/{id}  204, or 404
//	GET    /p/{id}             the page that a customer sees
//
// The list of a product's variants is written whole: one with an id is that variant, one without is
// a new one, and those that are not in the list go.
//
// Every request of the API needs a bearer token. The shop refuses a title of more than 200
// characters, and a variant that is free. It shows pictures from where they are.
package toyshop

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Product is what the shop sells.
type Product struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Category    string     `json:"category"`
	Images      []string   `json:"images"`
	Variants    []*Variant `json:"variants"`
	OnSale      bool       `json:"onSale"`
	Note        string     `json:"note"` // private: a text for the client that made the product
}

// A Variant is one kind of a product.
type Variant struct {
	ID         string            `json:"id"`
	Reference  string            `json:"reference"` // of the client that made it
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

// A Shop is an http.Handler.
type Shop struct {
	mu       sync.Mutex
	token    string
	made     int
	products []*Product
}

// New is an empty shop whose API accepts a token.
func New(token string) *Shop { return &Shop{token: token} }

// SetToken changes the token that the API accepts.
func (s *Shop) SetToken(token string) { s.With(func(*[]*Product) { s.token = token }) }

// With calls f with the products, which it may change as the shop's owner can.
func (s *Shop) With(f func(products *[]*Product)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.products)
}

// ServeHTTP answers the API and the pages.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, public := strings.CutPrefix(r.URL.Path, "/p/")
	if !public {
		id = strings.TrimPrefix(r.URL.Path, "/api/products/")
	}
	i := slices.IndexFunc(s.products, func(p *Product) bool { return p.ID == id })
	status, body := http.StatusOK, any(nil)
	switch {
	case public && i >= 0 && s.products[i].OnSale:
		fmt.Fprintf(w, "<!DOCTYPE html><h1>%s</h1>", html.EscapeString(s.products[i].Title))
		return
	case !public && r.Header.Get("Authorization") != "Bearer "+s.token:
		status, body = http.StatusUnauthorized, "this token is not known here"
	case r.URL.Path == "/api/me":
		status = http.StatusNoContent
	case id == "":
		body = append([]*Product{}, s.products...)
	case r.Method == http.MethodPut && !public:
		status, body = s.put(r, id, i)
	case i < 0 || public:
		status, body = http.StatusNotFound, "no such product"
	case r.Method == http.MethodDelete:
		status, s.products = http.StatusNoContent, slices.Delete(s.products, i, i+1)
	default:
		body = s.products[i]
	}
	if why, refused := body.(string); refused {
		body = map[string]string{"error": why}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body) // a client that is gone does not read it
	}
}

// put makes a product, or changes the members that were sent of the one at a place. The body is a text where
// it is refused.
func (s *Shop) put(r *http.Request, id string, at int) (status int, body any) {
	had := &Product{}
	if at >= 0 {
		had = s.products[at]
	}
	next := *had
	next.Images, next.Variants = nil, nil // what is decoded must not write into what is there
	switch err := json.NewDecoder(r.Body).Decode(&next); {
	case err != nil:
		return http.StatusBadRequest, "this is no product"
	case next.Title == "" || len([]rune(next.Title)) > 200:
		return http.StatusUnprocessableEntity, "a title has 1 to 200 characters"
	case slices.ContainsFunc(next.Variants, func(v *Variant) bool { return v.Price == "0.00" }):
		return http.StatusUnprocessableEntity, "nothing is free here"
	}
	if next.Images == nil {
		next.Images = had.Images
	}
	if next.Variants == nil {
		next.Variants = had.Variants
	}
	for _, v := range next.Variants {
		if v.ID == "" {
			s.made++
			v.ID = fmt.Sprint(s.made)
		}
	}
	next.ID, next.OnSale = id, next.OnSale && len(next.Variants) > 0
	if at < 0 {
		s.products = append(s.products, had)
	}
	*had = next
	return http.StatusOK, next
}
