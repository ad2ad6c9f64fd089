// Package graphqlfake has what the fakes of GraphQL shops share. It holds documents to the shop's
// real schema, cuts values down to the selected fields, and writes errors in GraphQL's form. The
// shops themselves, with their products and their oddities, stand in the tests of their adapters.
//
// Only tests import this package.
package graphqlfake

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// An Object is a value with fields, its "__typename" among them where a selection depends on it. A
// field that is a func(Arguments) any is asked for its value when it is selected.
type Object map[string]any

// Arguments are the arguments of a field, with the variables filled in.
type Arguments map[string]any

// A Fault is a GraphQL error. Its code may be "", as it is in some errors of real servers.
type Fault struct{ Code, Message string }

func (e *Fault) Error() string { return e.Message }

// Faultf makes a Fault.
func Faultf(code, format string, args ...any) error {
	return &Fault{code, fmt.Sprintf(format, args...)}
}

// Failed is the answer to a request that failed, without its data.
func Failed(err error) Object {
	e := Object{"message": err.Error()}
	if fault, ok := errors.AsType[*Fault](err); ok && fault.Code != "" {
		e["extensions"] = Object{"code": fault.Code}
	}
	return Object{"errors": []any{e}}
}

// A Schema is a shop's schema and the documents that were found valid against it. It is used by one
// goroutine at a time.
type Schema struct {
	*ast.Schema
	// Check, where it is set, sees each field of an answer with its value.
	Check func(field *ast.Field, value any)

	documents map[string]*ast.QueryDocument
}

// New is a Schema over a parsed one.
func New(schema *ast.Schema) *Schema {
	return &Schema{Schema: schema, documents: map[string]*ast.QueryDocument{}}
}

// Document parses a document and validates it against the schema.
func (s *Schema) Document(query string) (*ast.QueryDocument, error) {
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
func (s *Schema) Project(value any, selection ast.SelectionSet, variables map[string]any) (any, error) {
	switch value := value.(type) {
	case []Object:
		list := make([]any, 0, len(value))
		for _, item := range value {
			projected, err := s.Project(item, selection, variables)
			if err != nil {
				return nil, err
			}
			list = append(list, projected)
		}
		return list, nil
	case Object:
		if value == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		return s.projectObject(value, selection, variables)
	}
	return value, nil
}

func (s *Schema) projectObject(value Object, selection ast.SelectionSet, variables map[string]any) (Object, error) {
	out := Object{}
	name, _ := value["__typename"].(string)
	for _, field := range Fields(selection, func(condition string) bool { return s.is(name, condition) }) {
		inner, ok := value[field.Name]
		if !ok {
			return nil, fmt.Errorf("the fake has no field %s of %s", field.Name, name)
		}
		if ask, ok := inner.(func(Arguments) any); ok {
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
func (s *Schema) is(name, condition string) bool {
	if name == "" || name == condition {
		return true
	}
	definition := s.Types[name]
	return definition != nil && slices.Contains(definition.Interfaces, condition)
}

// Fields are the fields selected, those of fragments whose condition is met among them. Without met
// every condition is.
func Fields(selection ast.SelectionSet, met func(condition string) bool) []*ast.Field {
	var list []*ast.Field
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			list = append(list, s)
		case *ast.InlineFragment:
			if met == nil || met(s.TypeCondition) {
				list = append(list, Fields(s.SelectionSet, met)...)
			}
		case *ast.FragmentSpread:
			if met == nil || met(s.Definition.TypeCondition) {
				list = append(list, Fields(s.Definition.SelectionSet, met)...)
			}
		}
	}
	return list
}
