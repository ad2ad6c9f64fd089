package shopify_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter/shopify"
)

const prunedFile = "testdata/admin.graphql"

var prunedSchema = sync.OnceValues(func() (*ast.Schema, error) {
	sdl, err := os.ReadFile(prunedFile)
	if err != nil {
		return nil, err
	}
	return gqlparser.LoadSchema(&ast.Source{Name: prunedFile, Input: string(sdl)})
})

func loadSchema(t testing.TB) *ast.Schema {
	t.Helper()
	schema, err := prunedSchema()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestTheNamesOfTheSchema: a code that Shopify never says would be a case that never comes.
func TestTheNamesOfTheSchema(t *testing.T) {
	schema := loadSchema(t)
	for enum, names := range shopify.Names() {
		for _, name := range names {
			if schema.Types[enum].EnumValues.ForName(name) == nil {
				t.Errorf("%s has no value %s", enum, name)
			}
		}
	}
}

// TestTheFakeRefuses holds the fake's checks to those of a GraphQL server: what is wrong with a
// request is told, and nothing is executed. Where graphql-js is installed, it has to find each of
// these requests wrong too.
func TestTheFakeRefuses(t *testing.T) {
	good := func() map[string]any {
		return map[string]any{
			"identifier": map[string]any{"id": "gid://shopify/Product/1"}, "synchronous": true, "page": 1.0,
			"set": map[string]any{"title": "Lamp", "variants": []any{map[string]any{"optionValues": []any{}}}},
		}
	}
	set := func(change func(set map[string]any)) func(map[string]any) {
		return func(v map[string]any) { change(v["set"].(map[string]any)) }
	}
	const create = "mutation Write($identifier: ProductSetIdentifiers!, $set: ProductSetInput!, $synchronous: Boolean!, " +
		"$page: Int!) { set: productSet(identifier: $identifier, input: $set, synchronous: $synchronous) " +
		"{ product { variants(first: $page) { nodes { id } } } } }"
	cases := []struct {
		name     string
		document string // "": the one that creates a product
		called   string // the name of the operation; "": its own
		spoil    func(variables map[string]any)
		says     string // "": nothing is wrong
	}{
		{name: "a good request"},
		{name: "another operation's name", called: "Finish", says: "no operation named \"Finish\""},
		{
			name: "a variable that nobody declared", spoil: func(v map[string]any) { v["update"] = "x" },
			says: "$update is not declared",
		},
		{name: "a variable too few", spoil: func(v map[string]any) { delete(v, "set") }, says: "$set of required type"},
		{name: "null for a variable", spoil: func(v map[string]any) { v["set"] = nil }, says: "$set: null"},
		{
			name: "null in a list", spoil: set(func(s map[string]any) { s["variants"] = []any{nil} }),
			says: "$set.variants.0: null",
		},
		{name: "an unknown input field", spoil: set(func(s map[string]any) { s["name"] = "Lamp" }), says: "name is " +
			"not defined"},
		{
			name:  "a required input field too few",
			spoil: set(func(s map[string]any) { s["variants"] = []any{map[string]any{"sku": "A"}} }),
			says:  "optionValues of required type",
		},
		{name: "an unknown enum value", spoil: set(func(s map[string]any) { s["status"] = "HALF" }), says: "HALF is " +
			"no value"},
		{
			name: "an enum value in lower case", spoil: set(func(s map[string]any) { s["status"] = "draft" }),
			says: "draft is no value",
		},
		{name: "a text for a number", spoil: func(v map[string]any) { v["page"] = "1" }, says: "$page"},
		{name: "a fraction for a number", spoil: func(v map[string]any) { v["page"] = 1.5 }, says: "$page"},
		{name: "a number for a text", spoil: set(func(s map[string]any) { s["title"] = 7.0 }), says: "$set.title"},
		{name: "a text for a truth value", spoil: func(v map[string]any) { v["synchronous"] = "true" }, says: "$synchronous"},
		{name: "a declared variable that is not used", document: "query Q($id: ID!) { shop { resourceLimits { " +
			"maxProductOptions } } }", says: "never used"},
		{
			name: "a fragment that is not used", document: "query Q { currentAppInstallation { accessScopes { handle " +
				"} } } fragment f on Product { id }",
			says: "never used",
		},
		{name: "an unknown field", document: "query Q { shop { colour } }", says: "colour"},
		{name: "an unknown argument", document: "query Q { shopLocales(colour: 1) { locale } }", says: "colour"},
		{name: "a required argument too few", document: "query Q { product { id } }", says: "id"},
		{name: "fields of a scalar", document: "query Q { shopLocales { locale { name } } }", says: "locale"},
	}
	type request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	var requests []request
	var bodies []json.RawMessage
	for _, tc := range cases {
		r := request{create, cmp.Or(tc.called, "Write"), good()}
		if tc.document != "" {
			r = request{tc.document, "Q", nil}
		}
		if tc.spoil != nil {
			tc.spoil(r.Variables)
		}
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		requests, bodies = append(requests, r), append(bodies, body)
	}
	var faults []string
	if os.Getenv(judgeDir) != "" {
		var err error
		if faults, err = judge(bodies); err != nil {
			t.Fatal(err)
		}
	}
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			told := &teller{TB: t}
			fake := newFakeShop(t)
			fake.t = told
			if faults != nil && (faults[i] == "") != (tc.says == "") {
				t.Errorf("graphql-js says %q", faults[i])
			}
			answer := fake.run(requests[i].Query, requests[i].OperationName, requests[i].Variables)
			if _, refused := answer["errors"]; tc.says != "" && (!refused || answer["data"] != nil) {
				t.Errorf("the answer is %v", answer)
			}
			if text := told.text.String(); (tc.says == "") != (text == "") || !strings.Contains(text, tc.says) {
				t.Errorf("told: %q, want %q", text, tc.says)
			}
		})
	}
}

// A teller collects the faults that a fake finds in requests, instead of failing the test.
type teller struct {
	testing.TB
	text strings.Builder
}

func (t *teller) Errorf(format string, args ...any) { fmt.Fprintf(&t.text, format+"\n", args...) }
