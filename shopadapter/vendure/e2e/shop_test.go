package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
)

var (
	shared     *Server // of all tests that need nothing but an empty shop
	sharedOnce sync.Once
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.Stop()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// An exchange is one request of the adapter's on its way; send sends it on to the shop.
type exchange struct {
	operation, body string
	header          http.Header
	send            func() (*http.Response, error)
}

// A shop is a Vendure without products, with a host of pictures, and what the adapter asked of it.
type shop struct {
	*Server
	*testing.T
	pictures *Pictures

	mu     sync.Mutex
	asked  []string                                 // the operations, in their order
	before func(operation string)                   // looks at the shop before each request
	answer func(x exchange) (*http.Response, error) // in the shop's place
}

// fresh is the shared shop, emptied.
func fresh(t *testing.T) *shop {
	t.Helper()
	sharedOnce.Do(func() { shared = boot(context.WithoutCancel(t.Context()), t) })
	if shared == nil {
		t.Skip("no Vendure")
	}
	s := &shop{Server: shared, T: t, pictures: newPictures(t)}
	s.must(shared.Clear(t.Context()))
	return s
}

func (s *shop) must(errs ...error) {
	s.Helper()
	for _, err := range errs {
		if err != nil {
			s.Fatal(err)
		}
	}
}

// RoundTrip notes what the adapter asks.
func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	operation := operationOf(string(body))
	s.mu.Lock()
	s.asked = append(s.asked, operation)
	s.mu.Unlock()
	send := func() (*http.Response, error) {
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		return client.RoundTrip(r)
	}
	if s.before != nil {
		s.before(operation)
	}
	if s.answer != nil {
		return s.answer(exchange{operation, string(body), r.Header, send})
	}
	return send()
}

var client = &http.Transport{DisableKeepAlives: true}

// operationOf is the name of the operation in a request, also in a form.
func operationOf(body string) string {
	if i := strings.Index(body, `{"query"`); i >= 0 {
		var request struct{ Query string }
		if json.NewDecoder(strings.NewReader(body[i:])).Decode(&request) == nil {
			return strings.FieldsFunc(request.Query, func(r rune) bool { return r == ' ' || r == '(' })[1]
		}
	}
	return "unknown"
}

// refusal is an answer of the shop's with an error.
func refusal(code, message string) (*http.Response, error) {
	body := fmt.Sprintf(`{"errors":[{"message":%q,"extensions":{"code":%q}}],"data":null}`, message, code)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// took are the operations since the last call.
func (s *shop) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// open makes an adapter as a start of the process does.
func (s *shop) open(changes ...string) shopadapter.Adapter {
	s.Helper()
	a, err := vendure.Open(shopadapter.Options{
		Settings: s.Settings(changes...), VATPercent: "21", HTTPClient: &http.Client{Transport: s},
	})
	s.must(err)
	s.Cleanup(func() { _ = a.Close() })
	return a
}

func (s *shop) publish(a shopadapter.Adapter, p shopadapter.Product, changed shopadapter.Fields) shopadapter.Listing {
	s.Helper()
	l, err := a.Publish(s.Context(), shopadapter.Ref{Publication: p.ID}, p, changed)
	s.must(err)
	return l
}

// only is the shop's one product.
func (s *shop) only() Product {
	s.Helper()
	products, err := s.Products(s.Context())
	s.must(err)
	if len(products) != 1 {
		s.Fatalf("the shop has %d products", len(products))
	}
	return products[0]
}

// list is what a list tells, by publication.
func (s *shop) list(a shopadapter.Adapter, q shopadapter.Query) map[shopadapter.PublicationID]shopadapter.Listed {
	s.Helper()
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for o, err := range a.List(s.Context(), q) {
		s.must(err)
		all[o.Ref.Publication] = o
	}
	return all
}

// values are the names of the facet values that the only product has.
func (s *shop) values(facet string) (names []string) {
	for _, v := range s.only().FacetValues {
		if strings.HasPrefix(v.Facet.Code, facet) {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return names
}

// lamp is a product without pictures.
func lamp(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := laws.Sample(id, variants)
	p.Images = []string{}
	return p
}

// choice is a variant with options, by name and value.
func choice(id string, pairs ...string) shopadapter.Variant {
	v := shopadapter.Variant{ID: id, SKU: "SKU-" + id, Price: "10.00", Quantity: 3, Title: strings.Join(pairs, " ")}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Options = append(v.Options, shopadapter.Option{Name: pairs[i], Value: pairs[i+1]})
	}
	return v
}

func ref(p shopadapter.Product, l shopadapter.Listing) shopadapter.Ref {
	return shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
}
