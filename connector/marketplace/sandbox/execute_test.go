package sandbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// everything selects each field of the schema that a retailer can read, once.
const everything = `query {
  account { name type slug }
  channels(first: 5) { edges { cursor node { id name url } } nodes { id } pageInfo { ...page } }
  webhooks(first: 5) { edges { cursor node { id callbackUrl events active } } nodes { id } pageInfo { ...page } }
  publication(id: "p1") { ...entry }
  publications(first: 3, sort: ID_DESC) { edges { cursor node { id } } nodes { ...entry } pageInfo { ...page } }
  product(id: "product-p1") { ...product }
  productVariants(first: 2, sort: UPDATED_AT_ASC) { edges { cursor node { id } }
    nodes { ...variant product { id } } pageInfo { ...page } }
  categories { path name depth parent { path } translation { name } }
}
fragment page on PageInfo { hasNextPage hasPreviousPage startCursor endCursor }
fragment entry on Publication {
  id status productUrl createdAt updatedAt
  listing {
    id dropshippingReturns
    translations { en { title description } nl { title description } }
    category { path name depth }
    dropshippingShippingDetails { countryGroup fixedCosts variableCosts estimatedShippingDays }
    variants(first: 10) { edges { cursor node { id } }
      nodes { id title options { name value } dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy }
        pageInfo { ...page } }
    images(first: 5, sort: POSITION_ASC) { edges { cursor node { originalUrl } }
      nodes { originalUrl thumbnailUrl(width: 100, height: 100, method: CROP) transformedUrl(width: 800,
        method: FILL) } pageInfo { ...page } }
    product { id }
  }
}
fragment product on Product {
  id title description brand option1 option2 option3 featuredImage { originalUrl }
  images(first: 2, sort: POSITION_ASC) { nodes { originalUrl } }
  variants(first: 2) { nodes { ...variant } }
}
fragment variant on ProductVariant { id title sku ean price msrp inventoryQuantity inventoryPolicy
  createdAt updatedAt }`

func TestExecute(t *testing.T) {
	m := newTest(t, Options{})
	p := simple("p1")
	p.Status = "failed"
	m.Add(p, Publication{ID: "p0"})
	other := &Listing{
		ProductID: "d2",
		Category:  "MADE_UP",
		Pictures:  []Picture{{URL: "https://cdn.example/1.jpg"}, {URL: "https://cdn.example/2.jpg"}},
	}
	m.Add(Publication{ID: "p-2", Listing: other})
	m.Remove("p-2")
	m.Restore("p-2")
	for _, tt := range []struct {
		name, query string
		vars        map[string]any
		want        string
	}{
		{
			"in the order of the query", `{ publication(id: "p1") { status id } }`, nil,
			`{"publication":{"status":"failed","id":"p1"}}`,
		},
		{
			"several roots with aliases",
			`{ a: publication(id: "p1") { id } b: publication(id: "p0") { key: id } c: publication(id: "gone") { id } }`, nil,
			`{"a":{"id":"p1"},"b":{"key":"p0"},"c":null}`,
		},
		{
			"typename at each level", `{ __typename publication(id: "p1") { __typename listing { __typename } } }`, nil,
			`{"__typename":"Query","publication":{"__typename":"Publication","listing":{"__typename":"Listing"}}}`,
		},
		{
			"fragments, named and inline",
			`{ publication(id: "p1") { ...f ... { status } ... on ` +
				`Publication { productUrl } } } fragment f on Publication { id }`,
			nil, `{"publication":{"id":"p1","status":"failed","productUrl":null}}`,
		},
		{
			"the same field from two fragments is one",
			`{ publication(id: "p1") { listing { id } ...f listing { id } } } fragment f on Publication { listing { ` +
				`product { id } } }`,
			nil, `{"publication":{"listing":{"id":"listing-p1","product":{"id":"product-p1"}}}}`,
		},
		{
			"include and skip", `query($y: Boolean!, $n: Boolean = false) { publication(id: "p1") {
			a: id @include(if: $y) b: id @include(if: $n) c: id @skip(if: $y) d: id @skip(if: $n)
			e: id @include(if: $y) @skip(if: $y) f: id @include(if: true) } }`,
			map[string]any{"y": true},
			`{"publication":{"a":"p1","d":"p1","f":"p1"}}`,
		},
		{
			"a directive on a fragment",
			`query($n: Boolean!) { publication(id: "p1") { id ...f @include(if: $n) ... @skip(if: $n) { productUrl } } } ` +
				`fragment f on Publication { status }`,
			map[string]any{"n": false},
			`{"publication":{"id":"p1","productUrl":null}}`,
		},
		{
			"a field is there when one of its places is",
			`query($n: Boolean!) { publication(id: "p1") { listing @include(if: $n) { id } listing { product { id } } } }`,
			map[string]any{"n": false},
			`{"publication":{"listing":{"product":{"id":"product-p1"}}}}`,
		},
		{
			"a field is gone when all of its places are",
			`query($n: Boolean!) { publication(id: "p1") { id listing @include(if: $n) { id } ... @include(if: $n) { ` +
				`listing { id } } } }`,
			map[string]any{"n": false},
			`{"publication":{"id":"p1"}}`,
		},
		{"an entry without listing", `{ publication(id: "p0") { listing { id } } }`, nil, `{"publication":{"listing":null}}`},
		{
			"a missing translation", `{ publication(id: "p1") { listing { translations { en { title description } nl { ` +
				`title } } } } }`, nil,
			`{"publication":{"listing":{"translations":{"en":{"title":"Title of p1","description":null},"nl":null}}}}`,
		},
		{
			"an id that is a number in JSON", `query($id: ID!) { publication(id: $id) { id } }`,
			map[string]any{"id": 7},
			`{"publication":null}`,
		},
		{
			"a null for an optional variable", `query($after: String) { ` +
				`publications(first: 1, after: $after) { nodes { id } } }`,
			map[string]any{"after": nil},
			`{"publications":{"nodes":[{"id":"p1"}]}}`,
		},
		{
			"an optional variable left out", `query($after: String) { ` +
				`publications(first: 1, after: $after) { nodes { id } } }`, nil,
			`{"publications":{"nodes":[{"id":"p1"}]}}`,
		},
		{
			"a page of none", `{ publications(first: 0) { nodes { id } pageInfo { hasNextPage endCursor } } }`, nil,
			`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":null}}}`,
		},
		{"one of several operations", `query a { publication(id: "p1") { id } }`, nil, `{"publication":{"id":"p1"}}`},
		{
			"account", `{ account { name type slug } channels(first: 1) { nodes { id name url } } }`, nil,
			`{"account":{"name":"Sandbox retailer","type":"RETAILER","slug":"sandbox-retailer"},` +
				`"channels":{"nodes":[{"id":"channel-sandbox-retailer","name":"Web shop","url":"https://shop.example"}]}}`,
		},
		{
			"product by its id",
			`{ product(id: "product-p1") { id option1 option2 featuredImage { originalUrl } variants(first: 1) { nodes { ` +
				`price title } } } }`, nil,
			`{"product":{"id":"product-p1","option1":"Size","option2":null,"featuredImage":null,` +
				`"variants":{"nodes":[{"price":"5.00","title":"M"}]}}}`,
		},
		{
			"a category that is not in the tree", `{ publication(id: "p-2") { listing { category { path name depth parent ` +
				`{ path } translation { name } } } } }`, nil,
			`{"publication":{"listing":{"category":{"path":"MADE_UP",` +
				`"name":null,"depth":null,"parent":null,"translation":null}}}}`,
		},
		{
			"the first picture", `{ product(id: "d2") { title featuredImage { originalUrl } } }`, nil,
			`{"product":{"title":null,"featuredImage":{"originalUrl":"https://cdn.example/1.jpg"}}}`,
		},
		{"no product", `{ product(id: "p1") { id } }`, nil, `{"product":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ask(t, m, tt.query, tt.vars); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOperationName(t *testing.T) {
	m := newTest(t, Options{})
	const two = `query a { account { slug } } query b { account { name } }`
	for _, tt := range []struct{ name, operation, want string }{
		{"the one that is named", "b", `{"account":{"name":"Sandbox retailer"}}`},
		{"none named", "", "Must provide operation name"},
		{"one that is not there", "c", "Unknown operation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"query": two, "operationName": tt.operation})
			if err != nil {
				t.Fatal(err)
			}
			if e := send(t, m, request(t, string(body))); !strings.Contains(e.body, tt.want) {
				t.Errorf("answered %s, want %s", e.body, tt.want)
			}
		})
	}
}

// Every field of the schema has an answer of its own type: whatever the switches, a query for all
// of them has no error.
func TestEverythingAnswers(t *testing.T) {
	m := newTest(t, Options{Limit: 1_000_000})
	m.Add(simple("p1"))
	m.AddCatalogue(len(Catalogue()))
	m.courier.register(Webhook{CallbackURL: "https://a.example", Events: []string{eventCreated}})
	var answer map[string]json.RawMessage
	if err := json.Unmarshal([]byte(ask(t, m, everything, nil)), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer) != 8 {
		t.Errorf("answered %d of 8 root fields, want %v", len(answer), 8)
	}
	// A field that the resolvers forget would fall through to its neighbour. So each of a known
	// publication is compared.
	got := ask(t, m, `{ publication(id: "p1") { listing { variants(first: 1) { edges { node {
		id title options { name value } dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy } } } } } }`, nil)
	want := `{"publication":{"listing":{"variants":{"edges":[{"node":{"id":"variant-p1","title":"M",` +
		`"options":[{"name":"Size","value":"M"}],` +
		`"dropshippingPrice":"5.00","msrp":"10.00","sku":null,` +
		`"ean":null,"inventoryQuantity":3,"inventoryPolicy":"DENY"}}]}}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Null where there must be none goes up to the nearest place that bears it, with one error that
// says where.
func TestNullPropagates(t *testing.T) {
	m := newTest(t, Options{ListingRequired: true})
	m.Add(simple("a"), Publication{ID: "b"})
	for _, tt := range []struct {
		name, query, data string
		path              []any
	}{
		{
			"to a nullable parent", `{ x: publication(id: "a") { listing { id } } ` +
				`y: publication(id: "b") { id listing { id } } }`,
			`{"x":{"listing":{"id":"listing-a"}},"y":null}`,
			[]any{"y", "listing"},
		},
		{
			"through a list to the top", `{ publications(first: 2) { nodes { listing { id } } } }`, `null`,
			[]any{"publications", "nodes", 0.0, "listing"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := post(t, m, tt.query, nil)
			if string(e.Data) != tt.data {
				t.Errorf("data is %s, want %s", e.Data, tt.data)
			}
			switch {
			case len(e.Errors) != 1:
				t.Errorf("errors are %+v, want one at %v; len(e.Errors): got %v, want %v", e.Errors, tt.path, len(e.Errors), 1)
			case !reflect.DeepEqual(e.Errors[0].Path, tt.path):
				t.Errorf(
					"errors are %+v, want one at %v; reflect.DeepEqual(e.Errors[0].Path, tt.path): got false, want true",
					e.Errors, tt.path,
				)
			}
		})
	}
}

func TestCategoriesSpeakTheLanguageAskedFor(t *testing.T) {
	m := newTest(t, Options{})
	for _, tt := range []struct{ header, want string }{
		{"", "Garden"},
		{"nl", "Tuin"},
		{"nl-BE,nl;q=0.9,en;q=0.5", "Tuin"},
		{"de;q=0.4, fr;q=0.7", "Jardin"},
		{"pt, es;q=0.2", "Garden"},
		{"fr;q=0, nl;q=oops, de;q=0.1", "Garten"},
	} {
		t.Run(tt.header, func(t *testing.T) {
			req := request(t, `{"query":"{ categories { name translation { name } } }"}`)
			req.Header.Set("Accept-Language", tt.header)
			e := send(t, m, req)
			want := `{"categories":[{"name":"Garden","translation":{"name":"` + tt.want + `"}}`
			if !strings.HasPrefix(string(e.Data), want) {
				t.Errorf("answered %.120s, want %s", e.Data, want)
			}
		})
	}
}

func TestCategories(t *testing.T) {
	depth := map[string]int{}
	for _, c := range categories {
		parent, known := depth[c.parent]
		switch {
		case c.depth == 0 && c.parent != "":
			t.Errorf("%s at depth %d: got the parent %q, want one a level above, or none at the root", c.path, c.depth, c.parent)
		case c.depth > 0 && (!known || parent != c.depth-1):
			t.Errorf("%s at depth %d: got the parent %q, want one a level above, or none at the root", c.path, c.depth, c.parent)
		}
		depth[c.path] = c.depth
	}
	for _, tpl := range Catalogue() {
		if tpl.Listing == nil {
			continue
		}
		switch d, known := depth[tpl.Listing.Category]; {
		case !known:
			t.Errorf(
				"%s lies in %q, which is no category of depth 2; known: got false, want true", tpl.Name, tpl.Listing.Category,
			)
		case d != 2:
			t.Errorf("%s lies in %q, which is no category of depth 2; d: got %v, want %v", tpl.Name, tpl.Listing.Category, d, 2)
		}
	}
}
