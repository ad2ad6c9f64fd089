// The retailer's shop of these tests: one in memory, behind the http protocol.

package main_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const shopToken = "shop-t0ken-of-the-merchant"

type shop struct {
	*shoptest.Shop
	server *httptest.Server

	mu     sync.Mutex
	health int // the status of GET /health
	passed int // calls that are not counted any more
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Shop: shoptest.New(shoptest.Abilities{Literal: true}), health: http.StatusOK}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+shopToken && r.URL.Path != "/health" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
	})
	s.rules(nil)
	return s
}

// rules sets how calls for products end from now on; nil lets all through.
func (s *shop) rules(rule func(shoptest.Call) shoptest.Reply) {
	s.Rule(func(c shoptest.Call) shoptest.Reply {
		if c.Method == shoptest.Check {
			s.mu.Lock()
			defer s.mu.Unlock()
			return shoptest.Reply{Status: s.health}
		}
		if rule == nil {
			return shoptest.Reply{}
		}
		return rule(c)
	})
}

func (s *shop) healthy(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.health = status
}

// requests are the calls of a method since forget, or with "" all that are for a product.
func (s *shop) requests(method string) []shoptest.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(s.Calls()[s.passed:], func(c shoptest.Call) bool {
		return c.ID == "" || method != "" && c.Method != method
	})
}

// forget has the calls so far counted no more.
func (s *shop) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = len(s.Calls())
}

// product is one product that the shop must have.
func (s *shop) product(t *testing.T, id string) shoptest.Product {
	t.Helper()
	p, ok := s.Get(id)
	if !ok {
		t.Fatalf("the shop has no product for %s, only for %v", id, slices.Sorted(maps.Keys(s.Products())))
	}
	return p
}

func (s *shop) onSale() (n int) {
	for _, p := range s.Products() {
		if p.OnSale {
			n++
		}
	}
	return n
}

func addressOf(id shopadapter.ListingID) string { return "https://shop.example/p/" + string(id) }

func always(r shoptest.Reply) func(shoptest.Call) shoptest.Reply {
	return func(shoptest.Call) shoptest.Reply { return r }
}

func problem(status int, detail string) shoptest.Reply {
	return shoptest.Reply{Status: status, Err: shopadapter.Retry("%s", detail)}
}

// only has the calls for one publication end so, and lets all else through.
func only(id string, v shoptest.Reply) func(shoptest.Call) shoptest.Reply {
	return func(c shoptest.Call) shoptest.Reply {
		if string(c.ID) == id {
			return v
		}
		return shoptest.Reply{}
	}
}
