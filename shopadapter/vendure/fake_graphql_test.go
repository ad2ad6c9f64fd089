package vendure_test

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// An object is a value with fields. A field that is a func() any is asked for its value when it is selected.
type object map[string]any

type arguments map[string]any

// A fault is a GraphQL error with a code; the code may be missing, as it is in some of the real server's.
type fault struct{ code, message string }

func (e *fault) Error() string { return e.message }

func faultOf(code, format string, args ...any) error {
	return &fault{code, fmt.Sprintf(format, args...)}
}

// run answers one request: the HTTP status and what is encoded as its body.
func (f *fakeShop) run(r *http.Request, asked request, header http.Header) (int, object) {
	document, ok := f.documents[asked.Query]
	if !ok {
		parsed, faults := gqlparser.LoadQueryWithRules(f.schema, asked.Query, rules.NewDefaultRules())
		if len(faults) > 0 {
			return http.StatusBadRequest, failed(&fault{"GRAPHQL_VALIDATION_FAILED", faults[0].Message})
		}
		document = parsed
		f.documents[asked.Query] = parsed
	}
	if len(document.Operations) != 1 {
		return http.StatusBadRequest, failed(&fault{"BAD_REQUEST", "one operation at a time"})
	}
	operation := document.Operations[0]
	variables, err := validator.VariableValues(f.schema, operation, asked.Variables)
	if err != nil {
		return http.StatusOK, failed(&fault{"BAD_USER_INPUT", err.Error()})
	}
	known := f.session(r)
	ctx := &execution{shop: f, variables: variables, files: asked.files, header: header}
	data := object{}
	for _, field := range fields(operation.SelectionSet, nil) {
		if !known && field.Name != "login" {
			return http.StatusOK, failed(&fault{"FORBIDDEN", "You are not currently authorized to perform this action"})
		}
		value, err := ctx.resolve(operation.Operation, field.Name, field.ArgumentMap(variables))
		if err == nil {
			data[field.Alias], err = ctx.project(value, field.SelectionSet)
		}
		if err != nil {
			return http.StatusOK, failed(err)
		}
	}
	return http.StatusOK, object{"data": data}
}

func (f *fakeShop) session(r *http.Request) bool {
	if f.tokens[r.Header.Get("Authorization")] && !f.cookiesOnly {
		return true
	}
	cookie, err := r.Cookie("session")
	return err == nil && f.tokens["Bearer "+cookie.Value]
}

func failed(err error) object {
	e := object{"message": err.Error()}
	if coded, ok := err.(*fault); ok && coded.code != "" { //nolint:errorlint // made here, never wrapped
		e["extensions"] = object{"code": coded.code}
	}
	return object{"errors": []any{e}, "data": nil}
}

type execution struct {
	shop      *fakeShop
	variables map[string]any
	files     map[string]*multipart.FileHeader
	header    http.Header
}

// project is value cut down to what was selected of it.
func (e *execution) project(value any, selection ast.SelectionSet) (any, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil
	case func() any:
		return e.project(value(), selection)
	case []object:
		list := make([]any, 0, len(value))
		for _, item := range value {
			projected, err := e.project(item, selection)
			if err != nil {
				return nil, err
			}
			list = append(list, projected)
		}
		return list, nil
	case object:
		if value == nil {
			return nil, nil
		}
		out := object{}
		name, _ := value["__typename"].(string)
		for _, field := range fields(selection, func(condition string) bool { return e.is(name, condition) }) {
			if field.Name == "__typename" {
				out[field.Alias] = name
				continue
			}
			inner, ok := value[field.Name]
			if !ok {
				return nil, fmt.Errorf("the fake has no field %s of %s", field.Name, name)
			}
			projected, err := e.project(inner, field.SelectionSet)
			if err != nil {
				return nil, err
			}
			out[field.Alias] = projected
		}
		return out, nil
	}
	return value, nil
}

// is tells whether an object of the type called name meets a fragment's condition. An object without a name is of the type its field has.
func (e *execution) is(name, condition string) bool {
	if name == "" || name == condition {
		return true
	}
	definition := e.shop.schema.Types[name]
	return definition != nil && slices.Contains(definition.Interfaces, condition)
}

// fields are the fields selected, those of fragments whose condition is met among them.
func fields(selection ast.SelectionSet, met func(condition string) bool) []*ast.Field {
	var list []*ast.Field
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			list = append(list, s)
		case *ast.InlineFragment:
			if met == nil || met(s.TypeCondition) {
				list = append(list, fields(s.SelectionSet, met)...)
			}
		case *ast.FragmentSpread:
			if met == nil || met(s.Definition.TypeCondition) {
				list = append(list, fields(s.Definition.SelectionSet, met)...)
			}
		}
	}
	return list
}
