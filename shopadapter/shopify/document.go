package shopify

import "strings"

// The metafields in which the adapter keeps what it knows, all in this namespace. It is a plain
// one, not the app's reserved one: when the merchant replaces the app, the stamps stay readable and
// nothing is made twice.
const (
	namespace  = "pubsync"
	idKey      = "publication" // of a product: the publication's key, of type id, by which it is found
	stampKey   = "stamp"       // of a product: what was last written
	variantKey = "variant"     // of a variant: the marketplace's variant id
)

// Page sizes. Shopify charges a connection for what it may hold before it is executed, so the first
// page is for the usual product.
const (
	firstVariants = 50
	moreVariants  = 200
	mostImages    = 100
)

const variantFragment = `fragment variant on ProductVariant {
  id
  selectedOptions { name value }
  mark: metafield(namespace: "pubsync", key: "variant") { value }
}`

// closely is a document that asks for variants, with their details.
func closely(document string) string {
	return strings.Replace(document, variantFragment, strings.TrimSuffix(variantFragment, "}")+detailFields+"\n}", 1)
}

const detailFields = `  barcode
  inventoryItem { countryCodeOfOrigin measurement { weight { value unit } } }`

const variantsField = `variants(first: $page) { nodes { ...variant } pageInfo { hasNextPage endCursor } }`

const listsFragment = `fragment lists on Product {
  media(first: 100) { nodes { id status } pageInfo { hasNextPage } }
  ` + variantsField + `
}`

const pageFragment = `fragment page on Product { id handle status onlineStoreUrl onlineStorePreviewUrl }`

const wordsFragment = pageFragment + `
fragment words on Product { ...page title descriptionHtml productType vendor tags }`

const stampFragment = `fragment stamp on Product {
  publication: metafield(namespace: "pubsync", key: "publication") { value }
  stamp: metafield(namespace: "pubsync", key: "stamp") { value }
  publishedOnPublication(publicationId: $publication)
}`

const shopDocument = `query Shop {
  currentAppInstallation { accessScopes { handle } }
  shop { name resourceLimits { maxProductOptions maxProductVariants } }
  location { id name }
  locations(first: 50) { ...locations }
  publications(first: 20, catalogType: APP) { ...channels }
  metafieldDefinition(identifier: {ownerType: PRODUCT, namespace: "pubsync", key: "publication"}) { id type { name } }
}
` + locationsFragment + "\n" + channelsFragment

const locationsFragment = `fragment locations on LocationConnection {
  nodes { id name } pageInfo { hasNextPage endCursor }
}`

const channelsFragment = `fragment channels on PublicationConnection {
  nodes { id name catalog { title ... on AppCatalog { apps(first: 1) { nodes { handle title } } } } }
  pageInfo { hasNextPage endCursor }
}`

const locationsDocument = `query Locations($after: String) { locations(first: 250, after: $after) { ...locations } }
` + locationsFragment

const publicationsDocument = `query Publications($after: String) {
  publications(first: 50, after: $after, catalogType: APP) { ...channels }
}
` + channelsFragment

const localesDocument = `query Locales { shopLocales { locale primary } }`

const defineDocument = `mutation Define($definition: MetafieldDefinitionInput!) {
  metafieldDefinitionCreate(definition: $definition) { createdDefinition { id } userErrors { code field message } }
}`

const currencyDocument = `query Currency { shop { currencyCode taxesIncluded } }`

const checkDocument = `query Check { currentAppInstallation { accessScopes { handle } } }`

const readDocument = `query Look($identifier: ProductIdentifierInput!, $publication: ID!, $page: Int!) {
  product: productByIdentifier(identifier: $identifier) { ...words ...stamp ...lists }
}
` + wordsFragment + "\n" + stampFragment + "\n" + listsFragment + "\n" + variantFragment

// figuresDocument is readDocument without texts and pictures.
const figuresDocument = `query Figures($identifier: ProductIdentifierInput!, $publication: ID!, $page: Int!) {
  product: productByIdentifier(identifier: $identifier) { ...page ...stamp ` + variantsField + ` }
}
` + pageFragment + "\n" + stampFragment + "\n" + variantFragment

const findDocument = `query Find($identifier: ProductIdentifierInput!, $publication: ID!) {
  product: productByIdentifier(identifier: $identifier) { ...page ...stamp }
}
` + pageFragment + "\n" + stampFragment

// lostDocument asks for a product by its id, where none has the key.
const lostDocument = `query Lost($id: ID!, $publication: ID!) { product(id: $id) { title ...page ...stamp } }
` + pageFragment + "\n" + stampFragment

const variantsDocument = `query Variants($id: ID!, $page: Int!, $after: String) {
  product(id: $id) { variants(first: $page, after: $after) { nodes { ...variant } pageInfo { hasNextPage endCursor } } }
}
` + variantFragment

const mediaDocument = `query Media($id: ID!) {
  product(id: $id) { media(first: 100) { nodes { id status mediaErrors { code } } pageInfo { hasNextPage } } }
}`

const filesDocument = `query Files($ids: [ID!]!) { nodes(ids: $ids) { ... on MediaImage { id } } }`

const operationDocument = `query Operation($id: ID!) {
  productOperation(id: $id) {
    status
    ... on ProductSetOperation { product { id } userErrors { code field message } }
  }
}`

const deleteDocument = `mutation Delete($input: ProductDeleteInput!) {
  productDelete(input: $input) { deletedProductId userErrors { field message } }
}`

// translatableDocument asks for what is needed to write translations into these languages: digests
// of the original texts, and the translations that are there.
func translatableDocument(locales []string) string {
	var b strings.Builder
	b.WriteString(
		"query Translatable($id: ID!) {\n  translatableResource(resourceId: $id) {\n    translatableContent { key " +
			"digest }\n",
	)
	for _, locale := range locales {
		b.WriteString("    " + alias(locale) + `: translations(locale: "` + locale + `") { key value outdated }` + "\n")
	}
	b.WriteString("  }\n}")
	return b.String()
}

// alias is the name of a language's field in an answer.
func alias(locale string) string { return "in_" + strings.ReplaceAll(locale, "-", "_") }

// unaliased is the language whose field in an answer has a name. ok is false for any other name.
func unaliased(name string) (locale string, ok bool) {
	locale, ok = strings.CutPrefix(name, "in_")
	return strings.ReplaceAll(locale, "_", "-"), ok
}

// A part is one mutation of a document. Shopify executes the parts in their order, and one that
// fails does not undo the others.
type part struct {
	variables string // declarations
	field     string
}

const errorFields = "userErrors { code field message }"

// The parts that a write is put together from, in the order in which they may follow one another.
var (
	partUpdate = part{
		"$update: ProductUpdateInput!",
		"update: productUpdate(product: $update) { product { ...words } userErrors { field message } }",
	}
	partSet = part{
		"$identifier: ProductSetIdentifiers!, $set: ProductSetInput!, $synchronous: Boolean!, $page: Int!",
		"set: productSet(identifier: $identifier, input: $set, synchronous: $synchronous) {\n" +
			"    product { ...words ...lists } productSetOperation { id } " + errorFields + "\n  }",
	}
	// partAmounts writes prices and stock alone. No id changes, so its answer leaves the lists out.
	partAmounts = part{
		"$identifier: ProductSetIdentifiers!, $set: ProductSetInput!, $synchronous: Boolean!",
		"set: productSet(identifier: $identifier, input: $set, synchronous: $synchronous) {\n" +
			"    product { ...words } productSetOperation { id } " + errorFields + "\n  }",
	}
	partTranslate = part{
		"$resource: ID!, $translations: [TranslationInput!]!",
		"translate: translationsRegister(resourceId: $resource, translations: $translations) { " + errorFields + " }",
	}
	partPublish = part{
		"$publishable: ID!, $publications: [PublicationInput!]!",
		"publish: publishablePublish(id: $publishable, input: $publications) { publishable { ... on Product { " +
			"...words } } userErrors { field message } }",
	}
)

// writeDocument is the document of a write that consists of these parts. name is that of its
// operation: requests of one name share what was learned of their cost.
func writeDocument(name string, parts ...part) string {
	var declarations, fields []string
	text := ""
	words, lists := false, false
	for _, p := range parts {
		declarations = append(declarations, p.variables)
		fields = append(fields, "  "+p.field)
		words = words || strings.Contains(p.field, "...words")
		lists = lists || strings.Contains(p.field, "...lists")
	}
	if words {
		text += "\n" + wordsFragment
	}
	if lists {
		text += "\n" + listsFragment + "\n" + variantFragment
	}
	return "mutation " + name + "(" + strings.Join(
		declarations,
		", ",
	) + ") {\n" + strings.Join(
		fields,
		"\n",
	) + "\n}" + text
}
