// The schema of that marketplace.

package main_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// bazaarSDL is the schema of a server that chose otherwise wherever the specification leaves a
// choice: identifiers are String, a status is an upper-case enum, amounts and times are scalars of
// their own, and a connection has edges or nodes, as it happens, not both.
const bazaarSDL = `
scalar Money
scalar DateTime
schema { query: Root mutation: Actions }
type Root {
  account: Account!
  webhooks(first: Int!, after: String): WebhookConnection!
  publication(id: String!): Publication
  publications(first: Int!, after: String, sort: PublicationSort): PublicationConnection!
}
type Actions {
  publicationStatusUpdated(input: StatusUpdate!): StatusUpdated
  webhookCreate(input: WebhookCreateInput!): WebhookCreated
}
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type UserError { field: [String!] message: String! }
enum AccountType { SUPPLIER RETAILER }
type Account { name: String type: AccountType slug: String }
type Webhook { id: String! callbackUrl: String! events: [Event!]! active: Boolean! }
enum Event { PUBLICATION_CREATED ORDER_CREATED }
type WebhookConnection { edges: [WebhookEdge!]! pageInfo: PageInfo! }
type WebhookEdge { node: Webhook! cursor: String }
input WebhookCreateInput { active: Boolean callbackUrl: String! events: [Event!]! template: String }
type WebhookCreated { webhook: Webhook userErrors: [UserError!]! }
enum PublicationSort { ID_DESC UPDATED_AT_ASC }
enum PublicationState { SYNCING SUCCESS FAILED PARKED }
type Publication {
  id: String! status: PublicationState! listing: Listing productUrl: String
  createdAt: DateTime! updatedAt: DateTime!
}
type PublicationConnection { edges: [PublicationEdge!]! pageInfo: PageInfo! }
type PublicationEdge { node: Publication! cursor: String }
input StatusUpdate { id: String! status: PublicationState! productUrl: String }
type StatusUpdated { publication: Publication userErrors: [UserError!]! }
type Listing {
  id: String! translations: Translations category: Category product: Product
  dropshippingShippingDetails: [Details!] dropshippingReturns: String
  variants(first: Int!, after: String): VariantConnection!
  images(first: Int!, after: String, sort: ImageSort): ImageConnection!
}
type Translations { nl: Translation en: Translation de: Translation }
type Translation { title: String description: String }
type Details { countryGroup: String fixedCosts: Money variableCosts: Money estimatedShippingDays: String }
enum Policy { CONTINUE DENY BACKORDER_LATER }
type Variant {
  id: String! title: String options: [Option!]! dropshippingPrice: Money msrp: Money
  sku: String ean: String inventoryQuantity: Int inventoryPolicy: Policy
}
type Option { name: String! value: String! }
type VariantConnection { edges: [VariantEdge!]! pageInfo: PageInfo! }
type VariantEdge { node: Variant! cursor: String }
type Product { id: String! title: String }
type Category { path: String! name: String depth: Int }
enum ImageSort { POSITION_ASC }
enum Method { FILL CROP }
type Image { originalUrl: String transformedUrl(width: Int, height: Int, method: Method): String }
type ImageConnection { nodes: [Image!]! pageInfo: PageInfo! }
`

// An object answers fields by their names: with a scalar, an object, a list of objects, nil, or a
// function of the arguments that returns one.
type object map[string]any

// introspection answers __schema.
func introspection(s *ast.Schema) object {
	types := make([]object, 0, len(s.Types))
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		types = append(types, typeObject(s, ast.NamedType(name, nil)))
	}
	return object{
		"queryType":        typeObject(s, ast.NamedType(s.Query.Name, nil)),
		"mutationType":     typeObject(s, ast.NamedType(s.Mutation.Name, nil)),
		"subscriptionType": nil, "types": types, "directives": []object{},
	}
}

func typeObject(s *ast.Schema, t *ast.Type) object {
	inner := *t
	switch {
	case t.NonNull:
		inner.NonNull = false
		return object{
			"kind":   "NON_NULL",
			"name":   nil,
			"ofType": func(map[string]any) any { return typeObject(s, &inner) },
		}
	case t.Elem != nil:
		return object{"kind": "LIST", "name": nil, "ofType": func(map[string]any) any { return typeObject(s, t.Elem) }}
	}
	def := s.Types[t.NamedType]
	o := object{
		"kind":          string(def.Kind),
		"name":          def.Name,
		"ofType":        nil,
		"fields":        nil,
		"enumValues":    nil,
		"inputFields":   nil,
		"possibleTypes": nil,
	}
	switch def.Kind {
	case ast.Object:
		o["fields"] = func(map[string]any) any { return fieldObjects(s, def.Fields) }
	case ast.InputObject:
		o["inputFields"] = func(map[string]any) any { return fieldObjects(s, def.Fields) }
	case ast.Enum:
		var values []object
		for _, v := range def.EnumValues {
			values = append(values, object{"name": v.Name, "isDeprecated": false})
		}
		o["enumValues"] = values
	}
	return o
}

func fieldObjects(s *ast.Schema, fields ast.FieldList) []object {
	out := []object{}
	for _, f := range fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		args := []object{}
		for _, a := range f.Arguments {
			args = append(args, object{"name": a.Name, "type": typeObject(s, a.Type), "defaultValue": nil})
		}
		out = append(
			out,
			object{
				"name":         f.Name,
				"args":         args,
				"type":         typeObject(s, f.Type),
				"isDeprecated": false,
				"defaultValue": nil,
			},
		)
	}
	return out
}
