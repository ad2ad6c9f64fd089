package conform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const token = "token-of-the-shop"

// A shop is that of package shoptest behind a token. A saboteur stands before it.
type shop struct {
	*shoptest.Shop
	saboteur
}

// everything is what the shop offers of the protocol.
var everything = shoptest.Abilities{Lists: true, Observes: true, Figures: true, Drafts: true, Currency: "EUR"}

func serve(t *testing.T, s *shop) (address string) {
	t.Helper()
	if s.Shop == nil {
		s.Shop = shoptest.New(everything)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.Move(server.URL)
	return server.URL
}

// endpoint is a shop as conform meets it.
func endpoint(address string) conform.Endpoint {
	return conform.Endpoint{URL: address, Token: token, Client: client()}
}

// client has connections of its own: a test server that closes ends the idle ones of the default.
func client() *http.Client { return &http.Client{Transport: &http.Transport{}} }

// An exchange is one request and its answer, which a saboteur may change.
type exchange struct {
	*shop
	method string
	id     string // of the product in the path, "" for none
	query  url.Values
	header http.Header
	body   map[string]any

	status int // set by the saboteur: it answers in the shop's place
	said   map[string]any
}

// puts says that the exchange is a PUT of a product.
func (x *exchange) puts() bool { return x.method == http.MethodPut }

func (x *exchange) there() bool { _, there := x.Get(x.id); return there }

// answers has the saboteur answer in the shop's place.
func (x *exchange) answers(status int) {
	x.status, x.said = status, map[string]any{"title": "no", "detail": "as it is"}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	segment, about := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	x := &exchange{shop: s, method: r.Method, query: r.URL.Query(), header: r.Header}
	x.id, _ = url.PathUnescape(segment)
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &x.body)
	}
	if x.body == nil {
		x.body = map[string]any{}
	}
	if bad := x.puts() && err != nil; bad {
		x.answers(http.StatusBadRequest)
	}
	if known := r.Header.Get("Authorization") == "Bearer "+token; !known && r.URL.Path != "/health" {
		x.answers(http.StatusUnauthorized)
	}
	if !about {
		x.id = ""
	}
	if s.ask != nil {
		s.ask(x)
	}
	if x.status == 0 {
		x.pass(r)
	}
	if s.say != nil {
		s.say(x)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(x.status)
	if x.said != nil {
		_ = json.NewEncoder(w).Encode(x.said) // the client may be gone
	}
}

// pass has the shop answer.
func (x *exchange) pass(r *http.Request) {
	path := r.URL.EscapedPath()
	if x.id != "" {
		path = "/products/" + strings.ReplaceAll(url.PathEscape(x.id), ".", "%2E")
	}
	body, _ := json.Marshal(x.body)
	inner := httptest.NewRequest(x.method, path+"?"+x.query.Encode(), bytes.NewReader(body))
	inner.Header = x.header
	rec := httptest.NewRecorder()
	x.Shop.ServeHTTP(rec, inner)
	x.status, x.said = rec.Code, nil
	_ = json.Unmarshal(rec.Body.Bytes(), &x.said) // a page of text has no members
}

// A saboteur is a fault of a shop.
type saboteur struct {
	laws, does string          // the laws that catch it; what it does
	ask        func(*exchange) // changes a request, or answers it
	say        func(*exchange) // changes an answer
}

// The laws themselves are tried in their own package. Here is what an endpoint alone can do wrong, and what the
// driver has to see of a shop through its answers and its list.
var saboteurs = []saboteur{
	{laws: "delete", does: "answers a DELETE with 200", say: func(x *exchange) {
		if x.method == http.MethodDelete && x.status == http.StatusNoContent {
			x.status = http.StatusOK
		}
	}},
	{laws: "health", does: "names its currency in words", say: func(x *exchange) {
		if x.said["currency"] != nil {
			x.said["currency"] = "Euro"
		}
	}},
	{laws: "token", does: "asks for no token", ask: func(x *exchange) {
		if x.status == http.StatusUnauthorized {
			x.status = 0
		}
	}},
	{laws: "put", does: "wants all groups of a new product", ask: func(x *exchange) {
		if list, _ := x.body["changed"].([]any); x.puts() && !x.there() && len(list) < 8 {
			x.answers(http.StatusUnprocessableEntity)
		}
	}},
	{laws: "overlap", does: "makes a product again where it is asked to recreate it", ask: func(x *exchange) {
		if x.header.Get("Pubsync-Recreate") != "" {
			x.Hand(x.id, func(p *shoptest.Product) { p.Listing += "'" })
		}
	}},
	{laws: "problem", does: "refuses without a word", say: func(x *exchange) {
		if x.status >= http.StatusBadRequest {
			x.said = nil
		}
	}},
	{laws: "problem", does: "takes anything", ask: func(x *exchange) {
		if x.status == http.StatusBadRequest {
			x.status, x.said = 0, nil
		}
	}},
	{laws: "put", does: "knows no other members", ask: func(x *exchange) {
		if x.body["aMemberOfALaterVersion"] != nil {
			x.answers(http.StatusUnprocessableEntity)
		}
	}},
	{laws: "large", does: "runs out of memory", ask: func(x *exchange) {
		if list, _ := x.body["variants"].([]any); len(list) > 20 {
			x.answers(http.StatusInternalServerError)
		}
	}},

	{laws: "put", does: "names no variant", say: func(x *exchange) {
		if x.said["variants"] != nil {
			x.said["variants"] = map[string]string{}
		}
	}},
	{laws: "publish idempotent", does: "answers without keeping the product", say: func(x *exchange) {
		if x.puts() {
			x.Hand(x.id, func(p *shoptest.Product) { p.Deleted, p.ID = true, "" })
			x.said["id"] = fmt.Sprint(x.said["id"], len(x.Calls()))
		}
	}},
	{laws: "publish", does: "rounds prices", ask: func(x *exchange) {
		list, _ := x.body["variants"].([]any)
		for _, one := range list {
			v := one.(map[string]any)
			v["price"], _, _ = strings.Cut(v["price"].(string), ".")
		}
	}},
	{laws: "idempotent lost-answer overlap", does: "makes a product anew at each PUT", ask: func(x *exchange) {
		if x.puts() {
			x.Hand(x.id, func(p *shoptest.Product) { p.Listing += "'" })
		}
	}},
	{laws: "hostile-ids", does: "decodes ids twice", ask: func(x *exchange) {
		if again, err := url.PathUnescape(x.id); err == nil {
			x.id = again
		}
	}},
	{laws: "draft", does: "sells drafts", ask: func(x *exchange) { delete(x.body, "draft") }},
	{laws: "unpublish lister", does: "shows what was unpublished", ask: func(x *exchange) {
		if x.query.Get("mode") == "unpublish" && x.there() {
			x.answers(http.StatusNoContent)
		}
	}},
	{laws: "restock", does: "knows no PATCH", ask: func(x *exchange) {
		if x.method == http.MethodPatch {
			x.answers(http.StatusMethodNotAllowed)
		}
	}},
	{laws: "restock", does: "writes price and stock with each PATCH", ask: func(x *exchange) {
		if x.method == http.MethodPatch {
			x.body["changed"] = []any{"price", "stock"}
		}
	}},
	{laws: "lister", does: "lists all twice", say: func(x *exchange) {
		if list, ok := x.said["products"].([]any); ok {
			x.said["products"] = slices.Concat(list, list)
		}
	}},
	{laws: "observed-as-written", does: "lists no variants", say: func(x *exchange) {
		list, _ := x.said["products"].([]any)
		for _, row := range list {
			delete(row.(map[string]any), "variants")
		}
	}},
}
