package marketplace

import (
	"fmt"
	"strconv"
	"strings"

	graphql "github.com/hasura/go-graphql-client"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// typed is the document that the library makes of roots: a root field with its arguments, and a
// value of the type that its answer is read into. So the document and the reading cannot disagree.
//
// The library's text is parsed, since the cost of a document is reckoned from its tree, and since
// [Forms.fit] leaves out of it what this server does not have.
func typed(kind, name string, vars map[string]any, roots ...[2]any) document {
	construct := graphql.ConstructQuery
	if kind == mutation {
		construct = graphql.ConstructMutation
	}
	text, err := construct(roots, vars, graphql.OperationName(name))
	var parsed *ast.QueryDocument
	if err == nil {
		parsed, err = parser.ParseQuery(&ast.Source{Input: text})
	}
	if err != nil { // a type of this package is none that the library can ask for
		panic(fmt.Sprintf("document %s: %v", name, err))
	}
	operation := parsed.Operations[0]
	d := document{kind: kind, name: name, body: tree(operation.SelectionSet)}
	for _, v := range operation.VariableDefinitions {
		d.vars = append(d.vars, "$"+v.Variable+":"+v.Type.String())
	}
	return d
}

// unmarshal has the library read data into v. The library panics where a list stands in the place of
// anything else, which is an error here.
func unmarshal(data []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a list in place of another value: %v", p)
		}
	}()
	return graphql.UnmarshalGraphQL(data, v)
}

// tree is the fields of a parsed selection, which holds no fragments.
func tree(selected ast.SelectionSet) []field {
	var fields []field
	for _, s := range selected {
		parsed, ok := s.(*ast.Field)
		if !ok {
			continue
		}
		f := field{name: parsed.Name, sub: tree(parsed.SelectionSet)}
		args := make([]string, len(parsed.Arguments))
		for i, a := range parsed.Arguments {
			args[i] = a.Name + ":" + a.Value.String()
			if a.Name == "first" {
				f.first, _ = strconv.Atoi(a.Value.Raw) //nolint:errcheck // it was printed from a number
			}
		}
		f.args = strings.Join(args, ",")
		fields = append(fields, f)
	}
	return fields
}

// list is the root field of a page of a connection, with a page of the type that it is read into.
func list[T any](name string, first int, after bool) [2]any {
	if after {
		return [2]any{fmt.Sprintf("%s(first:%d,after:$after)", name, first), wirePage[T]{}}
	}
	return [2]any{fmt.Sprintf("%s(first:%d)", name, first), wirePage[T]{}}
}

// cursor is the variables of a page: none for the first one, since an optional argument is left out
// and never null.
func cursor(after string) map[string]any {
	if after == "" {
		return nil
	}
	return map[string]any{"after": after}
}

// fit leaves out of a typed document what this server does not have: one of the two ways to the
// entries of a connection, and fields that its schema lacks.
func (f Forms) fit(d document) document {
	for i, root := range d.body {
		d.body[i].sub = f.had(root.name, root.sub)
	}
	return d
}

// had is those of a selection's fields that this server has.
func (f Forms) had(root string, selected []field) (kept []field) {
	edges := f.edges[connectionOf(root)]
	for _, s := range selected {
		switch s.name {
		case "nodes", "edges":
			if (s.name == "edges") != edges {
				continue
			}
			s.sub = f.had(root, s.sub)
		case "node":
			s.sub = f.had(root, s.sub)
		default:
			if f.without[root+"."+s.name] {
				continue
			}
		}
		kept = append(kept, s)
	}
	return kept
}
