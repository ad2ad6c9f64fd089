package shopify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The metafields in which the adapter keeps what it knows, all in this namespace. It is a plain
// one, not the app's reserved one: when the merchant replaces the app, the notes stay readable and
// nothing is made twice.
const (
	namespace  = "pubsync"
	idKey      = "publication" // of a product: the publication's key, of type id, by which it is found
	noteKey    = "stamp"       // of a product: what was last written
	variantKey = "variant"     // of a variant: the marketplace's variant id
)

// Page sizes. Shopify charges a connection for what it may hold before it is executed, so the first
// page is for the usual product.
const (
	firstVariants = 50
	moreVariants  = 200
	mostImages    = 50
)

// variableTypes are the types of all variables, by name.
var variableTypes = map[string]string{
	"id": "ID!", "ids": "[ID!]!", "identifier": "ProductIdentifierInput!", "channel": "ID!", "location": "ID!",
	"page": "Int!", "after": "String", "variants": "Int!", "images": "Int!",
	"definition": "MetafieldDefinitionInput!", "input": "ProductDeleteInput!", "update": "ProductUpdateInput!",
	"which": "ProductSetIdentifiers!", "set": "ProductSetInput!", "synchronous": "Boolean!",
	"resource": "ID!", "translations": "[TranslationInput!]!",
	"publishable": "ID!", "publications": "[PublicationInput!]!",
}

var variableName = regexp.MustCompile(`\$(\w+)`)

// document is one operation that asks for fields. It declares the variables that they use.
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

// connection is a field that holds pages of nodes.
func connection(field, arguments, fields string) string {
	return field + "(" + arguments + ") { nodes { " + fields + " } pageInfo { hasNextPage endCursor } }"
}

// The fields of a product: where it stands, its note, its texts.
const (
	pageFields = "id handle status title onlineStoreUrl onlineStorePreviewUrl"
	wordFields = pageFields + " descriptionHtml productType vendor tags"
	noteFields = ` publication: metafield(namespace: "pubsync", key: "publication") { value }` +
		` stamp: metafield(namespace: "pubsync", key: "stamp") { value }` +
		` publishedOnPublication(publicationId: $channel)`
)

// The fields of a variant: what it is, its details, and what a visitor sees of it.
const (
	variantFields = `id selectedOptions { name value } mark: metafield(namespace: "pubsync", key: "variant") { value }` +
		` publishedOnPublication(publicationId: $channel)`
	detailFields = ` barcode inventoryItem { countryCodeOfOrigin measurement { weight { value unit } } }`
	stockFields  = `id sku price compareAtPrice inventoryPolicy publishedOnPublication(publicationId: $channel)` +
		` inventoryItem { tracked` +
		` inventoryLevel(locationId: $location) { quantities(names: ["available"]) { quantity } } }`
)

var mediaField = " " + connection("media", "first: $images", "id status mediaErrors { code }")

// Where products are asked for, each with a place for their fields.
const (
	byKey = "product: productByIdentifier(identifier: $identifier) { %s }"
	byID  = "product(id: $id) { %s }"
	byIDs = "nodes(ids: $ids) { ... on Product { %s } }"
)

// byDefinition asks for pages of all products that carry a key.
var byDefinition = `metafieldDefinition(identifier: {ownerType: PRODUCT, namespace: "pubsync", key: "publication"})` +
	" { " + connection("metafields", "first: $page, after: $after", "owner { ... on Product { %s } }") + " }"

// A sight is what one request shows of a product.
type sight struct {
	name    string  // of the operation
	fields  string  // of the product itself
	variant string  // of each variant, "" for none
	page    int     // variants that it shows at most
	points  float64 // it may cost
}

func (s sight) document(at string) string {
	fields := s.fields
	if s.variant != "" {
		fields += " " + connection("variants", "first: $variants", s.variant)
	}
	return document("query", s.name, fmt.Sprintf(at, fields))
}

// variantPages asks for a page of a product's variants.
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

// The parts that a write is put together from, in the order in which they may follow one another.
// Shopify executes them in that order, and one that fails does not undo the others.
const (
	partUpdate = "update: productUpdate(product: $update)" +
		" { product { " + wordFields + " } userErrors { field message } }"
	partTranslate = "translate: translationsRegister(resourceId: $resource, translations: $translations)" +
		" { userErrors { code field message } }"
	partPublish = "publish: publishablePublish(id: $publishable, input: $publications)" +
		" { publishable { ... on Product { " + wordFields + " } } userErrors { field message } }"
)

// partSet is a productSet whose answer shows these fields of the product.
func partSet(fields string) string {
	return "set: productSet(identifier: $which, input: $set, synchronous: $synchronous)" +
		" { product { " + fields + " } productSetOperation { id } userErrors { code field message } }"
}

// translationFields are those of a product's texts in these languages.
func translationFields(locales []string, fields string) string {
	var b strings.Builder
	for _, locale := range locales {
		fmt.Fprintf(&b, " %s: translations(locale: %q) { %s }", alias(locale), locale, fields)
	}
	return b.String()
}

// alias is the name of a language's field in an answer.
func alias(locale string) string { return "in_" + strings.ReplaceAll(locale, "-", "_") }

// unaliased is the language whose field in an answer has a name. ok is false for any other name.
func unaliased(name string) (locale string, ok bool) {
	locale, ok = strings.CutPrefix(name, "in_")
	return strings.ReplaceAll(locale, "_", "-"), ok
}
