package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// The usual introspection query, as the common clients send it.
const introspection = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types { ...FullType }
    directives { name description isRepeatable locations args { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL
  fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef }
    isDeprecated deprecationReason }
  inputFields { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } }`

type introspected struct {
	Schema struct {
		QueryType, MutationType, SubscriptionType *struct{ Name string }
		Types                                     []introspectedType
		Directives                                []struct {
			Name      string
			Locations []string
		}
	} `json:"__schema"`
}

type introspectedType struct {
	Kind, Name string
	Fields     []introspectedField
	InputFields,
	EnumValues []introspectedField
	PossibleTypes []typeRef
}

type introspectedField struct {
	Name string
	Args []struct {
		Name string
		Type typeRef
	}
	Type typeRef
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

func (r typeRef) String() string {
	switch r.Kind {
	case "NON_NULL":
		return r.OfType.String() + "!"
	case "LIST":
		return "[" + r.OfType.String() + "]"
	default:
		return r.Name
	}
}

func (i introspected) named(t *testing.T, name string) introspectedType {
	t.Helper()
	for _, typ := range i.Schema.Types {
		if typ.Name == name {
			return typ
		}
	}
	t.Fatalf("got no type %s, want one", name)
	return introspectedType{}
}

// field is the type of a field or an input field, "-" where there is none.
func (i introspected) field(t *testing.T, typ, name string) string {
	t.Helper()
	def := i.named(t, typ)
	for _, f := range slices.Concat(def.Fields, def.InputFields) {
		if f.Name == name {
			return f.Type.String()
		}
	}
	return "-"
}

// values are those of an enum.
func (i introspected) values(t *testing.T, name string) string {
	t.Helper()
	var names []string
	for _, v := range i.named(t, name).EnumValues {
		names = append(names, v.Name)
	}
	return strings.Join(names, " ")
}

func TestIntrospection(t *testing.T) {
	m := newTest(t, Options{})
	i := into[introspected](t, m, introspection, nil)
	switch {
	case i.Schema.QueryType.Name != "Query":
		t.Errorf("root types are %+v; i.Schema.QueryType.Name: got %q, want %q", i.Schema, i.Schema.QueryType.Name, "Query")
	case i.Schema.MutationType.Name != "Mutation":
		t.Errorf(
			"root types are %+v; i.Schema.MutationType.Name: got %q, want %q", i.Schema, i.Schema.MutationType.Name,
			"Mutation",
		)
	case i.Schema.SubscriptionType != nil:
		t.Errorf("root types are %+v; i.Schema.SubscriptionType: got %v, want nil", i.Schema, i.Schema.SubscriptionType)
	}
	if got := i.field(t, "Query", "publications"); got != "PublicationConnection!" {
		t.Errorf("publications is %s, want %q", got, "PublicationConnection!")
	}
	if got := i.field(t, "Query", "__schema"); got != "-" {
		t.Errorf("__schema shows among the fields of Query; got: got %q, want %q", got, "-")
	}
	if got := i.field(t, "PublicationConnection", "nodes"); got != "[Publication!]!" {
		t.Errorf("nodes is %s, want %q", got, "[Publication!]!")
	}
	if got := i.field(t, "WebhookCreateInput", "events"); got != "[String!]!" {
		t.Errorf("events is %s, want %q", got, "[String!]!")
	}
	if !slices.ContainsFunc(i.Schema.Directives, func(d struct {
		Name      string
		Locations []string
	},
	) bool {
		return d.Name == "include" && slices.Contains(d.Locations, "FIELD")
	}) {
		t.Error("got no directive include on FIELD, want one")
	}
	args := i.named(t, "Query").Fields[slices.IndexFunc(i.named(t, "Query").Fields, func(f introspectedField) bool {
		return f.Name == "publications"
	})].Args
	switch {
	case len(args) != 3:
		t.Errorf("publications takes %+v; len(args): got %v, want %v", args, len(args), 3)
	case args[0].Name != "first":
		t.Errorf("publications takes %+v; args[0].Name: got %q, want %q", args, args[0].Name, "first")
	case args[0].Type.String() != "Int!":
		t.Errorf("publications takes %+v; args[0].Type.String(): got %q, want %q", args, args[0].Type.String(), "Int!")
	case args[2].Type.String() != "PublicationSort":
		t.Errorf(
			"publications takes %+v; args[2].Type.String(): got %q, want %q", args, args[2].Type.String(),
			"PublicationSort",
		)
	}
	if got := ask(
		t, m,
		`{ __type(name: "PublicationSort") { kind name enumValues { name } fields { name } } none: __type(name: `+
			`"Nothing") { name } }`,
		nil,
	); got !=
		`{"__type":{"kind":"ENUM","name":"PublicationSort","enumValues":[{"name":"ID_DESC"},{"name":"UPDATED_AT_ASC"}],`+
			`"fields":null},"none":null}` {
		t.Errorf("got %s of __type, want the enum with two values", got)
	}
}

func TestIntrospectionSwitchedOff(t *testing.T) {
	m := newTest(t, Options{NoIntrospection: true})
	for _, query := range []string{
		introspection, `{ __type(name: "Query") { name } }`,
		`{ account { slug } ...f } fragment f on Query { __schema { queryType { name } } }`,
	} {
		switch e := post(t, m, query, nil); {
		case !strings.Contains(e.messages(), "Introspection is switched off"):
			t.Errorf("got %s, want a refusal of introspection", e.body)
		case e.Data != nil:
			t.Errorf("answered %s; e.Data: got %v, want nil", e.body, e.Data)
		}
	}
	if got := ask(t, m, `{ __typename }`, nil); got != `{"__typename":"Query"}` {
		t.Errorf("__typename answers %s, want %q", got, `{"__typename":"Query"}`)
	}
}

func TestOpenTypes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  Options
		typ   string
		field string // of the type; empty: the values of the enum
		want  string
	}{
		{"ids by default", Options{}, "Publication", "id", "ID!"},
		{"ids as strings", Options{StringIDs: true}, "Publication", "id", "String!"},
		{"reported ids as strings", Options{StringIDs: true}, "PublicationStatusUpdatedInput", "id", "String!"},
		{"status by default", Options{}, "Publication", "status", "String!"},
		{"reported status by default", Options{}, "PublicationStatusUpdatedInput", "status", "String!"},
		{"status as enum", Options{Status: StatusEnum}, "Publication", "status", "PublicationStatus!"},
		{"its values", Options{Status: StatusEnum}, "PublicationStatus", "", "syncing success failed"},
		{"its values in upper case", Options{Status: StatusEnumUpper}, "PublicationStatus", "", "SYNCING SUCCESS " +
			"FAILED"},
		{
			"its values with one more",
			Options{Status: StatusEnumUpper, ExtraStatus: "archived"},
			"PublicationStatus", "",
			"SYNCING SUCCESS FAILED ARCHIVED",
		},
		{
			"reported values",
			Options{Status: StatusEnum, ExtraStatus: "archived"},
			"PublicationStatusReport", "",
			"success failed",
		},
		{"sorts by default", Options{}, "PublicationSort", "", "ID_DESC UPDATED_AT_ASC"},
		{"sorts without updatedAt", Options{NoUpdatedAtSort: true}, "PublicationSort", "", "ID_DESC"},
		{"returns by default", Options{}, "Listing", "dropshippingReturns", "Boolean"},
		{"returns as text", Options{StringReturns: true}, "Listing", "dropshippingReturns", "String"},
		{"days by default", Options{}, "DropshippingShippingDetail", "estimatedShippingDays", "Int"},
		{"days as text", Options{StringShippingDays: true}, "DropshippingShippingDetail", "estimatedShippingDays", "String"},
		{"policy by default", Options{}, "ListingVariant", "inventoryPolicy", "String"},
		{"policy as enum", Options{EnumPolicy: true}, "ListingVariant", "inventoryPolicy", "InventoryPolicy"},
		{"events by default", Options{}, "Webhook", "events", "[String!]!"},
		{"events as enum", Options{EnumEvents: true}, "WebhookCreateInput", "events", "[WebhookEvent!]!"},
		{"account type by default", Options{}, "Account", "type", "String"},
		{"account type as enum", Options{EnumAccountType: true}, "Account", "type", "AccountType"},
		{"listing by default", Options{}, "Publication", "listing", "Listing"},
		{"listing required", Options{ListingRequired: true}, "Publication", "listing", "Listing!"},
		{"shipping by default", Options{}, "Listing", "dropshippingShippingDetails", "[DropshippingShippingDetail!]"},
		{"one shipping", Options{OneShipping: true}, "Listing", "dropshippingShippingDetails", "DropshippingShippingDetail"},
		{"publication by default", Options{}, "Query", "publication", "Publication"},
		{"publication whole", Options{Gone: GoneWhole}, "Query", "publication", "Publication!"},
		{"a report's errors by default", Options{}, "PublicationStatusUpdatedPayload", "userErrors", "[UserError!]!"},
		{"no errors of a report", Options{NoUserErrors: true}, "PublicationStatusUpdatedPayload", "userErrors", "-"},
		{"still those of a webhook", Options{NoUserErrors: true}, "WebhookCreatePayload", "userErrors", "[UserError!]!"},
		{"channels by default", Options{}, "Query", "channels", "ChannelConnection!"},
		{"no channels", Options{Without: []string{"channels"}}, "Query", "channels", "-"},
		{"no categories", Options{Without: []string{"categories"}}, "Query", "categories", "-"},
		{"no German by default", Options{}, "Translations", "de", "-"},
		{"German", Options{ExtraLanguages: []string{"de", "fr"}}, "Translations", "fr", "Translation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := into[introspected](t, newTest(t, tt.opts), introspection, nil)
			got := i.values(t, tt.typ)
			if tt.field != "" {
				got = i.field(t, tt.typ, tt.field)
			}
			if got != tt.want {
				t.Errorf("%s.%s is %s, want %s", tt.typ, tt.field, got, tt.want)
			}
		})
	}
}

// A switch that changes the schema changes the values too.
func TestOpenValues(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		opts        Options
		want        string
	}{
		{
			"status in lower case", `{ publication(id: "a") { status } }`,
			Options{Status: StatusEnum},
			`{"publication":{"status":"syncing"}}`,
		},
		{
			"status in upper case", `{ publication(id: "a") { status } }`,
			Options{Status: StatusEnumUpper},
			`{"publication":{"status":"SYNCING"}}`,
		},
		{
			"returns", `{ publication(id: "a") { listing { dropshippingReturns } } }`,
			Options{},
			`{"publication":{"listing":{"dropshippingReturns":true}}}`,
		},
		{
			"returns as text", `{ publication(id: "a") { listing { dropshippingReturns } } }`,
			Options{StringReturns: true},
			`{"publication":{"listing":{"dropshippingReturns":"true"}}}`,
		},
		{
			"days", `{ publication(id: "a") { listing { dropshippingShippingDetails { estimatedShippingDays } } } }`,
			Options{},
			`{"publication":{"listing":{"dropshippingShippingDetails":[{"estimatedShippingDays":3},` +
				`{"estimatedShippingDays":null}]}}}`,
		},
		{
			"days as text", `{ publication(id: "a") { listing { dropshippingShippingDetails { estimatedShippingDays } } } }`,
			Options{StringShippingDays: true},
			`{"publication":{"listing":{"dropshippingShippingDetails":[{"estimatedShippingDays":"3"},` +
				`{"estimatedShippingDays":null}]}}}`,
		},
		{
			"method as text", `{ publication(id: "a") { listing { images(first: 1) { nodes { transformedUrl(width: 9, ` +
				`method: "FILL") } } } } }`,
			Options{StringImageMethod: true, BaseURL: "https://m.example/"},
			`{"publication":{"listing":{"images":{"nodes":[` +
				`{"transformedUrl":"https://m.example/images/l-1.png?method=fill&width=9"}]}}}}`,
		},
		{
			"ids as strings", `query($id: String!) { publication(id: $id) { id } }`,
			Options{StringIDs: true},
			`{"publication":{"id":"a"}}`,
		},
		{
			"German", `{ publication(id: "a") { listing { translations { de { title } fr { title } } } } }`,
			Options{ExtraLanguages: []string{"de", "fr"}},
			`{"publication":{"listing":{"translations":{"de":{"title":"Topf"},"fr":null}}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest(t, tt.opts)
			m.Add(Publication{ID: "a", Listing: &Listing{
				ID: "l", Returns: "true", Shipping: []Shipping{{Days: 3}, {}}, Pictures: pictures(1, Disc, "336699"),
				Texts: map[string]Text{"de": {Title: "Topf"}},
			}})
			if got := ask(t, m, tt.query, map[string]any{"id": "a"}); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestStatusBeyondTheKnown(t *testing.T) {
	m := newTest(t, Options{Status: StatusEnum, ExtraStatus: "archived"})
	m.Add(simple("a"))
	if err := m.SetStatus("a", "archived"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, m, `{ publication(id: "a") { status } }`, nil); got != `{"publication":{"status":"archived"}}` {
		t.Errorf("answered %s, want %q", got, `{"publication":{"status":"archived"}}`)
	}
}

// A client's own queries can be checked against the schema that is handed out.
func TestSDL(t *testing.T) {
	for _, opts := range []Options{
		{},
		{StringIDs: true, Status: StatusEnumUpper, StringImageMethod: true, EnumEvents: true, ExtraLanguages: []string{"de"}},
	} {
		m := newTest(t, opts)
		schema, err := gqlparser.LoadSchema(&ast.Source{Input: m.SDL()})
		if err != nil {
			t.Fatal(err)
		}
		document := everything
		if opts.StringImageMethod {
			document = strings.NewReplacer("method: CROP", `method: "CROP"`, "method: FILL", `method: "FILL"`).
				Replace(document)
		}
		if _, errs := gqlparser.LoadQueryWithRules(schema, document, nil); errs != nil {
			t.Error(errs)
		}
	}
}

// Documents and variables that a real server refuses are refused, in its words as far as there are
// usual ones.
func TestStrictness(t *testing.T) {
	const report = `mutation($i: PublicationStatusUpdatedInput!) { publicationStatusUpdated(input: $i) { userErrors ` +
		`{ message } } }`
	const create = `mutation($i: WebhookCreateInput!) { webhookCreate(input: $i) { userErrors { message } } }`
	const first = `query($n: Int!) { publications(first: $n) { nodes { id } } }`
	for _, tt := range []struct {
		name, query string
		vars        map[string]any
		opts        Options
		want        string
	}{
		{name: "not a document", query: `{ account { slug }`, want: "Expected Name, found <EOF>"},
		{name: "no operation", query: `fragment f on Account { slug }`, want: "Must provide an operation."},
		{name: "nothing", query: " ", want: "No query string was present."},
		{
			name: "unknown field", query: `{ publication(id: "a") { title } }`,
			want: `Cannot query field "title" on type "Publication".`,
		},
		{
			name: "no first", query: `{ publications { nodes { id } } }`,
			want: `Field "publications" argument "first" of type "Int!" is required`,
		},
		{
			name: "no first, nested", query: `{ publication(id: "a") { listing { variants { nodes { id } } } } }`,
			want: `argument "first" of type "Int!" is required`,
		},
		{
			name: "no first, images", query: `{ publication(id: "a") { listing { images { nodes { originalUrl } } } } }`,
			want: `argument "first" of type "Int!" is required`,
		},
		{
			name: "first is null", query: `{ publications(first: null) { nodes { id } } }`,
			want: `Expected value of type "Int!", found null`,
		},
		{
			name: "first is text", query: `{ publications(first: "2") { nodes { id } } }`,
			want: `Int cannot represent non-integer value: "2"`,
		},
		{name: "first is negative", query: `{ publications(first: -1) { nodes { id } } }`, want: "first must not be " +
			"negative"},
		{
			name: "first is beyond reading", query: `{ publications(first: 99999999999999999999) { nodes { id } } }`,
			want: "non 32-bit signed integer",
		},
		{
			name: "unknown argument", query: `{ publications(first: 1, status: "failed") { nodes { id } } }`,
			want: `Unknown argument "status"`,
		},
		{
			name: "unknown sort", query: `{ publications(first: 1, sort: UPDATED_AT_ASC) { nodes { id } } }`, opts: Options{
				NoUpdatedAtSort: true,
			},
			want: `Value "UPDATED_AT_ASC" does not exist in "PublicationSort" enum.`,
		},
		{
			name: "an object without fields", query: `{ account }`,
			want: `Field "account" of type "Account!" must have a selection of subfields.`,
		},
		{name: "a scalar with fields", query: `{ account { slug { x } } }`, want: `must not have a selection`},
		{
			name: "a variable of another type", query: `query($id: String!) { ` +
				`publication(id: $id) { id } }`, vars: map[string]any{
				"id": "a",
			},
			want: `Variable "$id" of type "String!" used in position expecting type "ID!".`,
		},
		{
			name: "ID where ids are strings", query: `query($id: ID!) { publication(id: $id) { id } }`,
			vars: map[string]any{"id": "a"}, opts: Options{StringIDs: true},
			want: `Variable "$id" of type "ID!" used in position expecting type "String!".`,
		},
		{
			name: "enum method where it is text", opts: Options{StringImageMethod: true},
			query: `{ publication(id: "a") { listing { images(first: 1) { nodes { transformedUrl(method: FILL) } } } } }`,
			want:  "String cannot represent a non string value: FILL",
		},
		{
			name: "text method where it is an enum", query: `{ publication(id: "a") { listing { images(first: 1) { nodes ` +
				`{ transformedUrl(method: "FILL") } } } } }`,
			want: `Enum "ImageMethod" cannot represent non-enum value: "FILL"`,
		},
		{name: "a variable not given", query: first, want: `Variable "$n" of required type "Int!" was not provided.`},
		{
			name: "a null for a non-null", query: first, vars: map[string]any{"n": nil},
			want: `Expected non-nullable type "Int!" not to be null.`,
		},
		{
			name: "text for an Int", query: first, vars: map[string]any{"n": "20"},
			want: `Variable "$n" got invalid value "20"; Int cannot represent non-integer value: "20"`,
		},
		{
			name: "a null in place of a default", query: `query($n: Int = 5) { ` +
				`publications(first: $n) { nodes { id } } }`, vars: map[string]any{
				"n": nil,
			},
			want: `argument "first" must not be null`,
		},
		{name: "a fraction for an Int", query: first, vars: map[string]any{"n": 2.5}, want: "Int cannot represent " +
			"non-integer value: 2.5"},
		{name: "too large an Int", query: first, vars: map[string]any{"n": 1 << 40}, want: "non 32-bit signed integer"},
		{
			name: "a number for a String", query: `query($a: String) { publications(first: 1, after: $a) { nodes { id } }
				}`, vars: map[string]any{
				"a": 3,
			},
			want: "String cannot represent a non string value: 3",
		},
		{
			name: "a fraction for an ID", query: `query($a: ID!) { publication(id: $a) { id } }`, vars: map[string]any{"a": 3.5},
			want: "ID cannot represent value: 3.5",
		},
		{
			name: "text for a Boolean", query: `query($a: Boolean!) { account { slug @include(if: $a) } }`, vars: map[string]any{
				"a": "true",
			},
			want: `Boolean cannot represent a non boolean value: "true"`,
		},
		{
			name: "an enum in other case", query: `query($s: PublicationSort) { publications(first: 1, sort: $s) { nodes ` +
				`{ id } } }`,
			vars: map[string]any{"s": "id_desc"},
			want: `Value "id_desc" does not exist in "PublicationSort" enum.`,
		},
		{
			name: "a number for an enum", query: `query($s: PublicationSort) { ` +
				`publications(first: 1, sort: $s) { nodes { id } } }`,
			vars: map[string]any{"s": 1},
			want: `Enum "PublicationSort" cannot represent non-string value: 1.`,
		},
		{
			name: "an input that is no object", query: report, vars: map[string]any{"i": "a"},
			want: `Expected type "PublicationStatusUpdatedInput" to be an object.`,
		},
		{
			name: "an input field too many", query: report, vars: map[string]any{
				"i": map[string]any{"id": "a", "status": "success", "url": "x"},
			},
			want: `Field "url" is not defined by type "PublicationStatusUpdatedInput".`,
		},
		{
			name: "an input field missing", query: report, vars: map[string]any{"i": map[string]any{"id": "a"}},
			want: `Field "status" of required type "String!" was not provided.`,
		},
		{
			name: "a null in an input", query: report, vars: map[string]any{"i": map[string]any{"id": "a", "status": nil}},
			want: `got invalid value null at "i.status"`,
		},
		{
			name: "a status that cannot be reported", query: report,
			vars: map[string]any{"i": map[string]any{"id": "a", "status": "syncing"}}, opts: Options{Status: StatusEnum},
			want: `Value "syncing" does not exist in "PublicationStatusReport" enum.`,
		},
		{
			name: "a null in a list", query: create, vars: map[string]any{
				"i": map[string]any{"callbackUrl": "https://a.example", "events": []any{nil}},
			},
			want: `got invalid value null at "i.events[0]"`,
		},
		{
			name: "an event that is none", query: create,
			vars: map[string]any{"i": map[string]any{"callbackUrl": "https://a.example", "events": []any{"NEWS"}}},
			opts: Options{EnumEvents: true}, want: `Value "NEWS" does not exist in "WebhookEvent" enum.`,
		},
		{name: "a fragment on another type", query: `{ account { ...f } } fragment f on Channel { id }`, want: "can " +
			"never be of type"},
		{
			name: "a fragment that is not used", query: `{ account { slug } } fragment f on Channel { id }`,
			want: `Fragment "f" is never used.`,
		},
		{
			name: "a fragment within itself", query: `{ account { ...f } } fragment f on Account { ...f }`,
			want: "Cannot spread fragment",
		},
		{
			name: "a variable that is not used", query: `query($x: Int) { account { slug } }`,
			want: `Variable "$x" is never used`,
		},
		{name: "two fields under one name", query: `{ publication(id: "a") { x: id x: status } }`, want: "conflict"},
		{name: "a subscription", query: `subscription { account { slug } }`, want: "Schema does not support " +
			"operation type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := post(t, newTest(t, tt.opts), tt.query, tt.vars)
			switch {
			case e.status != http.StatusOK:
				t.Errorf("answered %d %s\nwant %s; e.status: got %v, want %v", e.status, e.body, tt.want, e.status, http.StatusOK)
			case !strings.Contains(e.messages(), tt.want):
				t.Errorf(
					"answered %d %s\nwant %s; strings.Contains(e.messages(), tt.want): got false, want true", e.status, e.body,
					tt.want,
				)
			}
			if e.Data != nil && string(e.Data) != "null" {
				t.Errorf("got data %s, want none", e.Data)
			}
			switch {
			case e.Extends.Throttle == nil:
				t.Errorf("throttle is %+v, want a full bucket; e.Extends.Throttle: got nil, want a value", e.Extends.Throttle)
			case e.Extends.Throttle.ActualCost != 0:
				t.Errorf(
					"throttle is %+v, want a full bucket; e.Extends.Throttle.ActualCost: got %v, want %v", e.Extends.Throttle,
					e.Extends.Throttle.ActualCost, 0,
				)
			case e.Extends.Throttle.Remaining != 1000:
				t.Errorf(
					"throttle is %+v, want a full bucket; e.Extends.Throttle.Remaining: got %v, want %v", e.Extends.Throttle,
					e.Extends.Throttle.Remaining, 1000,
				)
			}
		})
	}
}

func TestErrorStatus(t *testing.T) {
	m := newTest(t, Options{RequestErrorStatus: http.StatusBadRequest})
	switch e := post(t, m, `{ nothing }`, nil); {
	case e.status != http.StatusBadRequest:
		t.Errorf(
			"an unknown field answers %d %s; e.status: got %v, want %v", e.status, e.body, e.status, http.StatusBadRequest,
		)
	case len(e.Errors) != 1:
		t.Errorf("an unknown field answers %d %s; len(e.Errors): got %v, want %v", e.status, e.body, len(e.Errors), 1)
	case e.Errors[0].Locations[0].Column != 3:
		t.Errorf(
			"an unknown field answers %d %s; e.Errors[0].Locations[0].Column: got %v, want %v", e.status, e.body,
			e.Errors[0].Locations[0].Column, 3,
		)
	}
	switch e := post(t, m, `{ publications(first: 1, after: "x") { nodes { id } } }`, nil); {
	case e.status != http.StatusOK:
		t.Errorf(
			"an error while answering answers %d %s; e.status: got %v, want %v", e.status, e.body, e.status, http.StatusOK,
		)
	case len(e.Errors) != 1:
		t.Errorf("an error while answering answers %d %s; len(e.Errors): got %v, want %v", e.status, e.body, len(e.Errors), 1)
	}
}

func TestAnExplicitNullMayEmptyAList(t *testing.T) {
	m := newTest(t, Options{NullIsEmpty: true})
	m.Add(simple("a"))
	for _, tt := range []struct {
		name, query string
		vars        map[string]any
		want        string
	}{
		{"a literal", `{ publications(first: 1, after: null) { nodes { id } } }`, nil, `{"publications":{"nodes":[]}}`},
		{
			"a variable", `query($s: PublicationSort) { publications(first: 1, sort: $s) { nodes { id } } }`,
			map[string]any{"s": nil},
			`{"publications":{"nodes":[]}}`,
		},
		{
			"a variable left out", `query($s: PublicationSort) { publications(first: 1, sort: $s) { nodes { id } } }`, nil,
			`{"publications":{"nodes":[{"id":"a"}]}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ask(t, m, tt.query, tt.vars); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A document that doubles with each of its fragments neither hangs nor grows without bound.
func TestDocumentsThatGrow(t *testing.T) {
	m := newTest(t, Options{Limit: 1 << 30})
	m.Add(simple("a"))
	var b strings.Builder
	b.WriteString(`{ publication(id: "a") { ...f0 } }`)
	for i := range 40 {
		next := "id"
		if i < 39 {
			next = "...f" + string(rune('a'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		}
		name := "f" + string(rune('a'+i/10)) + string(rune('0'+i%10))
		b.WriteString(" fragment " + name + " on Publication { " + next + " " + next + " }")
	}
	query := strings.Replace(b.String(), "...f0 }", "...fa0 }", 1)
	if got := ask(t, m, query, nil); got != `{"publication":{"id":"a"}}` {
		t.Errorf("answered %s, want %q", got, `{"publication":{"id":"a"}}`)
	}
	b.Reset()
	b.WriteString("{")
	for i := range 250 {
		fmt.Fprintf(&b, ` a%d: publication(id: "a") { ...f }`, i)
	}
	b.WriteString(" } fragment f on Publication {")
	for i := range 100 {
		fmt.Fprintf(&b, " b%d: id", i)
	}
	if e := post(t, m, b.String()+" }", nil); !strings.Contains(e.messages(), "selects more than 20000 fields") {
		t.Errorf("a document of 25250 fields: got %.200s, want a refusal", e.body)
	}
	if e := post(t, m, "{ account { "+strings.Repeat("slug ", maxTokens)+"} }", nil); !strings.Contains(
		e.messages(), "exceeded token limit",
	) {
		t.Errorf("a document of too many tokens: got %.200s, want a refusal", e.body)
	}
}
