package conform_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
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
)

const token = "token-of-the-shop"

// A shop is a whole endpoint, with the faults that a saboteur puts into it.
type shop struct {
	fault string          // "" for none
	lacks map[string]bool // what of the protocol it leaves out: list, observed, options, page, figures, variants, gone
	named bool            // its ids are made of the publication's, so that what was forgotten gets the same id again
	url   string

	mu       sync.Mutex
	next     int
	products map[string]*product
	doubles  []*product // made beside one that was there
	gone     map[string]bool
}

type product struct {
	Publication string    `json:"publication"`
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	OnSale      bool      `json:"onSale"`
	Variants    []variant `json:"variants,omitempty"` // of the last body
	Images      *int      `json:"images,omitempty"`
	Edited      *[]string `json:"edited,omitempty"`
	draft       bool
	puts        int
	title       string
	brand       string
	details     map[string]map[string]string // by the marketplace's id of a variant
	variants    map[string]string            // of the last body, by the marketplace's id
	all         map[string]string            // every id ever given
	changed     time.Time
}

// A variant is one as it stands in the shop.
type variant struct {
	ID         string            `json:"id"`
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options,omitempty"`
	Price      string            `json:"price"`
	Quantity   int               `json:"quantity"`
	Backorders bool              `json:"backorders"`
	OnSale     *bool             `json:"onSale,omitempty"`
}

// serve serves a shop: a fault, "" for none, and after a comma each what the shop lacks, or
// "named".
func serve(t *testing.T, fault string) (*shop, string) {
	t.Helper()
	words := strings.Split(fault, ",")
	s := &shop{fault: words[0], lacks: map[string]bool{}, products: map[string]*product{}, gone: map[string]bool{}}
	for _, word := range words[1:] {
		lacking, lacks := strings.CutPrefix(word, "no-")
		s.named = s.named || word == "named"
		s.lacks[lacking] = lacks
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s, server.URL
}

// restart starts the shop anew. It has kept all that it answered.
func (s *shop) restart(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.fault {
	case "forgets-at-restart":
		s.products = map[string]*product{}
	case "renumbers-at-restart":
		for _, p := range s.products {
			s.next++
			p.ID = fmt.Sprint(s.next)
		}
	case "loses-figures-at-restart":
		for _, p := range s.products {
			for i := range p.Variants {
				p.Variants[i].Quantity = 0
			}
		}
	}
	return nil
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if number, found := strings.CutPrefix(r.URL.Path, "/p/"); found && !s.lacks["page"] {
		s.page(w, number)
		return
	}
	status, body := s.answer(r)
	kind := "application/json"
	if status >= 400 {
		kind = "application/problem+json"
		if s.fault == "no-problem" {
			kind, body = "text/html", nil
		}
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	if body != nil && status != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(body) //nolint:errcheck // the client may be gone
	}
}

// page is what a visitor sees.
func (s *shop) page(w http.ResponseWriter, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.products {
		if fmt.Sprint(p.number()) == number && p.OnSale {
			fmt.Fprintf(w, "<!doctype html><h1>%s</h1>", html.EscapeString(p.title))
			if s.lacks["details"] {
				return
			}
			fmt.Fprintf(w, "<p>%s</p>", html.EscapeString(p.brand))
			for id := range p.variants {
				for _, value := range p.details[id] {
					fmt.Fprintf(w, "<dd>%s</dd>", html.EscapeString(value))
				}
			}
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

// number is the end of a product's address.
func (p *product) number() string { return p.URL[strings.LastIndex(p.URL, "/")+1:] }

// deleteByHand is what the merchant does in the back office.
func (s *shop) deleteByHand(_ context.Context, listing string, _ shopadapter.PublicationID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, p := range s.products {
		if p.ID == listing || s.named {
			s.gone[id] = !s.lacks["410"]
			if s.fault != "list-keeps-gone" {
				delete(s.products, id)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no listing %s", listing)
}

// goneBy is the answer to a PUT of what was deleted by hand; mu is held.
func (s *shop) goneBy(id string, recreate bool) (int, any) {
	switch {
	case s.fault == "bare-410":
		return http.StatusGone, problem("it was deleted")
	case s.fault == "bare-404":
		return http.StatusNotFound, problem("it was deleted")
	case s.fault == "deleted-in-words":
		return http.StatusGone, map[string]string{"deleted": "true"}
	case s.fault == "refuses-the-deleted":
		return http.StatusUnprocessableEntity, problem("it was deleted")
	case recreate && s.fault == "stays-deleted", !recreate:
		if s.fault == "deleted-once" {
			delete(s.gone, id)
		}
		return http.StatusGone, map[string]bool{"deleted": true}
	}
	if s.fault != "recreated-once" {
		delete(s.gone, id)
	}
	return 0, nil
}

func problem(title string) map[string]string {
	return map[string]string{"title": title, "detail": "as it is"}
}

func (s *shop) answer(r *http.Request) (int, any) {
	if r.URL.Path == "/health" {
		switch s.fault {
		case "unwell":
			return http.StatusServiceUnavailable, problem("not well")
		case "bad-currency":
			return http.StatusOK, map[string]string{"currency": "Euro"}
		}
		return http.StatusOK, map[string]any{
			"currency": "EUR", "figures": !s.lacks["figures"], "observed": !s.lacks["observed"],
			"drafts": !s.lacks["drafts"],
		}
	}
	if r.Header.Get("Authorization") != "Bearer "+token && s.fault != "no-token" {
		if s.fault != "token-prefix" || !strings.HasPrefix("Bearer "+token, r.Header.Get("Authorization")) ||
			r.Header.Get("Authorization") == "" {
			if s.fault == "refuses-the-product-for-the-token" {
				return http.StatusUnprocessableEntity, problem("the token is not this shop's")
			}
			return http.StatusUnauthorized, problem("the token is not this shop's")
		}
	}
	if r.URL.Path == "/products" && r.Method == http.MethodGet {
		return s.list(r)
	}
	segment, found := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	if !found || strings.Contains(segment, "/") {
		return http.StatusNotFound, problem("no such address")
	}
	id, err := url.PathUnescape(segment)
	if err != nil {
		return http.StatusBadRequest, problem("the id cannot be read")
	}
	return s.product(r, id)
}

// key is what the shop finds a product by.
func (s *shop) key(id string) string {
	switch s.fault {
	case "ignores-case":
		return strings.ToLower(id)
	case "decodes-twice":
		if again, err := url.PathUnescape(id); err == nil {
			return again
		}
	case "trims":
		return strings.TrimSpace(id)
	case "last-segment":
		return id[strings.LastIndex(id, "/")+1:]
	}
	return id
}

func (s *shop) product(r *http.Request, id string) (int, any) {
	switch r.Method {
	case http.MethodDelete:
		return s.remove(s.key(id), r.URL.Query().Get("mode"))
	case http.MethodPut:
		status, answer := s.put(r, s.key(id))
		if said, ok := answer.(map[string]any); ok && s.named {
			said["id"] = "listing of " + id
		}
		return status, answer
	case http.MethodPatch:
		return s.patch(r, s.key(id))
	default:
		return http.StatusMethodNotAllowed, problem("PUT, PATCH or DELETE")
	}
}

func (s *shop) remove(id, mode string) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.products[id]
	if s.gone[id] && s.fault == "delete-of-gone" {
		return http.StatusGone, map[string]bool{"deleted": true}
	}
	delete(s.gone, id)
	switch {
	case s.fault == "keeps-nothing":
		return http.StatusNoContent, nil
	case !ok && s.fault == "delete-unknown":
		return http.StatusInternalServerError, problem("there is no such product")
	case !ok:
		return http.StatusNotFound, problem("no such product")
	case s.fault == "delete-twice" && !p.OnSale:
		return http.StatusConflict, problem("it is off sale already")
	case s.fault == "deletes-all":
		s.products = map[string]*product{}
	case mode == "delete" || s.fault == "forgets-unpublished":
		if s.fault != "list-keeps-deleted" {
			delete(s.products, id)
		}
	case s.fault != "unpublish-shows":
		p.OnSale, p.changed = false, time.Now()
	}
	return http.StatusNoContent, nil
}

type body struct {
	Title    *string
	Brand    string
	Draft    bool
	Changed  []string
	Images   []string
	Variants []struct {
		ID, SKU    string
		Options    []struct{ Name, Value string }
		Price      string
		Quantity   int
		Backorders bool
		EAN        string
		shopadapter.Details
	}
}

func (s *shop) put(r *http.Request, id string) (int, any) {
	var b body
	data, err := io.ReadAll(r.Body)
	if s.fault == "takes-half" && err != nil {
		s.mu.Lock()
		s.make(id, body{})
		s.mu.Unlock()
	}
	if err == nil {
		decode := json.NewDecoder(strings.NewReader(string(data)))
		if s.fault == "strict" {
			decode.DisallowUnknownFields()
		}
		err = decode.Decode(&b)
	}
	switch {
	case s.fault == "crashes-on-text" && strings.Contains(string(data), "🌱"):
		return http.StatusInternalServerError, problem("cannot be written")
	case s.fault == "crashes-on-size" && len(data) > 20_000:
		return http.StatusInternalServerError, problem("out of memory")
	case err == nil && b.Title != nil || s.fault == "takes-anything":
	case s.fault == "crashes-on-nonsense":
		return http.StatusInternalServerError, problem("unexpected end")
	default:
		return http.StatusUnprocessableEntity, problem("this is no product")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone[id] {
		if status, answer := s.goneBy(id, r.Header.Get("Pubsync-Recreate") == "true"); status != 0 {
			return status, answer
		}
	}
	old, known := s.products[id]
	if s.fault == "changed-only" && !known && len(b.Changed) < 8 {
		return http.StatusUnprocessableEntity, problem("not a whole product")
	}
	if s.fault == "not-durable" && !known { // it answers, and writes later
		s.next++
		p := s.newProduct(id, s.next)
		s.take(p, b)
		time.AfterFunc(500*time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.products[id] = p
		})
		return s.said(p, http.StatusCreated)
	}
	if s.fault == "overlaps" && !known { // looks, and makes later
		s.mu.Unlock()
		time.Sleep(30 * time.Millisecond)
		s.mu.Lock()
		known = false
	}
	if s.fault == "first-wins" && known {
		return s.said(old, http.StatusOK)
	}
	if s.fault == "recreate-doubles" && r.Header.Get("Pubsync-Recreate") != "" || s.fault == "doubles" ||
		s.fault == "overlaps" {
		known = false
	}
	if s.fault == "doubles-quietly" && known {
		s.doubles = append(s.doubles, s.newProduct(id, 0))
	}
	if s.fault == "forgets" || s.fault == "keeps-nothing" {
		p := s.newProduct(id, 1)
		s.take(p, b)
		return s.said(p, http.StatusCreated)
	}
	if !known {
		s.make(id, b)
		return s.said(s.products[id], http.StatusCreated)
	}
	s.take(old, b)
	return s.said(old, http.StatusOK)
}

// patch takes the figures of a product's variants.
func (s *shop) patch(r *http.Request, id string) (int, any) {
	var b body
	if s.fault == "no-patch" || json.NewDecoder(r.Body).Decode(&b) != nil {
		return http.StatusMethodNotAllowed, problem("PUT or DELETE")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, known := s.products[id]
	if !known && s.fault == "patch-makes" {
		s.make(id, b)
		return s.said(s.products[id], http.StatusOK)
	}
	if !known {
		return http.StatusNotFound, problem("no such product")
	}
	named := map[string]bool{}
	for _, v := range b.Variants {
		named[v.ID] = p.variants[v.ID] != ""
	}
	whole := len(named) == len(p.variants) && !slices.Contains(slices.Collect(maps.Values(named)), false)
	if !whole && s.fault != "patch-any" {
		return http.StatusConflict, problem("it has other variants")
	}
	switch s.fault {
	case "patch-moves":
		title := p.title
		s.make(id, b)
		p = s.products[id]
		p.title = title
	case "patch-does-nothing":
	case "patch-any":
	default:
		s.take(p, b)
	}
	return s.said(p, http.StatusOK)
}

// make makes a product; mu is held.
func (s *shop) make(id string, b body) {
	s.next++
	s.products[id] = s.newProduct(id, s.next)
	s.take(s.products[id], b)
}

func (s *shop) newProduct(id string, number int) *product {
	return &product{
		Publication: id,
		ID:          fmt.Sprint(number),
		URL:         fmt.Sprintf("%s/p/%d", s.url, number),
		all:         map[string]string{},
	}
}

// takeDetails is take for brand, EAN and details; mu is held.
func (s *shop) takeDetails(p *product, b body, has func(group string) bool) {
	if b.Title == nil || s.fault == "details-once" && p.details != nil {
		return
	}
	if has("brand") {
		p.brand = b.Brand
	}
	old := p.details
	p.details = map[string]map[string]string{}
	for _, w := range b.Variants {
		now := map[string]string{}
		for name, value := range old[w.ID] {
			if s.fault == "details-as-changed" {
				continue
			}
			if s.fault == "details-stay" || name == "ean" && !has("variants") || name != "ean" && !has("details") {
				now[name] = value
			}
		}
		if has("variants") && w.EAN != "" {
			now["ean"] = w.EAN
		}
		for _, one := range w.List() {
			if has("details") {
				now[one.Name] = one.Value
			}
		}
		p.details[w.ID] = now
	}
}

// take makes the groups of the product equal to a body that are said to have changed; mu is held.
func (s *shop) take(p *product, b body) {
	made := p.variants == nil
	has := func(group string) bool {
		return made || s.fault == "ignores-changed" || slices.Contains(b.Changed, group)
	}
	p.puts++
	if has("title") && b.Title != nil {
		p.title = *b.Title
	}
	s.takeDetails(p, b, has)
	if n := len(b.Images); made || has("images") && b.Title != nil {
		p.Images = &n
	}
	old := map[string]variant{}
	for _, v := range p.Variants {
		old[v.ID] = v
	}
	p.OnSale = p.OnSale && s.fault != "hides-as-draft" || !b.Draft || s.fault == "sells-drafts"
	p.draft = b.Draft && !p.OnSale
	p.variants, p.Variants = map[string]string{}, nil
	for i, w := range b.Variants {
		if p.all[w.ID] == "" {
			p.all[w.ID] = fmt.Sprintf("%s-%d", p.ID, len(p.all)+1)
		}
		p.variants[w.ID] = p.all[w.ID]
		v, known := old[w.ID]
		v.ID = w.ID
		if (!known || has("variants")) && w.SKU != "" && (!known || s.fault != "options-once") {
			v.SKU, v.Options = w.SKU, map[string]string{}
			for _, o := range w.Options {
				v.Options[o.Name] = o.Value
			}
		}
		if !known || has("price") {
			v.Price = w.Price
			if s.fault == "price-of-the-first" {
				v.Price = b.Variants[0].Price
			}
			if s.fault == "rounds-prices" {
				v.Price, _, _ = strings.Cut(w.Price, ".")
			}
		}
		if !known || has("stock") && s.fault != "stock-once" {
			v.Quantity, v.Backorders = w.Quantity, w.Backorders
		}
		if i > 0 && s.fault == "patch-one" && b.Title == nil {
			v = old[w.ID]
		}
		p.Variants = append(p.Variants, v)
	}
	if s.fault == "never-removes" {
		for id, v := range old {
			if p.variants[id] == "" {
				p.Variants = append(p.Variants, v)
			}
		}
	}
}

func (s *shop) said(p *product, status int) (int, any) {
	answer := map[string]any{
		"id":       p.ID,
		"url":      p.URL,
		"variants": p.variants,
		"draft":    p.draft || s.fault == "sells-drafts",
	}
	if s.lacks["variants"] {
		delete(answer, "variants")
	}
	switch s.fault {
	case "no-id":
		delete(answer, "id")
	case "relative-url":
		answer["url"] = "/p/" + p.ID
	case "some-variants":
		answer["variants"] = map[string]string{}
	case "keeps-variants":
		answer["variants"] = p.all
	case "one-variant-id":
		same := map[string]string{}
		for id := range p.variants {
			same[id] = p.ID
		}
		answer["variants"] = same
	case "mixes-answers":
		if other := s.products[slices.Sorted(maps.Keys(s.products))[0]]; other != nil {
			answer["id"], answer["variants"] = other.ID, other.variants
		}
	}
	return status, answer
}

// shown is a product as the list has it; mu is held.
func (s *shop) shown(p *product) *product {
	shown := *p
	if s.fault == "list-sells" && len(p.Variants) > 0 {
		p.Variants[0].Quantity--
	}
	if s.fault == "list-no-images" || s.lacks["observed"] {
		shown.Images = nil
	}
	if s.fault == "list-no-variants" || s.lacks["observed"] {
		shown.Variants = nil
	}
	if !s.lacks["edited"] && !s.lacks["observed"] {
		edited := []string{}
		if s.fault == "calls-all-edited" || s.fault == "calls-a-put-an-edit" && p.puts > 1 {
			edited = append(edited, "title")
		}
		shown.Edited = &edited
	}
	shown.Variants = slices.Clone(shown.Variants)
	for i := range shown.Variants {
		if s.lacks["options"] {
			shown.Variants[i].Options = nil
		}
		if s.fault != "list-off-is-silent" {
			shown.Variants[i].OnSale = &p.OnSale
		}
	}
	if s.fault == "list-first-variant" {
		shown.Variants = shown.Variants[:1]
	}
	return &shown
}

// list answers two products a page.
func (s *shop) list(r *http.Request) (int, any) {
	if s.lacks["list"] {
		return http.StatusNotFound, problem("no such address")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.doubles)
	for _, p := range s.products {
		only := r.URL.Query().Get("publication")
		if only != "" && (only != p.Publication || s.fault == "list-without-the-one") {
			continue
		}
		all = append(all, s.shown(p))
		if s.fault == "list-twice" {
			all = append(all, s.shown(p))
			all[len(all)-1].ID += "0"
		}
	}
	slices.SortFunc(
		all,
		func(a, b *product) int { return strings.Compare(a.Publication+" "+a.ID, b.Publication+" "+b.ID) },
	)
	most := 2
	if s.fault == "list-one-a-page" {
		most = 1
	}
	after := r.URL.Query().Get("after")
	page := struct {
		Products []*product `json:"products"`
		After    string     `json:"after"`
	}{Products: []*product{}}
	for _, p := range all {
		if at := p.Publication + " " + p.ID; at > after {
			if len(page.Products) == most {
				break
			}
			page.Products, page.After = append(page.Products, p), at
		}
	}
	if len(page.Products) < most {
		page.After = ""
	}
	if s.fault == "list-without-end" {
		page.After = "again"
	}
	return http.StatusOK, page
}
