// Package toyshop is a shop in memory with a small API, to write an adapter for. Your shop takes its place.
//
//	GET    /api/products/      all products
//	GET    /api/products/{id}  one, or 404
//	PUT    /api/products/{id}  puts a product there, whole
//	DELETE /api/products/{id}  204, or 404
//	GET    /p/{id}             the page that a customer sees
//
// A product is any JSON whose title has at most 200 characters. The page needs its title and onSale.
package toyshop

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Shop is an http.Handler. Lock it before you change what it holds.
type Shop struct {
	sync.Mutex
	Token    string                     // that the API accepts
	Products map[string]json.RawMessage // by id
}

// Serve serves a shop at http://127.0.0.1:9470, unless another process does already.
func Serve() {
	shop := &Shop{Token: "let-me-in", Products: map[string]json.RawMessage{}}
	s := &http.Server{Addr: "127.0.0.1:9470", Handler: shop, ReadHeaderTimeout: 5 * time.Second}
	_ = s.ListenAndServe() // the other process serves the adapter too
}

func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	id, public := strings.CutPrefix(r.URL.Path, "/p/")
	id = strings.TrimPrefix(id, "/api/products/")
	product, found := s.Products[id]
	if r.Method == http.MethodPut {
		product = nil // else what is decoded is written into what is there
		_ = json.NewDecoder(r.Body).Decode(&product)
	}
	var shown struct {
		Title  string
		OnSale bool
	}
	_ = json.Unmarshal(product, &shown)
	status, body := http.StatusOK, any(product)
	switch {
	case public && shown.OnSale:
		body = shown.Title
	case !public && r.Header.Get("Authorization") != "Bearer "+s.Token:
		status, body = http.StatusUnauthorized, map[string]string{"error": "this token is not known here"}
	case id == "":
		body = slices.AppendSeq([]json.RawMessage{}, maps.Values(s.Products))
	case r.Method == http.MethodPut && (shown.Title == "" || len([]rune(shown.Title)) > 200):
		status, body = http.StatusUnprocessableEntity, map[string]string{"error": "a title has 1 to 200 characters"}
	case r.Method == http.MethodPut:
		s.Products[id] = product
	case !found || public:
		status, body = http.StatusNotFound, nil
	case r.Method == http.MethodDelete:
		status, body = http.StatusNoContent, nil
		delete(s.Products, id)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if body != nil {
		_ = json.NewEncoder(w).Encode(body) // a client that is gone does not read it
	}
}
