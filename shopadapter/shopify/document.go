package shopify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The namespace is not the app's reserved one: notes stay readable when the merchant replaces the app.
const (
	namespace  = "pubsync"
	idKey      = "publication" // of a product: its key, of type id
	noteKey    = "stamp"       // of a product: the note
	variantKey = "variant"     // of a variant: the marketplace's id
)

// Shopify charges in advance for what a connection may hold, so the first page suits the usual product.
const (
	firstVariants = 50
	moreVariants  = 200
	mostImages    = 50
)

var variableTypes = map[string]string{
	"id": "ID!", "ids": "[ID!]!", "identifier": "ProductIdentifierInput!", "channel": "ID!", "location": "ID!",
	"page": "Int!", "after": "String", "variants": "Int!", "images": "Int!",
	"definition": "MetafieldDefinitionInput!", "input": "ProductDeleteInput!", "update": "ProductUpdateInput!",
	"which": "ProductSetIdentifiers!", "set": "ProductSetInput!", "synchronous": "Boolean!",
	"resource": "ID!", "translations": "[TranslationInput!]!",
	"publishable": "ID!", "publications": "[PublicationInput!]!",
}

var variableName = regexp.MustCompile(`\$(\w+)`)

// document declares the variables that the fields use.
func document(kind, name string, fields ...string) string {
	text := strings.Join(fields, "\n  ")
	var declared []string
	for _, found := range variableName.FindAllStringSubmatch(text, -1) {
		one := found[0] + ": " + variableTypes[found[1]]
		if !slices.Contains(declared, one) {
			declared = append(declared, one)
		}
	}
	if len(declared) > 0 {
		name += "(" + strings.Join(declared, ", ") + ")"
	}
	return kind + " " + name + " {\n  " + text + "\n}"
}

func connection(field, arguments, fields string) string {
	return field + "(" + arguments + ") { nodes { " + fields + " } pageInfo { hasNextPage endCursor } }"
}

const (
	pageFields = "id handle status title onlineStoreUrl onlineStorePreviewUrl"
	wordFields = pageFields + " descriptionHtml productType vendor tags"
	noteFields = ` publication: metafield(namespace: "pubsync", key: "publication") { value }` +
		` stamp: metafield(namespace: "pubsync", key: "stamp") { value }` +
		` publishedOnPublication(publicationId: $channel)`
)

// stockFields are what a visitor sees of a variant.
const (
	variantFields = `id selectedOptions { name value } mark: metafield(namespace: "pubsync", key: "variant") { value }` +
		` publishedOnPublication(publicationId: $channel)`
	detailFields = ` barcode inventoryItem { countryCodeOfOrigin measurement { weight { value unit } } }`
	stockFields  = `id sku price compareAtPrice inventoryPolicy publishedOnPublication(publicationId: $channel)` +
		` inventoryItem { tracked` +
		` inventoryLevel(locationId: $location) { quantities(names: ["available"]) { quantity } } }`
)

var mediaField = " " + connection("media", "first: $images", "id status mediaErrors { code }")

// Queries for products, each with a place for their fields.
const (
	byKey = "product: productByIdentifier(identifier: $identifier) { %s }"
	byID  = "product(id: $id) { %s }"
	byIDs = "nodes(ids: $ids) { ... on Product { %s } }"
)

// byDefinition pages through all products with a key.
var byDefinition = `metafieldDefinition(identifier: {ownerType: PRODUCT, namespace: "pubsync", key: "publication"})` +
	" { " + connection("metafields", "first: $page, after: $after", "owner { ... on Product { %s } }") + " }"

// A sight says what one request shows of a product.
type sight struct {
	name    string
	fields  string
	variant string  // fields of each variant, "" for none
	page    int     // most variants
	points  float64 // at most
}

func (s sight) document(at string) string {
	fields := s.fields
	if s.variant != "" {
		fields += " " + connection("variants", "first: $variants", s.variant)
	}
	return document("query", s.name, fmt.Sprintf(at, fields))
}

func variantPages(name, fields string) string {
	return document("query", name, fmt.Sprintf(byID, connection("variants", "first: $variants, after: $after", fields)))
}

var (
	shopDocument = document("query", "Shop",
		"currentAppInstallation { accessScopes { handle } }",
		"shop { name currencyCode taxesIncluded }",
		"location { id name }",
		connection("locations", "first: 100", "id name"),
		connection("publications", "first: 25, catalogType: APP",
			"id name catalog { title ... on AppCatalog { apps(first: 1) { nodes { handle title } } } }"))
	localesDocument = document("query", "Locales", "shopLocales { locale primary }")
	defineDocument  = document("mutation", "Define",
		"metafieldDefinitionCreate(definition: $definition) { userErrors { code field message } }")
	mediaDocument     = document("query", "Media", fmt.Sprintf(byID, mediaField))
	operationDocument = document("query", "Operation", "productOperation(id: $id) { status "+
		"... on ProductSetOperation { product { id } userErrors { code field message } } }")
	deleteDocument = document("mutation", "Delete",
		"productDelete(input: $input) { deletedProductId userErrors { field message } }")
)

// The parts of a write, in their only valid order. Shopify executes them in order, and does not undo them when one
// fails.
const (
	partUpdate = "update: productUpdate(product: $update)" +
		" { product { " + wordFields + " } userErrors { field message } }"
	partTranslate = "translate: translationsRegister(resourceId: $resource, translations: $translations)" +
		" { userErrors { code field message } }"
	partPublish = "publish: publishablePublish(id: $publishable, input: $publications)" +
		" { publishable { ... on Product { " + wordFields + " } } userErrors { field message } }"
)

func partSet(fields string) string {
	return "set: productSet(identifier: $which, input: $set, synchronous: $synchronous)" +
		" { product { " + fields + " } productSetOperation { id } userErrors { code field message } }"
}

func translationFields(locales []string, fields string) string {
	var b strings.Builder
	for _, locale := range locales {
		fmt.Fprintf(&b, " %s: translations(locale: %q) { %s }", alias(locale), locale, fields)
	}
	return b.String()
}

// alias is the name of a language's field in an answer.
func alias(locale string) string { return "in_" + strings.ReplaceAll(locale, "-", "_") }

func unaliased(name string) (locale string, ok bool) {
	locale, ok = strings.CutPrefix(name, "in_")
	return strings.ReplaceAll(locale, "_", "-"), ok
}
