package conform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/http/conform"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const token = "token-of-the-shop"

// A shop is that of package shoptest behind a token, with pages. A saboteur stands before it.
type shop struct {
	*shoptest.Shop
	saboteur
	noPage bool
}

// everything is what the shop offers of the protocol.
var everything = shoptest.Abilities{Lists: true, Observes: true, Figures: true, Drafts: true, Page: 2, Currency: "EUR"}

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

// endpoint is a shop as conform meets it, with somebody who deletes by hand and starts it anew.
func endpoint(s *shop, address string) conform.Endpoint {
	return conform.Endpoint{
		URL: address, Token: token, Client: client(),
		DeleteByHand: func(_ context.Context, _ string, id shopadapter.PublicationID) error {
			s.Hand(string(id), func(p *shoptest.Product) { p.Deleted = true })
			return nil
		},
		Restart: func(context.Context) error {
			if s.restart != nil {
				s.restart(s)
			}
			return nil
		},
	}
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
	cut    bool // the body did not come whole

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

// each changes the variants of the request's body.
func (x *exchange) each(change func(v map[string]any)) { each(x.body["variants"], change) }

// rows changes the products of an answered list.
func (x *exchange) rows(change func(p map[string]any)) { each(x.said["products"], change) }

func each(list any, change func(map[string]any)) {
	members, _ := list.([]any)
	for _, one := range members {
		change(one.(map[string]any))
	}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if listing, found := strings.CutPrefix(r.URL.Path, "/p/"); found {
		s.page(w, listing)
		return
	}
	segment, about := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	x := &exchange{shop: s, method: r.Method, query: r.URL.Query(), header: r.Header}
	x.id, _ = url.PathUnescape(segment)
	data, err := io.ReadAll(r.Body)
	if x.cut = err != nil; !x.cut {
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

// page is what a visitor sees.
func (s *shop) page(w http.ResponseWriter, listing string) {
	for _, p := range s.Products() {
		if string(p.Listing) != listing || !p.OnSale || s.noPage {
			continue
		}
		fmt.Fprintf(w, "<!doctype html><h1>%s</h1>", html.EscapeString(p.Title))
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

// A saboteur is a fault of a shop.
type saboteur struct {
	laws, does string          // the laws that catch it; what it does
	ask        func(*exchange) // changes a request, or answers it
	say        func(*exchange) // changes an answer
	restart    func(*shop)
}

// unchanged takes groups from what is said to have changed, once the product is there.
func unchanged(groups ...string) func(*exchange) {
	return func(x *exchange) {
		if list, _ := x.body["changed"].([]any); x.there() {
			x.body["changed"] = slices.DeleteFunc(list, func(g any) bool { return slices.Contains(groups, g.(string)) })
		}
	}
}

func allChanged(x *exchange) {
	if _, has := x.body["changed"]; has {
		x.body["changed"] = shopadapter.AllFields.Names()
	}
}

var saboteurs = []saboteur{
	{laws: "health", does: "is unwell", ask: func(x *exchange) {
		if x.id == "" && x.query.Encode() == "" {
			x.answers(http.StatusServiceUnavailable)
		}
	}},
	{laws: "health", does: "names its currency in words", say: func(x *exchange) {
		if x.said["currency"] != nil {
			x.said["currency"] = "Euro"
		}
	}},
	{laws: "token credentials", does: "asks for no token", ask: func(x *exchange) {
		if x.status == http.StatusUnauthorized {
			x.status = 0
		}
	}},
	{laws: "credentials", does: "refuses the product for the token", say: func(x *exchange) {
		if x.status == http.StatusUnauthorized {
			x.status = http.StatusUnprocessableEntity
		}
	}},
	{laws: "publish", does: "answers no id", say: func(x *exchange) { delete(x.said, "id") }},
	{laws: "publish", does: "answers a relative address", say: func(x *exchange) {
		if x.said["url"] != nil {
			x.said["url"] = "/p/7"
		}
	}},
	{laws: "publish put", does: "names no variant", say: func(x *exchange) {
		if x.said["variants"] != nil {
			x.said["variants"] = map[string]string{}
		}
	}},
	{laws: "publish", does: "gives all variants one id", say: func(x *exchange) {
		if ids, ok := x.said["variants"].(map[string]any); ok {
			for id := range ids {
				ids[id] = "7"
			}
		}
	}},
	{laws: "publish idempotent", does: "answers without keeping the product", say: func(x *exchange) {
		if x.puts() {
			x.Hand(x.id, func(p *shoptest.Product) { p.Deleted, p.ID = true, "" })
			x.said["id"] = fmt.Sprint(x.said["id"], len(x.Calls()))
		}
	}},
	{laws: "publish", does: "rounds prices", ask: func(x *exchange) {
		x.each(func(v map[string]any) { v["price"], _, _ = strings.Cut(v["price"].(string), ".") })
	}},
	{
		laws: "idempotent last-wins lost-answer late-creation restock-lost-answer overlap",
		does: "makes a product anew at each PUT", ask: func(x *exchange) {
			if x.puts() {
				x.Hand(x.id, func(p *shoptest.Product) { p.Listing += "'" })
			}
		},
	},
	{laws: "last-wins observed-as-written", does: "writes stock once", ask: unchanged("stock")},
	{laws: "only-changed restock", does: "writes all groups whatever has changed", ask: allChanged},
	{laws: "restart-without-hint", does: "forgets at a restart", restart: func(s *shop) {
		s.Shop = shoptest.New(everything)
	}},
	{laws: "restart-without-hint", does: "loses figures at a restart", restart: func(s *shop) {
		for key := range s.Products() {
			s.Hand(key, func(p *shoptest.Product) { p.Variants[0].Quantity = 0 })
		}
	}},
	{laws: "hostile-ids", does: "ignores case", ask: func(x *exchange) { x.id = strings.ToLower(x.id) }},
	{laws: "hostile-ids", does: "trims ids", ask: func(x *exchange) { x.id = strings.TrimSpace(x.id) }},
	{laws: "hostile-ids", does: "decodes ids twice", ask: func(x *exchange) {
		if again, err := url.PathUnescape(x.id); err == nil {
			x.id = again
		}
	}},
	{laws: "hostile-ids", does: "knows a product by the last part of its path", ask: func(x *exchange) {
		x.id = x.id[strings.LastIndex(x.id, "/")+1:]
	}},
	{laws: "variants put", does: "never removes a variant", ask: func(x *exchange) {
		list, _ := x.body["variants"].([]any)
		p, _ := x.Get(x.id)
		for _, v := range p.Variants {
			if named := func(w any) bool { return w.(map[string]any)["id"] == v.ID }; !slices.ContainsFunc(list, named) {
				list = append(list, map[string]any{"id": v.ID, "sku": v.SKU, "price": v.Price})
			}
		}
		x.body["variants"] = list
	}},
	{laws: "variants choice", does: "writes options once", ask: unchanged("variants")},
	{laws: "choice", does: "gives all variants the price of the first", ask: func(x *exchange) {
		if list, _ := x.body["variants"].([]any); len(list) > 0 {
			x.each(func(v map[string]any) { v["price"] = list[0].(map[string]any)["price"] })
		}
	}},
	{laws: "draft", does: "sells drafts", ask: func(x *exchange) { delete(x.body, "draft") }},
	{laws: "draft", does: "takes off sale what is to be a draft", say: func(x *exchange) {
		if x.body["draft"] == true {
			x.Hand(x.id, func(p *shoptest.Product) { p.OnSale = false })
		}
	}},
	{laws: "unpublish lister", does: "shows what was unpublished", ask: func(x *exchange) {
		if x.query.Get("mode") == "unpublish" && x.there() {
			x.answers(http.StatusNoContent)
		}
	}},
	{laws: "unpublish lister observed-some", does: "keeps what was deleted in its list", ask: func(x *exchange) {
		if x.query.Get("mode") == "delete" {
			x.query.Set("mode", "unpublish")
		}
	}},
	{laws: "unpublish-twice delete", does: "fails to delete what is not there", ask: func(x *exchange) {
		if x.method == http.MethodDelete && !x.there() {
			x.answers(http.StatusInternalServerError)
		}
	}},
	{laws: "republish", does: "leaves off sale what was taken off", ask: func(x *exchange) {
		if p, there := x.Get(x.id); there && !p.OnSale {
			x.body["draft"] = true
		}
	}},
	{laws: "deleted-by-hand", does: "tells nobody that a listing was deleted", say: func(x *exchange) {
		delete(x.said, "deleted")
	}},
	{laws: "deleted-by-hand", does: "refuses what was deleted", say: func(x *exchange) {
		if x.status == http.StatusGone {
			x.status = http.StatusUnprocessableEntity
		}
	}},
	{laws: "deleted-by-hand", does: "never makes anew what was deleted", ask: func(x *exchange) {
		x.header.Del("Pubsync-Recreate")
	}},
	{laws: "deleted-by-hand", does: "makes anew at the second PUT", say: func(x *exchange) {
		if x.status == http.StatusGone {
			x.header.Set("Pubsync-Recreate", "true")
			x.pass(httptest.NewRequest(http.MethodPut, "/", nil))
			x.status, x.said = http.StatusGone, map[string]any{"deleted": true}
		}
	}},
	{laws: "parallel", does: "mixes answers up", say: func(x *exchange) {
		for _, p := range x.Products() {
			if x.puts() && x.status == http.StatusOK && p.Listing > "shop-3" {
				x.said["id"] = p.Listing
			}
		}
	}},
	{laws: "restock", does: "knows no PATCH", ask: func(x *exchange) {
		if x.method == http.MethodPatch {
			x.answers(http.StatusMethodNotAllowed)
		}
	}},
	{laws: "restock", does: "writes no figures", ask: func(x *exchange) {
		if x.method == http.MethodPatch {
			unchanged("price", "stock")(x)
		}
	}},
	{laws: "restock-asks-whole restock-leaves-the-merchants", does: "makes what a PATCH is of", ask: func(x *exchange) {
		if x.method == http.MethodPatch && !x.there() {
			x.method = http.MethodPut
			x.header.Set("Pubsync-Recreate", "true")
		}
	}},
	{laws: "restock-asks-whole", does: "writes a PATCH of other variants", say: func(x *exchange) {
		if p, there := x.Get(x.id); x.status == http.StatusConflict && there {
			x.status = http.StatusOK
			x.said = map[string]any{"id": p.Listing, "url": "https://shop.example", "variants": map[string]any{}}
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
	{laws: "delete", does: "deletes all", say: func(x *exchange) {
		for key := range x.Products() {
			if x.method == http.MethodDelete {
				x.Hand(key, func(p *shoptest.Product) { p.Listing += "'" })
			}
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
	{laws: "cut-off", does: "takes half a body", ask: func(x *exchange) {
		if x.cut {
			x.status, x.body = 0, map[string]any{"id": x.id, "title": "half"}
		}
	}},
	{laws: "text-is-data", does: "knows no other members", ask: func(x *exchange) {
		if x.body["aMemberOfALaterVersion"] != nil {
			x.answers(http.StatusUnprocessableEntity)
		}
	}},
	{laws: "large", does: "runs out of memory", ask: func(x *exchange) {
		if list, _ := x.body["variants"].([]any); len(list) > 20 {
			x.answers(http.StatusInternalServerError)
		}
	}},
	{laws: "lister", does: "lists all twice", say: func(x *exchange) {
		if list, ok := x.said["products"].([]any); ok {
			x.said["products"] = slices.Concat(list, list)
		}
	}},
	{laws: "lister", does: "has a list without end", say: func(x *exchange) {
		if x.said["products"] != nil {
			x.said["after"] = "again"
		}
	}},
	{laws: "observed-as-written list-observed", does: "lists no variants", say: func(x *exchange) {
		x.rows(func(p map[string]any) { delete(p, "variants") })
	}},
	{laws: "list-observed", does: "lists no number of pictures", say: func(x *exchange) {
		x.rows(func(p map[string]any) { delete(p, "images") })
	}},
	{laws: "observed-some", does: "lists no single product", say: func(x *exchange) {
		if x.query.Has("publication") {
			x.said["products"] = []any{}
		}
	}},
	{laws: "observed-idle", does: "sells what it lists", say: func(x *exchange) {
		x.rows(func(row map[string]any) {
			x.Hand(row["publication"].(string), func(p *shoptest.Product) { p.Variants[0].Quantity-- })
		})
	}},
	{laws: "observed-cost", does: "lists one product a page", ask: func(x *exchange) {
		one := everything
		one.Page = 1
		x.Can(one)
	}},
	{laws: "observed-unedited", does: "calls a text edited that a PUT wrote", say: func(x *exchange) {
		x.rows(func(p map[string]any) { p["edited"] = []any{"title"} })
	}},
}
