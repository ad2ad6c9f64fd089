// Package toyshop is a shop in memory with a small API, so that there is something to write an
// adapter for. Your shop takes its place.
//
//	GET    /api/me             204, for a client that is known
//	GET    /api/products?key=K the products whose private key is K; all without it
//	POST   /api/products       makes a product, and answers with it
//	PATCH  /api/products/{id}  changes the members that are sent, and answers with the product
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
	"html/template"
	"net/http"
	"slices"
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
	Key         string     `json:"key"`  // private: a text that products are found by
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
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/me", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /api/products", s.list)
	mux.HandleFunc("POST /api/products", s.put)
	mux.HandleFunc("PATCH /api/products/{id}", s.put)
	mux.HandleFunc("DELETE /api/products/{id}", s.remove)
	mux.HandleFunc("GET /p/{id}", s.page)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, pattern := mux.Handler(r); pattern != "GET /p/{id}" && r.Header.Get("Authorization") != "Bearer "+s.token {
		refuse(w, http.StatusUnauthorized, "this token is not known here")
		return
	}
	mux.ServeHTTP(w, r)
}

func (s *Shop) list(w http.ResponseWriter, r *http.Request) {
	found := []*Product{}
	for _, p := range s.products {
		if key := r.FormValue("key"); key == "" || p.Key == key {
			found = append(found, p)
		}
	}
	answer(w, http.StatusOK, found)
}

// put makes a product, or changes the members that were sent.
func (s *Shop) put(w http.ResponseWriter, r *http.Request) {
	i := s.index(r.PathValue("id"))
	had := Product{}
	if i >= 0 {
		had = *s.products[i]
	} else if r.Method == http.MethodPatch {
		refuse(w, http.StatusNotFound, "no such product")
		return
	}
	next := had
	next.Images, next.Variants = nil, nil // what is decoded must not write into what is there
	if err := json.NewDecoder(r.Body).Decode(&next); err != nil {
		refuse(w, http.StatusBadRequest, "this is no product")
		return
	}
	if len(next.Title) == 0 || len([]rune(next.Title)) > 200 {
		refuse(w, http.StatusUnprocessableEntity, "a title has 1 to 200 characters")
		return
	}
	if slices.ContainsFunc(next.Variants, func(v *Variant) bool { return v.Price == "0.00" }) {
		refuse(w, http.StatusUnprocessableEntity, "nothing is free here")
		return
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
	if next.ID = had.ID; i < 0 {
		s.made++
		next.ID = fmt.Sprint("product-", s.made)
		i, s.products = len(s.products), append(s.products, nil)
	}
	next.OnSale = next.OnSale && len(next.Variants) > 0
	s.products[i] = &next
	answer(w, http.StatusOK, next)
}

func (s *Shop) remove(w http.ResponseWriter, r *http.Request) {
	i := s.index(r.PathValue("id"))
	if i < 0 {
		refuse(w, http.StatusNotFound, "no such product")
		return
	}
	s.products = slices.Delete(s.products, i, i+1)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Shop) page(w http.ResponseWriter, r *http.Request) {
	i := s.index(r.PathValue("id"))
	if i < 0 || !s.products[i].OnSale {
		http.NotFound(w, r)
		return
	}
	page := template.Must(template.New("").
		Parse(`<h1>{{.Title}}</h1>{{range .Variants}}<p>{{.SKU}} {{.Price}} ({{.Stock}} left)</p>{{end}}`))
	_ = page.Execute(w, s.products[i]) // a browser that is gone does not read it
}

// index is the place of a product, -1 where there is none.
func (s *Shop) index(id string) int {
	return slices.IndexFunc(s.products, func(p *Product) bool { return p.ID == id })
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]string{"error": why})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone does not read it
}
