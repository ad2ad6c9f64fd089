// Package toyshop is a shop in memory with a small API, to write an adapter for. Your shop takes its place.
//
//	GET    /api/me             204, for a client that is known
//	GET    /api/products/      all products
//	GET    /api/products/{id}  one, or 404
//	PUT    /api/products/{id}  makes it, or changes the members that are sent, and answers with it
//	DELETE /api/products/{id}  204, or 404
//	GET    /p/{id}             the page that a customer sees
//
// The list of a product's variants is written whole: one with an id is that variant, one without is a new one, and
// those that are left out go. The shop refuses a title that is empty or longer than 200 characters, and a free
// variant. It shows pictures from where they are.
package toyshop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Product is what the shop sells. Its note is for the client that made it.
type Product struct {
	ID, Title, Description, Category, Note string
	Images                                 []string
	Variants                               []*Variant
	OnSale                                 bool
}

// A Variant is one kind of a product, with a reference of the client that made it.
type Variant struct {
	ID, Reference, SKU, Price string
	Options                   map[string]string
	Stock                     int
	Backorders                bool
}

// A Shop is an http.Handler. Lock it before you change what it holds.
type Shop struct {
	sync.Mutex
	Token    string // that the API accepts
	Products []*Product
	made     int
}

func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	id, public := strings.CutPrefix(r.URL.Path, "/p/")
	id = strings.TrimPrefix(id, "/api/products/")
	i := slices.IndexFunc(s.Products, func(p *Product) bool { return p.ID == id })
	status, body := http.StatusOK, any(nil)
	switch {
	case public && i >= 0 && s.Products[i].OnSale:
		body = s.Products[i].Title
	case !public && r.Header.Get("Authorization") != "Bearer "+s.Token:
		status, body = http.StatusUnauthorized, map[string]string{"error": "this token is not known here"}
	case r.URL.Path == "/api/me":
		status = http.StatusNoContent
	case id == "":
		body = append([]*Product{}, s.Products...)
	case r.Method == http.MethodPut && !public:
		status, body = s.put(r, id, i)
	case i < 0 || public:
		status = http.StatusNotFound
	case r.Method == http.MethodDelete:
		status, s.Products = http.StatusNoContent, slices.Delete(s.Products, i, i+1)
	default:
		body = s.Products[i]
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body) // a client that is gone does not read it
	}
}

// put makes a product, or changes the members that were sent of the one at index at.
func (s *Shop) put(r *http.Request, id string, at int) (status int, body any) {
	had := &Product{}
	if at >= 0 {
		had = s.Products[at]
	}
	next := *had
	next.Images, next.Variants = nil, nil // what is decoded must not write into what is there
	err := json.NewDecoder(r.Body).Decode(&next)
	free := slices.ContainsFunc(next.Variants, func(v *Variant) bool { return v.Price == "0.00" })
	if n := len([]rune(next.Title)); err != nil || n == 0 || n > 200 || free {
		const why = "a title has 1 to 200 characters, and nothing is free here"
		return http.StatusUnprocessableEntity, map[string]string{"error": why}
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
	if *had = next; at < 0 {
		s.Products = append(s.Products, had)
	}
	return http.StatusOK, next
}
