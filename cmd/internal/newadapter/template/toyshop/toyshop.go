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

var page = template.Must(template.New("").
	Parse(`<h1>{{.Title}}</h1>{{range .Variants}}<p>{{.SKU}} {{.Price}} ({{.Stock}} left)</p>{{end}}`))

// ServeHTTP answers the API and the pages.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, body := http.StatusUnauthorized, any("this token is not known here")
	id, public := strings.CutPrefix(r.URL.Path, "/p/")
	if public || r.Header.Get("Authorization") == "Bearer "+s.token {
		status, body = s.answer(r, id, public)
	}
	if shown, ok := body.(*Product); ok && public {
		_ = page.Execute(w, shown) // a browser that is gone does not read it
		return
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

// answer is a status, and the body: a text where the request is refused.
func (s *Shop) answer(r *http.Request, id string, public bool) (status int, body any) {
	if !public {
		id = strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api/products"), "/")
	}
	i := slices.IndexFunc(s.products, func(p *Product) bool { return p.ID == id })
	switch {
	case r.URL.Path == "/api/me":
		return http.StatusNoContent, nil
	case id == "" && r.Method == http.MethodGet:
		found := []*Product{}
		for _, p := range s.products {
			if key := r.FormValue("key"); key == "" || p.Key == key {
				found = append(found, p)
			}
		}
		return http.StatusOK, found
	case id == "":
		return s.put(r, &Product{})
	case i < 0, public && !s.products[i].OnSale:
		return http.StatusNotFound, "no such product"
	case public:
		return http.StatusOK, s.products[i]
	case r.Method == http.MethodDelete:
		s.products = slices.Delete(s.products, i, i+1)
		return http.StatusNoContent, nil
	}
	return s.put(r, s.products[i])
}

// put makes a product, or changes the members that were sent.
func (s *Shop) put(r *http.Request, had *Product) (status int, body any) {
	next := *had
	next.Images, next.Variants = nil, nil // what is decoded must not write into what is there
	switch err := json.NewDecoder(r.Body).Decode(&next); {
	case err != nil:
		return http.StatusBadRequest, "this is no product"
	case len(next.Title) == 0 || len([]rune(next.Title)) > 200:
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
	if next.ID = had.ID; next.ID == "" {
		s.made++
		next.ID = fmt.Sprint("product-", s.made)
		s.products = append(s.products, had)
	}
	next.OnSale = next.OnSale && len(next.Variants) > 0
	*had = next
	return http.StatusOK, next
}
