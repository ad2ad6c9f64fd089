package graphqlfake_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

const sdl = `
type Query { thing: Thing, list: [Thing!]! }
interface Named { name: String! }
union Thing = Book | Lamp
type Book implements Named { name: String!, pages(from: Int): [Int!] }
type Lamp implements Named { name: String!, watts: Int }
`

func load(t *testing.T) *graphqlfake.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "shop.graphql", Input: sdl})
	if err != nil {
		t.Fatal(err)
	}
	return graphqlfake.New(schema)
}

func TestProject(t *testing.T) {
	book := graphqlfake.Object{
		"__typename": "Book",
		"name":       "Atlas",
		"pages":      func(a graphqlfake.Arguments) any { return []int64{a["from"].(int64), 9} },
	}
	lamp := graphqlfake.Object{"__typename": "Lamp", "name": "Arc", "watts": nil}
	for _, tt := range []struct {
		name, query string
		value       any
		want        string
	}{
		{"aliases and nothing else", `{ thing { ... on Lamp { title: name } } }`, lamp, `{"title":"Arc"}`},
		{"a fragment of another type", `{ thing { __typename ... on Book { name } } }`, lamp, `{"__typename":"Lamp"}`},
		{"a fragment on an interface", `{ thing { ...n } } fragment n on Named { name }`, lamp, `{"name":"Arc"}`},
		{"null", `{ thing { ... on Lamp { watts } } }`, lamp, `{"watts":null}`},
		{"no object", `{ thing { __typename } }`, graphqlfake.Object(nil), `null`},
		{"arguments", `query ($n: Int) { thing { ... on Book { pages(from: $n) } } }`, book, `{"pages":[5,9]}`},
		{
			"a list", `{ list { __typename } }`,
			[]graphqlfake.Object{book, lamp},
			`[{"__typename":"Book"},{"__typename":"Lamp"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t)
			seen := 0
			s.Check = func(*ast.Field, any) { seen++ }
			document, err := s.Document(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			field := graphqlfake.Fields(document.Operations[0].SelectionSet, nil)[0]
			got, err := s.Project(tt.value, field.SelectionSet, map[string]any{"n": int64(5)})
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := json.Marshal(got); string(text) != tt.want { //nolint:errcheck // made of JSON's own values
				t.Errorf("%s, want %s", text, tt.want)
			}
			if tt.want != "null" && seen == 0 {
				t.Error("Check saw no field")
			}
		})
	}
}

func TestWhatAFakeLacksIsAnError(t *testing.T) {
	s := load(t)
	document, err := s.Document(`{ thing { ... on Lamp { watts } } }`)
	if err != nil {
		t.Fatal(err)
	}
	field := graphqlfake.Fields(document.Operations[0].SelectionSet, nil)[0]
	lamp := []graphqlfake.Object{{"__typename": "Lamp", "name": "Arc"}}
	if got, err := s.Project(lamp, field.SelectionSet, nil); err == nil {
		t.Errorf("a lamp without watts is %v", got)
	}
	if _, err := s.Document(`{ thing { ... on Lamp { lumen } } }`); err == nil {
		t.Error("a document with an unknown field is valid")
	}
}

func TestFailed(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{
			graphqlfake.Faultf("NOT_FOUND", "no product %d", 7),
			`{"errors":[{"extensions":{"code":"NOT_FOUND"},"message":"no product 7"}]}`,
		},
		{graphqlfake.Faultf("", "broken"), `{"errors":[{"message":"broken"}]}`},
		{fmt.Errorf("plain"), `{"errors":[{"message":"plain"}]}`},
	} {
		//nolint:errcheck // strings always encode
		if text, _ := json.Marshal(graphqlfake.Failed(tt.err)); string(
			text,
		) != tt.want {
			t.Errorf("%s, want %s", text, tt.want)
		}
	}
}
