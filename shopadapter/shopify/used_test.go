package shopify_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

const usedFile = "used.txt"

// uses are what requests use of the schema, in the lines of used.txt.
type uses struct {
	schema *ast.Schema
	lines  map[string]bool
}

func (u uses) add(format string, args ...any) { u.lines[fmt.Sprintf(format, args...)] = true }

func (u uses) selection(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if strings.HasPrefix(s.Name, "__") {
				continue
			}
			u.add("field %s.%s", s.ObjectDefinition.Name, s.Name)
			for _, a := range s.Arguments {
				u.add("argument %s.%s(%s:)", s.ObjectDefinition.Name, s.Name, a.Name)
				u.literal(a.Value)
			}
			u.selection(s.SelectionSet)
		case *ast.InlineFragment:
			u.selection(s.SelectionSet)
		case *ast.FragmentSpread:
			u.selection(s.Definition.SelectionSet)
		}
	}
}

func (u uses) literal(v *ast.Value) {
	switch v.Kind {
	case ast.EnumValue:
		u.add("value %s.%s", v.Definition.Name, v.Raw)
	case ast.ObjectValue:
		for _, c := range v.Children {
			u.add("input %s.%s", v.Definition.Name, c.Name)
			u.literal(c.Value)
		}
	case ast.ListValue:
		for _, c := range v.Children {
			u.literal(c.Value)
		}
	}
}

func (u uses) value(t *ast.Type, value any) {
	switch definition := u.schema.Types[t.Name()]; value := value.(type) {
	case []any:
		for _, item := range value {
			u.value(t, item)
		}
	case map[string]any:
		for name, inner := range value {
			u.add("input %s.%s", definition.Name, name)
			u.value(definition.Fields.ForName(name).Type, inner)
		}
	case string:
		if definition.Kind == ast.Enum && definition.Name != "CountryCode" { // which are data
			u.add("value %s.%s", definition.Name, value)
		}
	}
}

func (u uses) operation(o *ast.OperationDefinition, variables map[string]any) {
	u.selection(o.SelectionSet)
	for _, v := range o.VariableDefinitions {
		u.value(v.Type, variables[v.Variable])
	}
}

// within tells the test of each thing that a request uses and that the list lacks.
func (u uses) within(t testing.TB, used map[string]bool) {
	for line := range u.lines {
		if !used[line] {
			t.Errorf(
				"a request uses %s, which %s lacks: add it to what TestUsed sends, and run that with -update",
				line,
				usedFile,
			)
		}
	}
}

func usedLines(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(usedFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestUsed holds the list that the check asks Shopify's schema for to what the documents use, and
// to the inputs of a listing's whole life. The fake holds every other request of these tests to the
// list.
func TestUsed(t *testing.T) {
	fake := newFakeShop(t)
	fake.used = nil
	fake.locales = locales("en", "nl")
	u := uses{fake.schema.Schema, map[string]bool{}}
	fake.watch = u.operation
	for _, document := range shopify.Documents() {
		parsed, faults := gqlparser.LoadQueryWithRules(fake.schema.Schema, document, rules.NewDefaultRules())
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		u.operation(parsed.Operations[0], nil)
	}
	a := fake.open(t)
	p := laws.WithDetails(polyglot(), 1)
	p.Variants, p.Options = lamp("p", 3).Variants, lamp("p", 3).Options
	p.Images = pictures(1, 2)
	ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	for i, unit := range []string{"kg", "g", "lb", "oz"} {
		p = laws.WithDetails(shopadaptertest.Revise(p, 1), 1+i)
		p.Units.Weight = unit
		publish(t, a, ref, p, shopadapter.AllFields)
	}
	for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
		if err := a.Unpublish(t.Context(), ref, how); err != nil {
			t.Fatal(err)
		}
	}
	lines := slices.Sorted(maps.Keys(u.lines))
	if *update {
		if err := os.WriteFile(usedFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(lines, usedLines(t)); diff != "" {
		t.Errorf("%s is not what requests use, run this test with -update (-want +got):\n%s", usedFile, diff)
	}
}

// TestAVersionThatLacksSomething is named by the check before the first product: the version, what
// it lacks, and what to do. Each thing that requests use is taken away once.
func TestAVersionThatLacksSomething(t *testing.T) {
	for i, line := range usedLines(t) {
		fake := newFakeShop(t)
		_, name, _ := strings.Cut(line, " ")
		fake.without = []string{name}
		err := fake.open(t).Check(t.Context())
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Message, "version 2026-07") ||
			!strings.Contains(e.Message, name) ||
			!strings.Contains(e.Message, "install a newer one") {
			t.Errorf("without %s the check says: %v", name, err)
		}
		if i%20 == 0 { // the first product meets the same verdict
			_, published := fake.open(t).
				Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 1), shopadapter.AllFields)
			if published == nil || published.Error() != err.Error() {
				t.Errorf("without %s a first product leads to: %v", name, published)
			}
		}
		if len(fake.products) > 0 || fake.defined != "" {
			t.Errorf("without %s the shop was changed", name)
		}
	}
}

func TestTheSchemaOfTheShop(t *testing.T) {
	for _, tc := range []struct {
		name     string
		shop     func(*fakeShop)
		settings []string
		says     string // "" when the check passes
	}{
		{name: "all is there"},
		{
			name: "several things are not", shop: func(f *fakeShop) {
				f.without = []string{
					"MediaError", "ProductSetInput.files", "ProductStatus.DRAFT", "QueryRoot.productByIdentifier(identifier:)",
					"Product.media", "Product.handle",
				}
			},
			says: "(Product.handle, Product.media, QueryRoot.productByIdentifier(identifier:), the type MediaError, " +
				"ProductSetInput.files and 1 more)",
		},
		{
			name:     "an older version was chosen",
			shop:     func(f *fakeShop) { f.version, f.without = "2025-10", []string{"ProductSetInput.files"} },
			settings: []string{"API_VERSION", "2025-10"},
			says: "API version 2025-10 of Shopify lacks what pubsync needs (ProductSetInput.files): set " +
				"API_VERSION to 2026-07",
		},
		{
			name: "an argument that nobody gives is required",
			shop: func(f *fakeShop) { f.demands = []string{"Mutation.productSet(key:)"} },
			says: "a value for Mutation.productSet(key:)",
		},
		{
			name: "an input field that nobody gives is required",
			shop: func(f *fakeShop) { f.demands = []string{"ProductSetInput.vatId"} },
			says: "a value for ProductSetInput.vatId",
		},
		{
			name: "the shop tells nothing of its schema",
			shop: func(f *fakeShop) { f.answer = forOperation("Schema", coded("FORBIDDEN", "Introspection is off")) },
		},
		{
			name: "the shop knows no type", shop: func(f *fakeShop) {
				f.answer = forOperation("Schema", func(string) *http.Response { return respond(200, `{"data":{}}`, nil) })
			},
		},
		{
			name: "the answer is lost", shop: func(f *fakeShop) { f.answer = forOperation("Schema", status(502, nil)) },
			says: "HTTP 502",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			if tc.shop != nil {
				tc.shop(fake)
			}
			err := fake.open(t, tc.settings...).Check(t.Context())
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the check says: %v, want %q", err, tc.says)
			}
		})
	}
}

// forOperation answers one kind of request.
func forOperation(name string, answer func(string) *http.Response) func(string) *http.Response {
	return func(operation string) *http.Response {
		if operation == name {
			return answer(operation)
		}
		return nil
	}
}

// TestTheSchemaIsReadSeldom: not by each probe of a shop that is refused, and again when its
// verdict may have changed.
func TestTheSchemaIsReadSeldom(t *testing.T) { inVirtualTime(readSchemaSeldom)(t) }

func readSchemaSeldom(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	for _, step := range []struct {
		name   string
		change func()
		asked  int
		well   bool
	}{
		{"at first", func() {}, 1, true},
		{"again", func() {}, 0, true},
		{"a day later", func() { time.Sleep(25 * time.Hour) }, 1, true},
		{"something is gone, as a refused request has shown", func() {
			fake.without = []string{"ProductSetInput.files"}
			fake.answer = coded("undefinedField", "Field 'x' doesn't exist")
			_, _ = a.Publish(t.Context(), shopadapter.Ref{Publication: "p"}, lamp("p", 1), shopadapter.AllFields)
			fake.answer = nil
		}, 1, false},
		{"a probe", func() {}, 0, false},
		{"it is back, and the verdict is old", func() { fake.without = nil; time.Sleep(time.Hour) }, 1, true},
		{"another version is served", func() { fake.version = "2026-10" }, 0, false},
	} {
		step.change()
		fake.took()
		err := a.Check(t.Context())
		asked := len(slices.DeleteFunc(fake.took(), func(name string) bool { return name != "Schema" }))
		if asked != step.asked || (err == nil) != step.well {
			t.Errorf("%s: the schema was asked for %d times, the check says: %v", step.name, asked, err)
		}
	}
}
