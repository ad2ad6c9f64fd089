package document

import (
	"fmt"
	"strconv"
	"strings"

	graphql "github.com/hasura/go-graphql-client"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// Typed is the document that the library makes of roots: a root field with its arguments, and a
// value of the type that its answer is read into. So the document and the reading cannot disagree.
//
// The library's text is parsed, since the cost of a document is reckoned from its tree, and since
// form.Forms.Fit leaves out of it what this server does not have.
func Typed(kind, name string, vars map[string]any, roots ...[2]any) Document {
	construct := graphql.ConstructQuery
	if kind == Mutation {
		construct = graphql.ConstructMutation
	}
	text, err := construct(roots, vars, graphql.OperationName(name))
	var d Document
	if err == nil {
		d, err = Parse(text)
	}
	if err != nil { // a type of this module is none that the library can ask for
		panic(fmt.Sprintf("document %s: %v", name, err))
	}
	return d
}

// Parse is the document of a text with one operation and no fragments.
func Parse(text string) (Document, error) {
	parsed, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return Document{}, err
	}
	operation := parsed.Operations[0]
	d := Document{Kind: string(operation.Operation), Name: operation.Name, Body: tree(operation.SelectionSet)}
	for _, v := range operation.VariableDefinitions {
		d.Vars = append(d.Vars, "$"+v.Variable+":"+v.Type.String())
	}
	return d, nil
}

// Unmarshal has the library read data into v. The library panics where a list stands in the place
// of anything else, which is an error here.
func Unmarshal(data []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a list in place of another value: %v", p)
		}
	}()
	return graphql.UnmarshalGraphQL(data, v)
}

// tree is the fields of a parsed selection, which holds no fragments.
func tree(selected ast.SelectionSet) []Field {
	var fields []Field
	for _, s := range selected {
		parsed, ok := s.(*ast.Field)
		if !ok {
			continue
		}
		f := Field{Name: parsed.Name, Sub: tree(parsed.SelectionSet)}
		if parsed.Alias != parsed.Name {
			f.Alias = parsed.Alias
		}
		args := make([]string, len(parsed.Arguments))
		for i, a := range parsed.Arguments {
			args[i] = a.Name + ":" + a.Value.String()
			if a.Name == "first" {
				f.First, _ = strconv.Atoi(a.Value.Raw) //nolint:errcheck // it was printed from a number
			}
		}
		f.Args = strings.Join(args, ",")
		fields = append(fields, f)
	}
	return fields
}

// List is the root field of a page of a connection, with a page of the type that it is read into.
func List[T any](name string, first int, after bool) [2]any {
	if after {
		return [2]any{fmt.Sprintf("%s(first:%d,after:$after)", name, first), wire.Page[T]{}}
	}
	return [2]any{fmt.Sprintf("%s(first:%d)", name, first), wire.Page[T]{}}
}

// Cursor is the variables of a page: none for the first one, since an optional argument is left out
// and never null.
func Cursor(after string) map[string]any {
	if after == "" {
		return nil
	}
	return map[string]any{"after": after}
}
