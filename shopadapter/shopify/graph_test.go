package shopify_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// An object is a value with fields, its "__typename" among them where a selection depends on it. A
// field that is a func(arguments) any is asked for its value when it is selected.
type object map[string]any

// arguments are the arguments of a field, with the variables filled in.
type arguments map[string]any

// A graphFault is a GraphQL error. Its code may be "", as it is in some errors of real servers.
type graphFault struct{ Code, Message string }

func (e *graphFault) Error() string { return e.Message }

// faultf makes a graphFault.
func faultf(code, format string, args ...any) error {
	return &graphFault{code, fmt.Sprintf(format, args...)}
}

// failed is the answer to a request that failed, without its data.
func failed(err error) object {
	e := object{"message": err.Error()}
	if fault, ok := errors.AsType[*graphFault](err); ok && fault.Code != "" {
		e["extensions"] = object{"code": fault.Code}
	}
	return object{"errors": []any{e}}
}

// A graphSchema is a shop's schema and the documents that were found valid against it. It is used by one
// goroutine at a time.
type graphSchema struct {
	*ast.Schema
	// Check, where it is set, sees each field of an answer with its value.
	Check func(field *ast.Field, value any)

	documents map[string]*ast.QueryDocument
}

// newGraphSchema is a graphSchema over a parsed one.
func newGraphSchema(schema *ast.Schema) *graphSchema {
	return &graphSchema{Schema: schema, documents: map[string]*ast.QueryDocument{}}
}

// Document parses a document and validates it against the schema.
func (s *graphSchema) Document(query string) (*ast.QueryDocument, error) {
	if known, ok := s.documents[query]; ok {
		return known, nil
	}
	parsed, faults := gqlparser.LoadQueryWithRules(s.Schema, query, rules.NewDefaultRules())
	if len(faults) > 0 {
		return nil, errors.New(faults[0].Message)
	}
	s.documents[query] = parsed
	return parsed, nil
}

// Project is a value cut down to what was selected of it.
func (s *graphSchema) Project(value any, selection ast.SelectionSet, variables map[string]any) (any, error) {
	switch value := value.(type) {
	case []object:
		list := make([]any, 0, len(value))
		for _, item := range value {
			projected, err := s.Project(item, selection, variables)
			if err != nil {
				return nil, err
			}
			list = append(list, projected)
		}
		return list, nil
	case object:
		if value == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		return s.projectObject(value, selection, variables)
	}
	return value, nil
}

func (s *graphSchema) projectObject(
	value object, selection ast.SelectionSet, variables map[string]any,
) (object, error) {
	out := object{}
	name, _ := value["__typename"].(string)
	for _, field := range selected(selection, func(condition string) bool { return s.is(name, condition) }) {
		inner, ok := value[field.Name]
		if !ok {
			return nil, fmt.Errorf("the fake has no field %s of %s", field.Name, name)
		}
		if ask, ok := inner.(func(arguments) any); ok {
			inner = ask(field.ArgumentMap(variables))
		}
		projected, err := s.Project(inner, field.SelectionSet, variables)
		if err != nil {
			return nil, err
		}
		if s.Check != nil {
			s.Check(field, projected)
		}
		out[field.Alias] = projected
	}
	return out, nil
}

// is tells whether an object of the type called name meets a fragment's condition. An object
// without a name is of the type its field has.
func (s *graphSchema) is(name, condition string) bool {
	if name == "" || name == condition {
		return true
	}
	definition := s.Types[name]
	return definition != nil && slices.Contains(definition.Interfaces, condition)
}

// selected are the fields selected, those of fragments whose condition is met among them. Without met
// every condition is.
func selected(selection ast.SelectionSet, met func(condition string) bool) []*ast.Field {
	var list []*ast.Field
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			list = append(list, s)
		case *ast.InlineFragment:
			if met == nil || met(s.TypeCondition) {
				list = append(list, selected(s.SelectionSet, met)...)
			}
		case *ast.FragmentSpread:
			if met == nil || met(s.Definition.TypeCondition) {
				list = append(list, selected(s.Definition.SelectionSet, met)...)
			}
		}
	}
	return list
}
