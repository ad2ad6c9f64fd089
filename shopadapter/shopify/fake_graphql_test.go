package shopify_test

import (
	"math"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

type (
	object    = graphqlfake.Object
	arguments = graphqlfake.Arguments
)

// run answers one request, and charges for it. A request whose document, operation name or
// variables are not valid fails the test: the adapter must send none.
func (f *fakeShop) run(query, name string, raw map[string]any) object {
	document, err := f.schema.Document(query)
	if err != nil {
		f.t.Errorf("an invalid document: %v\n%s", err, query)
		return graphqlfake.Failed(graphqlfake.Faultf("undefinedField", "%v", err))
	}
	operation := document.Operations.ForName(name)
	if operation == nil {
		f.t.Errorf("the document has no operation named %q:\n%s", name, query)
		return graphqlfake.Failed(graphqlfake.Faultf("", "No operation named %q", name))
	}
	variables, err := coerce(f.schema.Schema, operation, raw)
	if err != nil {
		f.t.Errorf("invalid variables: %v", err)
		return graphqlfake.Failed(graphqlfake.Faultf("INVALID_VARIABLE", "%v", err))
	}
	if f.watch != nil {
		f.watch(operation, raw)
	}
	requested := math.Ceil(cost(operation.SelectionSet, variables, nil) + inputCost(raw))
	if f.dearer > 0 && (name == "Observe" || name == "Stock") {
		requested = math.Ceil(f.dearer * requested)
	}
	f.refill()
	bill := object{"requestedQueryCost": requested, "actualQueryCost": nil, "throttleStatus": f.status()}
	if requested > 1000 {
		answer := graphqlfake.Failed(
			graphqlfake.Faultf(
				"MAX_COST_EXCEEDED",
				"Query cost is %g, which exceeds the single query max cost limit (1000).",
				requested,
			),
		)
		return answer
	}
	if requested > f.level {
		f.throttled++
		answer := graphqlfake.Failed(graphqlfake.Faultf("THROTTLED", "Throttled"))
		answer["extensions"] = object{"cost": bill}
		return answer
	}
	data, failure := object{}, error(nil)
	for _, field := range graphqlfake.Fields(operation.SelectionSet, nil) {
		value, err := f.resolve(operation.Operation, field.Name, field.ArgumentMap(variables))
		if err == nil {
			value, err = f.schema.Project(value, field.SelectionSet, variables)
		}
		if err == nil {
			f.fits(field, value)
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
		answer["errors"] = graphqlfake.Failed(failure)["errors"]
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

// fits tells the test of a value that Shopify's schema does not let a field have: null where there
// is none, an unknown value of an enumeration.
func (f *fakeShop) fits(field *ast.Field, value any) {
	t := field.Definition.Type
	if value == nil && t.NonNull {
		f.t.Errorf("the fake answers null for %s.%s, which is %s", field.ObjectDefinition.Name, field.Name, t)
	}
	text, ok := value.(string)
	definition := f.schema.Types[t.Name()]
	if ok && definition.Kind == ast.Enum && definition.EnumValues.ForName(text) == nil {
		f.t.Errorf("the fake answers %q for %s.%s, which is no %s", text, field.ObjectDefinition.Name, field.Name, t)
	}
}

// cost is what a selection may cost: a mutation 10, an object 1, a connection as many objects as it
// may hold. actual, where it is given, says how many a connection did hold.
func cost(selection ast.SelectionSet, variables map[string]any, actual any) float64 {
	total := 0.0
	data, _ := actual.(object)
	for _, field := range graphqlfake.Fields(selection, nil) {
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
	for _, field := range graphqlfake.Fields(selection, nil) { // a mutation that was refused is charged all the same
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
