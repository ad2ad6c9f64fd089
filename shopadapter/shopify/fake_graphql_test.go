package shopify_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// An object is a value with fields. A field that is a func(arguments) any is asked for its value when it is selected.
type object map[string]any

type arguments map[string]any

// A fault is a top-level GraphQL error.
type fault struct{ code, message string }

func (e *fault) Error() string { return e.message }

func faultOf(code, format string, args ...any) error {
	return &fault{code, fmt.Sprintf(format, args...)}
}

// run answers one request, and charges for it.
func (f *fakeShop) run(query string, raw map[string]any) object {
	document, ok := f.documents[query]
	if !ok {
		parsed, faults := gqlparser.LoadQueryWithRules(f.schema, query, rules.NewDefaultRules())
		if len(faults) > 0 {
			f.t.Errorf("an invalid document: %v\n%s", faults, query)
			return failed(&fault{"undefinedField", faults[0].Message})
		}
		document = parsed
		f.documents[query] = parsed
	}
	operation := document.Operations[0]
	variables, err := validator.VariableValues(f.schema, operation, raw)
	if err != nil {
		f.t.Errorf("invalid variables: %v", err)
		return failed(&fault{"INVALID_VARIABLE", err.Error()})
	}
	requested := math.Ceil(cost(operation.SelectionSet, variables, nil) + inputCost(raw))
	f.refill()
	bill := object{"requestedQueryCost": requested, "actualQueryCost": nil, "throttleStatus": f.status()}
	if requested > 1000 {
		answer := failed(&fault{"MAX_COST_EXCEEDED", fmt.Sprintf("Query cost is %g, which exceeds the single query max cost limit (1000).", requested)})
		return answer
	}
	if requested > f.level {
		f.throttled++
		answer := failed(&fault{"THROTTLED", "Throttled"})
		answer["extensions"] = object{"cost": bill}
		return answer
	}
	data, failure := object{}, error(nil)
	for _, field := range fields(operation.SelectionSet, nil) {
		value, err := f.resolve(operation.Operation, field.Name, field.ArgumentMap(variables))
		if err == nil {
			value, err = f.project(value, field.SelectionSet, variables)
		}
		if err != nil {
			failure, value = err, nil
		}
		data[field.Alias] = value
	}
	actual := math.Ceil(actualCost(operation.SelectionSet, data, variables) + inputCost(raw))
	actual = min(actual, requested)
	f.level -= actual
	f.spent += actual
	answer := object{"data": data}
	if failure != nil {
		answer["errors"] = failed(failure)["errors"]
	}
	bill["actualQueryCost"], bill["throttleStatus"] = actual, f.status()
	answer["extensions"] = object{"cost": bill}
	return answer
}

func (f *fakeShop) refill() {
	now := time.Now()
	f.level = min(f.limit, f.level+now.Sub(f.filled).Seconds()*f.rate)
	f.filled = now
}

func (f *fakeShop) status() object {
	return object{"maximumAvailable": f.limit, "currentlyAvailable": math.Floor(f.level), "restoreRate": f.rate}
}

func failed(err error) object {
	e := object{"message": err.Error()}
	if coded, ok := err.(*fault); ok && coded.code != "" { //nolint:errorlint // made here, never wrapped
		e["extensions"] = object{"code": coded.code}
	}
	return object{"errors": []any{e}}
}

// project is value cut down to what was selected of it.
func (f *fakeShop) project(value any, selection ast.SelectionSet, variables map[string]any) (any, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil //nolint:nilnil // null is a value
	case []object:
		list := make([]any, 0, len(value))
		for _, item := range value {
			projected, err := f.project(item, selection, variables)
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
		out := object{}
		name, _ := value["__typename"].(string)
		for _, field := range fields(selection, func(condition string) bool { return f.is(name, condition) }) {
			inner, ok := value[field.Name]
			if !ok {
				return nil, fmt.Errorf("the fake has no field %s of %s", field.Name, name)
			}
			if ask, ok := inner.(func(arguments) any); ok {
				inner = ask(field.ArgumentMap(variables))
			}
			projected, err := f.project(inner, field.SelectionSet, variables)
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
func (f *fakeShop) is(name, condition string) bool {
	if name == "" || name == condition {
		return true
	}
	definition := f.schema.Types[name]
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

// cost is what a selection may cost: a mutation 10, an object 1, a connection as many objects as it may hold. actual, where it is given, says how
// many a connection did hold.
func cost(selection ast.SelectionSet, variables map[string]any, actual any) float64 {
	total := 0.0
	data, _ := actual.(object)
	for _, field := range fields(selection, nil) {
		if len(field.SelectionSet) == 0 {
			continue
		}
		inner := any(nil)
		if actual != nil {
			if inner = data[field.Alias]; inner == nil {
				continue
			}
		}
		each := 1.0
		if field.ObjectDefinition.Name == "Mutation" {
			each = 10
		}
		if list, ok := inner.([]any); ok {
			for _, item := range list {
				total += each + cost(field.SelectionSet, variables, item)
			}
			continue
		}
		times := 1.0
		if actual == nil {
			if first := field.ArgumentMap(variables)["first"]; first != nil {
				times = number(first)
			}
		}
		total += each + times*cost(field.SelectionSet, variables, inner)
	}
	return total
}

func actualCost(selection ast.SelectionSet, data object, variables map[string]any) float64 {
	total := cost(selection, variables, data)
	for _, field := range fields(selection, nil) { // a mutation that was refused is charged all the same
		if field.ObjectDefinition.Name == "Mutation" && data[field.Alias] == nil {
			total += 10
		}
	}
	return total
}

// inputCost is what the schema's descriptions say of the input of productSet.
func inputCost(variables map[string]any) float64 {
	set, _ := variables["set"].(map[string]any)
	variants, _ := set["variants"].([]any)
	files, _ := set["files"].([]any)
	metafields, _ := set["metafields"].([]any)
	total := 0.2*float64(len(variants)) + 1.9*float64(len(files)) + 0.4*float64(len(metafields))
	for _, v := range variants {
		marks, _ := v.(map[string]any)["metafields"].([]any)
		total += 0.4 * float64(len(marks))
	}
	return total
}

func number(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int:
		return float64(n)
	case int64:
		return float64(n)
	}
	return 0
}
