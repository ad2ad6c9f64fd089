package marketplace

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed testdata/schema.graphql
var sdl string

// A choice is one way to fill in what the specification leaves open.
type choice struct {
	id, status, event, method string
	sorted                    bool // by UPDATED_AT_ASC
	connections               string
	languages                 string
	inputs                    string // put before the names of the input types
}

func (c choice) String() string {
	return fmt.Sprintf(
		"%s,%s,%s,%s,sorted=%v,%s,[%s],%s", c.id, c.status, c.event, c.method, c.sorted, c.connections, c.languages,
		c.inputs,
	)
}

// choices are the half of all combinations in which any six of the seven are combined in every way.
func choices() []choice {
	var all []choice
	for i, id := range []string{"ID", "String"} {
		for j, status := range []string{"String", "LowerStatus", "UpperStatus"} {
			for k, event := range []string{"String", "WebhookEvent"} {
				for l, method := range []string{"ImageMethod", "String"} {
					for m, sorted := range []bool{true, false} {
						for n, connections := range []string{"both", "edges"} {
							for o, languages := range []string{"", "de: Translation fr: Translation"} {
								if (i+j+k+l+m+n+o)%2 == 0 {
									all = append(
										all, choice{id, status, event, method, sorted, connections, languages, ""},
									)
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

func (c choice) schema(t *testing.T) *ast.Schema {
	t.Helper()
	s := sdl
	for _, kind := range []string{"Webhook", "Publication", "ListingVariant", "Image"} {
		fields := map[string]string{
			"both":  fmt.Sprintf("edges: [%sEdge!]! nodes: [%s!]!", kind, kind),
			"edges": fmt.Sprintf("edges: [%sEdge!]!", kind),
		}
		s = strings.ReplaceAll(s, fmt.Sprintf("{edges: %sEdge, nodes: %s}", kind, kind), fields[c.connections])
	}
	sorted := ""
	if c.sorted {
		sorted = "UPDATED_AT_ASC"
	}
	s = strings.NewReplacer(
		"{ID}", c.id, "{Status}", c.status, "{Event}", c.event, "{Method}", c.method, "{UPDATED_AT_ASC}", sorted,
		"{languages}", c.languages, "{Returns}", "Boolean", "{Days}", "Int", "{Policy}", "InventoryPolicy",
		"{StatusInput}", c.inputs+statusInput, "{WebhookInput}", c.inputs+webhookInput,
	).Replace(s)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: s})
	if err != nil {
		t.Fatalf("schema of %v: %v", c, err)
	}
	return schema
}

// introspect is the answer to form.ProbeDocument.
func introspect(schema *ast.Schema) json.RawMessage {
	named := func(name string) map[string]any {
		return map[string]any{"kind": string(schema.Types[name].Kind), "name": name}
	}
	var ref func(t *ast.Type) map[string]any
	ref = func(t *ast.Type) map[string]any {
		switch {
		case t.NonNull:
			inner := *t
			inner.NonNull = false
			return map[string]any{"kind": "NON_NULL", "name": nil, "ofType": ref(&inner)}
		case t.Elem != nil:
			return map[string]any{"kind": "LIST", "name": nil, "ofType": ref(t.Elem)}
		default:
			return named(t.NamedType)
		}
	}
	var types []any
	for name, def := range schema.Types {
		var values, inputs, fields []any
		for _, v := range def.EnumValues {
			values = append(values, map[string]any{"name": v.Name})
		}
		for _, f := range def.Fields {
			var args []any
			for _, a := range f.Arguments {
				args = append(args, map[string]any{"name": a.Name, "type": ref(a.Type)})
			}
			field := map[string]any{"name": f.Name, "type": ref(f.Type)}
			if def.Kind == ast.InputObject {
				inputs = append(inputs, field)
				continue
			}
			field["args"] = args
			fields = append(fields, field)
		}
		types = append(types, map[string]any{
			"kind": string(def.Kind), "name": name, "enumValues": values, "inputFields": inputs, "fields": fields,
		})
	}
	raw, err := json.Marshal(map[string]any{"__schema": map[string]any{
		"queryType": map[string]any{
			"name": schema.Query.Name,
		}, "mutationType": map[string]any{"name": schema.Mutation.Name}, "types": types,
	}})
	if err != nil {
		panic(err)
	}
	return raw
}

// check validates a request as the server would; complaints is its errors member, "" when it is
// good.
func check(schema *ast.Schema, query string, vars map[string]any) (complaints string) {
	doc, errs := gqlparser.LoadQueryWithRules(schema, query, rules.NewDefaultRules())
	var list []any
	for _, e := range errs {
		list = append(list, map[string]any{"message": e.Message})
	}
	if len(list) == 0 {
		if _, err := validator.VariableValues(schema, doc.Operations[0], vars); err != nil {
			list = append(list, map[string]any{"message": "Variable " + err.Error()})
		}
	}
	// The validator compares the values of an enum without regard to case; a server does not.
	status := schema.Types[schema.Types["Publication"].Fields.ForName("status").Type.NamedType]
	for name, value := range vars {
		input, _ := value.(map[string]any)
		if said, ok := input["status"].(string); ok && status.Kind == ast.Enum &&
			status.EnumValues.ForName(said) == nil {
			message := fmt.Sprintf(
				`Variable "$%s" got invalid value %q at "%s.status"; Value %q does not exist in %q enum.`, name, said,
				name, said, status.Name,
			)
			list = append(list, map[string]any{"message": message})
		}
	}
	if len(list) == 0 {
		return ""
	}
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// validating is a wire whose server refuses what does not fit the schema, and answers the rest with
// nothing in it.
func validating(schema *ast.Schema, introspection bool) *fakeWire {
	return &fakeWire{answer: func(_ int, s sent) (int, string) {
		if strings.Contains(s.Query, "__schema") {
			if !introspection {
				return 200, `{"errors":[{"message":"GraphQL introspection is not allowed, but the query contained __schema ` +
					`or __type"}]}`
			}
			return 200, data(string(introspect(schema)))
		}
		if complaints := check(schema, s.Query, s.Variables); complaints != "" {
			return 200, `{"errors":` + complaints + `,` + throttled(0, 0, 1000) + `}`
		}
		switch s.OperationName {
		case "Account":
			return 200, data(`{"account":{"name":"Retailer","slug":"retailer"}}`)
		case "List", "Listable":
			return 200, data(`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}}`)
		case "Look":
			if s.id() == "p2" {
				return 200, data(`{"publication":null}`)
			}
			return 200, data(`{"publication":{"updatedAt":"2026-01-01T00:00:00Z"}}`)
		case "Content":
			return 200, data(
				`{"publication":{"updatedAt":"u","listing":{"variants":{"pageInfo":{"hasNextPage":true,"endCursor":"v"}},` +
					`"images":{"pageInfo":{"hasNextPage":true,"endCursor":"i"}}}}}`,
			)
		case "MoreContent":
			return 200, data(
				`{"publication":{"updatedAt":"u","listing":{"variants":{"nodes":[]},"images":{"nodes":[]}}}}`,
			)
		case "Webhooks":
			if !strings.Contains(s.Query, "after:") {
				return 200, data(`{"webhooks":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":"w"}}}`)
			}
			return 200, data(
				`{"webhooks":{"edges":[{"node":{"id":7,` +
					`"callbackUrl":"https://shop.test/webhooks","events":["publication_created"],` +
					`"active":true}}],"pageInfo":{"hasNextPage":false}}}`,
			)
		case "RegisterWebhook":
			return 200, data(
				`{"webhookCreate":{"webhook":{"id":"1",` +
					`"callbackUrl":"https://shop.test/webhooks","events":["PUBLICATION_CREATED"],` +
					`"active":true},"userErrors":[]}}`,
			)
		case "Report":
			ok := `{"publication":{"status":"SUCCESS","updatedAt":"2026-01-01T00:00:00Z"},"userErrors":[]}`
			return 200, data(`{"publicationStatusUpdated":` + ok + `}`)
		default:
			return 200, `{"errors":[{"message":"Internal server error"}]}`
		}
	}}
}

// exercise sends every document there is.
func exercise(t *testing.T, c *Client, sorted bool) {
	t.Helper()
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := c.Account(ctx)
	must("account", err)
	for _, after := range []string{"", "cursor"} {
		_, err = c.List(ctx, Sweep, IDDesc, after)
		must("list", err)
		_, err = c.List(ctx, Sweep, UpdatedAtAsc, after)
		if sorted {
			must("list by updatedAt", err)
		} else if !errors.Is(err, ErrNotSorted) {
			t.Errorf("list by updatedAt on a server that does not sort so: %v", err)
		}
	}
	for _, detail := range []bool{false, true} {
		looks, err := c.Look(ctx, Sweep, []string{"p1", "p2", "p1"}, detail)
		must("look", err)
		if len(looks) != 2 || looks["p1"] == nil || looks["p1"].Err != nil || looks["p2"] != nil {
			t.Errorf("looks are %+v", looks)
		}
	}
	_, err = read1(t, c, 0)
	must("publication", err)
	hooks, err := c.Webhooks(ctx)
	must("webhooks", err)
	if len(hooks) != 1 || hooks[0].ID != "7" || hooks[0].Events[0] != "PUBLICATION_CREATED" {
		t.Errorf("webhooks are %+v", hooks)
	}
	_, err = c.RegisterWebhook(ctx, "https://shop.test/webhooks", []string{"PUBLICATION_CREATED"})
	must("register webhook", err)
	reports := []Report{{ID: "p1", Status: "success", URL: "https://shop.test/p1"}, {ID: "p2", Status: "failed"}}
	results, err := tell(ctx, c, reports...)
	must("report", err)
	for _, r := range results {
		must("report of "+r.ID, r.Err)
		if r.Status != "success" {
			t.Errorf("status %q is not in lower case, want %q", r.Status, "success")
		}
	}
	_, err = c.LookAndReport(ctx, Urgent, reports, every)
	must("settle", err)
}

// setting is what PUBSYNC_MARKETPLACE_FORMS says of c. That publications are not sorted is found out.
func (c choice) setting() string {
	said := "languages=en,nl"
	if c.languages != "" {
		said += ",de,fr"
	}
	if c.status == "UpperStatus" {
		said += " status=SUCCESS,FAILED"
	}
	if c.method == "String" {
		said += " method=String"
	}
	if c.connections == "edges" {
		said += " connections=edges"
	}
	return said
}

// TestEveryDocumentFitsEverySchema runs every method against a server of each combination of the
// open types, with introspection, and without where the setting says what they are.
func TestEveryDocumentFitsEverySchema(t *testing.T) {
	for _, c := range choices() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			schema := c.schema(t)
			synctest.Test(t, func(t *testing.T) {
				for _, introspection := range []bool{true, false} {
					said, err := ParseSaid(c.setting())
					if err != nil {
						t.Fatal(err)
					}
					w := validating(schema, introspection)
					client := New(
						Config{
							URL:       "https://market.test",
							Token:     token,
							Languages: []string{"en", "nl", "de", "fr", "it"},
							Forms:     said,
							Transport: w,
						},
					)
					exercise(t, client, c.sorted)
					forms, err := client.Probe(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					want := "en nl"
					if c.languages != "" {
						want = "en nl de fr"
					}
					if got := strings.Join(forms.Languages, " "); got != want {
						t.Errorf("languages %q, want %q", got, want)
					}
					if forms.Introspected != introspection || forms.Sorted != c.sorted || forms.Method != c.method {
						t.Errorf("forms are %v", forms)
					}
					if c.status == "UpperStatus" && (forms.Success != "SUCCESS" || forms.Failed != "FAILED") {
						t.Errorf("forms are %v", forms)
					}
					refused := int64(0)
					if !introspection {
						refused = 1 // the introspection
						if !c.sorted {
							refused++
						}
					}
					if stats := client.Stats(); stats.Errors != refused {
						t.Errorf("%d requests were refused, want %d", stats.Errors, refused)
					}
				}
			})
		})
	}
}

func TestInputTypesOfAnotherName(t *testing.T) {
	c := choice{
		id:          "ID",
		status:      "String",
		event:       "String",
		method:      "String",
		sorted:      true,
		connections: "both",
		inputs:      "My",
	}
	client := connect(t, validating(c.schema(t), true))
	exercise(t, client, true)
}

func TestProbeDocumentIsValid(t *testing.T) {
	schema := choice{id: "ID", status: "String", event: "String", method: "String", connections: "both"}.schema(t)
	if complaints := check(schema, probeDocument, nil); complaints != "" {
		t.Error(complaints)
	}
}
