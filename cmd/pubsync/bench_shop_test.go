// A fake retailer's shop that speaks the http protocol.

package main_test

import (
	"encoding/json"
	"fmt"
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
)

const shopToken = "shop-t0ken-of-the-merchant"

// A shop is a retailer's shop that speaks the http protocol: an idempotent store of products that
// remembers every request.
type shop struct {
	server *httptest.Server

	mu       sync.Mutex
	products map[string]*shelved
	calls    []request
	made     int
	// rule decides how a request is answered; nil, and the zero reply, is the shop's own answer. It
	// is called without the lock.
	rule func(request) reply
	// health is the status of GET /health; 200 when 0.
	health int
	asked  int // how often it was
	// currency is what GET /health names; nothing when "".
	currency string
	// figures has GET /health say that prices and stock alone may come as PATCH.
	figures bool
}

// shelved is a product as the shop holds it.
type shelved struct {
	shopID string
	sent   product
	onSale bool
}

// A request is one request of the protocol.
type request struct {
	Method, ID, Mode string
	Sent             product
	Raw              string
	Auth             string
	Recreate         bool // the header that makes a deleted listing anew
	At               time.Time
	Done             bool // it took effect
}

// A reply is an answer that is not the shop's own.
type reply struct {
	status  int // nothing is done, and this is answered
	header  map[string]string
	body    string
	refused map[string]string
	missing []map[string]any // pictures that are not shown
	cut     cut
	wait    time.Duration
}

type cut int

const (
	notCut     cut = iota
	cutBefore      // the connection ends, and nothing was done
	cutAfter       // it was done, and the connection ends
	failAfter      // it was done, and the answer is 502
	emptyAfter     // it was done, and the answer has no id
	halfAfter      // it was done, and the connection ends in the middle of the answer
	pageAfter      // it was done, and the answer is a page of HTML
)

// A product is the body of a PUT.
type product struct {
	ID           string                `json:"id"`
	ListingID    string                `json:"listingId"`
	ProductID    string                `json:"productId"`
	Language     string                `json:"language"`
	Title        string                `json:"title"`
	Description  string                `json:"description"`
	Translations map[string]translated `json:"translations"`
	Category     struct {
		Path string `json:"path"`
		Name string `json:"name"`
	} `json:"category"`
	Options   []string  `json:"options"`
	Variants  []variant `json:"variants"`
	Images    []string  `json:"images"`
	Shipping  []sending `json:"shipping"`
	Returns   string    `json:"returns"`
	UpdatedAt string    `json:"updatedAt"`
	Changed   []string  `json:"changed"`
}

type translated struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

type variant struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	SKU        string   `json:"sku"`
	EAN        string   `json:"ean"`
	Options    []option `json:"options"`
	Price      string   `json:"price"`
	Cost       string   `json:"cost"`
	MSRP       string   `json:"msrp"`
	Quantity   int      `json:"quantity"`
	Backorders bool     `json:"backorders"`
}

type option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type sending struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	VariableCosts string `json:"variableCosts"`
	EstimatedDays string `json:"estimatedDays"`
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{products: map[string]*shelved{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := request{
		Method:   r.Method,
		Auth:     r.Header.Get("Authorization"),
		Recreate: r.Header.Get("Pubsync-Recreate") == "true",
		Mode:     r.URL.Query().Get("mode"),
		At:       time.Now(),
	}
	switch {
	case r.URL.Path == "/health":
		s.mu.Lock()
		s.asked++
		status, currency, figures := s.health, s.currency, s.figures
		s.mu.Unlock()
		w.WriteHeader(max(status, http.StatusOK))
		if currency != "" {
			fmt.Fprintf(w, `{"currency":%q,"version":"7.1\u001b[2J"}`, currency)
		} else if figures {
			fmt.Fprint(w, `{"figures":true}`)
		}
		return
	case strings.HasPrefix(r.URL.EscapedPath(), "/products/"):
		id, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/products/"))
		if err != nil {
			problemWith(w, http.StatusBadRequest, "id")
			return
		}
		c.ID = id
	default:
		http.NotFound(w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.Raw = string(raw)
	if c.Method == http.MethodPut || c.Method == http.MethodPatch {
		if err := json.Unmarshal(raw, &c.Sent); err != nil {
			problemWith(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	s.mu.Lock()
	rule := s.rule
	s.mu.Unlock()
	var v reply
	if rule != nil {
		v = rule(c)
	}
	if v.wait > 0 {
		select {
		case <-time.After(v.wait):
		case <-r.Context().Done():
		}
	}
	if c.Auth != "Bearer "+shopToken && v.status == 0 {
		v = reply{status: http.StatusUnauthorized}
	}
	s.answer(w, c, v)
}

func (s *shop) answer(w http.ResponseWriter, c request, v reply) {
	c.Done = v.status == 0 && v.cut != cutBefore
	s.mu.Lock()
	s.calls = append(s.calls, c)
	var p *shelved
	if c.Done {
		p = s.execute(c)
	}
	s.mu.Unlock()
	for name, value := range v.header {
		w.Header().Set(name, value)
	}
	switch {
	case v.cut == cutBefore, v.cut == cutAfter:
		panic(http.ErrAbortHandler)
	case v.cut == failAfter:
		http.Error(w, "<html><h1>Bad gateway</h1></html>", http.StatusBadGateway)
	case v.cut == emptyAfter:
		fmt.Fprint(w, "{}")
	case v.cut == halfAfter:
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, `{"id":"shop-`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case v.cut == pageAfter:
		fmt.Fprint(w, "<html><h1>Welcome</h1></html>")
	case v.status != 0:
		if strings.HasPrefix(v.body, "{") {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		w.WriteHeader(v.status)
		fmt.Fprint(w, v.body)
	case c.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case p == nil:
		problemWith(w, http.StatusNotFound, "no such product")
	default:
		variants := map[string]string{}
		for _, x := range c.Sent.Variants {
			variants[x.ID] = "sv-" + x.ID
		}
		answer := map[string]any{"id": p.shopID, "url": s.address(p.shopID), "variants": variants}
		if v.refused != nil {
			answer["refused"] = v.refused
		}
		if v.missing != nil {
			answer["missing"] = v.missing
		}
		_ = json.NewEncoder(w).Encode(answer) //nolint:errcheck // the client has gone
	}
}

// execute is the store itself. The lock is held.
func (s *shop) execute(c request) *shelved {
	p := s.products[c.ID]
	switch {
	case c.Method == http.MethodPut:
		if p == nil {
			s.made++
			p = &shelved{shopID: fmt.Sprintf("shop-%d", s.made)}
			s.products[c.ID] = p
		}
		p.sent, p.onSale = c.Sent, true
	case c.Method == http.MethodPatch && p != nil:
		p.sent.Variants = slices.Clone(p.sent.Variants)
		for i, v := range p.sent.Variants {
			for _, f := range c.Sent.Variants {
				if f.ID == v.ID {
					v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders = f.Price, f.Cost, f.MSRP, f.Quantity, f.Backorders
					p.sent.Variants[i] = v
				}
			}
		}
	case c.Method == http.MethodDelete && c.Mode == "delete":
		delete(s.products, c.ID)
	case c.Method == http.MethodDelete && p != nil:
		p.onSale = false
	}
	return p
}

func (s *shop) address(shopID string) string { return "https://shop.example/products/" + shopID }

// rules sets how requests are answered from now on.
func (s *shop) rules(rule func(request) reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rule = rule
}

// always answers every request in the same way.
func always(r reply) func(request) reply { return func(request) reply { return r } }

// healthy sets the answer to GET /health.
func (s *shop) healthy(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health = status
}

// healthAsked returns how often GET /health was asked.
func (s *shop) healthAsked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// requests is every request of a method so far, or with "" of all.
func (s *shop) requests(method string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.calls)
	return slices.DeleteFunc(out, func(c request) bool { return method != "" && c.Method != method })
}

// puts is the PUTs of one publication so far.
func (s *shop) puts(id string) []request {
	return slices.DeleteFunc(s.requests(http.MethodPut), func(c request) bool { return c.ID != id })
}

// forget empties the ledger, so that what follows can be counted alone.
func (s *shop) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = nil
}

// holds is the products that the shop has, by publication.
func (s *shop) holds() map[string]shelved {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]shelved, len(s.products))
	for id, p := range s.products {
		out[id] = *p
	}
	return out
}

// product is one product that the shop must have.
func (s *shop) product(t *testing.T, id string) shelved {
	t.Helper()
	p, ok := s.holds()[id]
	if !ok {
		t.Fatalf("the shop has no product for %s, only for %v", id, slices.Sorted(maps.Keys(s.holds())))
	}
	return p
}

// onSale is how many products are on sale.
func (s *shop) onSale() int {
	n := 0
	for _, p := range s.holds() {
		if p.onSale {
			n++
		}
	}
	return n
}

// problem is an answer in the form of RFC 9457.
func problem(status int, detail string) reply {
	return reply{status: status, body: `{"type":"about:blank","title":"Refused","detail":"` + detail + `"}`}
}

// only answers the PUTs of one publication so, and all else as usual.
func only(id string, v reply) func(request) reply {
	return func(r request) reply {
		if r.ID == id {
			return v
		}
		return reply{}
	}
}
