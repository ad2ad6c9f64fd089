package sandbox

import (
	"slices"
	"strings"
)

// The event names a webhook can be registered for, in the specification's order.
var eventNames = []string{
	"PRODUCT_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED", "ORDER_CREATED", "ORDER_CONFIRMED", "ORDER_UPDATED", "ORDER_CANCELLED",
	"INVOICE_CREATED", "PUBLICATION_CREATED",
}

// events lists the names that a webhook can be registered for.
func (o Options) events() []string {
	if o.Events != nil {
		return o.Events
	}
	return eventNames
}

// languages lists the translations this marketplace has, en and nl first.
func (o Options) languages() []string {
	langs := []string{"en", "nl"}
	for _, lang := range o.ExtraLanguages {
		if !slices.Contains(langs, lang) {
			langs = append(langs, lang)
		}
	}
	return langs
}

// sdl is the schema of a marketplace with these options. Words in capitals behind a $ are the choices that the specification leaves open.
func (o Options) sdl() string {
	pick := func(yes bool, then, otherwise string) string {
		if yes {
			return then
		}
		return otherwise
	}
	unless := func(root, text string) string { return pick(slices.Contains(o.Without, root), "", text) }
	var enums, translations strings.Builder
	status, reported := "String", "String"
	if o.Status != StatusString {
		status, reported = "PublicationStatus", "PublicationStatusReport"
		values := []string{o.spell(statusSyncing), o.spell(statusSuccess), o.spell(statusFailed)}
		if o.ExtraStatus != "" {
			values = append(values, o.spell(o.ExtraStatus))
		}
		writeEnum(&enums, status, "Where a publication stands.", values)
		writeEnum(&enums, reported, "What a retailer's shop may report.", values[1:3])
	}
	if !o.StringImageMethod {
		writeEnum(&enums, "ImageMethod", "How a picture is fitted.", []string{"CROP", "FILL"})
	}
	if o.EnumPolicy {
		writeEnum(&enums, "InventoryPolicy", "What happens at zero stock.", []string{policyContinue, policyDeny})
	}
	if o.EnumEvents {
		writeEnum(&enums, "WebhookEvent", "What a webhook tells of.", o.events())
	}
	if o.EnumAccountType {
		writeEnum(&enums, "AccountType", "Who the account belongs to.", []string{"SUPPLIER", accountRetailer})
	}
	for _, lang := range o.languages() {
		translations.WriteString("  " + lang + ": Translation\n")
	}
	return strings.NewReplacer(
		"$CHANNELS", unless("channels", "  \"The retailer's shops.\"\n  channels(first: Int!, after: String): ChannelConnection!\n"),
		"$CATEGORIES", unless("categories", "  \"Every category, parents before children.\"\n  categories: [Category!]!\n"),
		"$ENUMS", enums.String(),
		"$TRANSLATIONS", translations.String(),
		"$CONNECTIONS", connectionTypes(),
		"$ID", pick(o.StringIDs, "String", "ID"),
		"$STATUS", status,
		"$USER_ERRORS", pick(o.NoUserErrors, "", "  userErrors: [UserError!]!\n"),
		"$REPORTED", reported,
		"$METHOD", pick(o.StringImageMethod, "String", "ImageMethod"),
		"$UPDATED_AT_ASC", pick(o.NoUpdatedAtSort, "", "UPDATED_AT_ASC"),
		"$RETURNS", pick(o.StringReturns, "String", "Boolean"),
		"$DAYS", pick(o.StringShippingDays, "String", "Int"),
		"$POLICY", pick(o.EnumPolicy, "InventoryPolicy", "String"),
		"$EVENT", pick(o.EnumEvents, "WebhookEvent", "String"),
		"$ACCOUNT_TYPE", pick(o.EnumAccountType, "AccountType", "String"),
		"$SHIPPING", pick(o.OneShipping, "DropshippingShippingDetail", "[DropshippingShippingDetail!]"),
		"$PUBLICATION", pick(o.Gone == GoneWhole, "Publication!", "Publication"),
		"$LISTING", pick(o.ListingRequired, "Listing!", "Listing"),
	).Replace(schemaText)
}

func writeEnum(b *strings.Builder, name, description string, values []string) {
	b.WriteString("\"" + description + "\"\nenum " + name + " {\n  " + strings.Join(values, "\n  ") + "\n}\n\n")
}

// connectionTypes writes the pair of types behind each list that is read in pages: they differ in nothing but the name.
func connectionTypes() string {
	var b strings.Builder
	for _, name := range []string{"Channel", "Webhook", "Publication", "ListingVariant", "ProductVariant", "Image"} {
		b.WriteString("type " + name + "Connection {\n  edges: [" + name + "Edge!]!\n  nodes: [" + name + "!]!\n  pageInfo: PageInfo!\n}\n\n")
		b.WriteString("type " + name + "Edge {\n  node: " + name + "!\n  cursor: String\n}\n\n")
	}
	return b.String()
}

const schemaText = `schema {
  query: Query
  mutation: Mutation
}

type Query {
  "The account that the token belongs to."
  account: Account!
$CHANNELS  webhooks(first: Int!, after: String): WebhookConnection!
  "One entry of the import list; null when it is not, or no longer, on it."
  publication(id: $ID!): $PUBLICATION
  "The import list."
  publications(first: Int!, after: String, sort: PublicationSort): PublicationConnection!
  product(id: $ID!): Product
  productVariants(first: Int!, after: String, sort: ProductVariantSort): ProductVariantConnection!
$CATEGORIES}

type Mutation {
  "The shop's word on what became of a publication."
  publicationStatusUpdated(input: PublicationStatusUpdatedInput!): PublicationStatusUpdatedPayload
  webhookCreate(input: WebhookCreateInput!): WebhookCreatePayload
}

type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  "Null on a page without entries."
  endCursor: String
}

"What was wrong with an input, by the path of the field."
type UserError {
  field: [String!]
  message: String!
}

type Account {
  name: String
  type: $ACCOUNT_TYPE
  slug: String
}

type Channel {
  id: $ID!
  name: String
  url: String
}

type Webhook {
  id: $ID!
  callbackUrl: String!
  events: [$EVENT!]!
  active: Boolean!
}

input WebhookCreateInput {
  active: Boolean
  callbackUrl: String!
  events: [$EVENT!]!
  template: String
}

type WebhookCreatePayload {
  webhook: Webhook
  userErrors: [UserError!]!
}

enum PublicationSort {
  ID_DESC
  $UPDATED_AT_ASC
}

"An entry of the import list."
type Publication {
  id: $ID!
  status: $STATUS!
  listing: $LISTING
  "Where the shop shows the product, as the shop reported it."
  productUrl: String
  "ISO 8601, UTC."
  createdAt: String!
  updatedAt: String!
}

input PublicationStatusUpdatedInput {
  id: $ID!
  status: $REPORTED!
  productUrl: String
}

type PublicationStatusUpdatedPayload {
  publication: Publication
$USER_ERRORS}

"What the supplier offers for dropshipping."
type Listing {
  id: $ID!
  translations: Translations
  category: Category
  dropshippingShippingDetails: $SHIPPING
  dropshippingReturns: $RETURNS
  variants(first: Int!, after: String): ListingVariantConnection!
  images(first: Int!, after: String, sort: ImageSort): ImageConnection!
  product: Product
}

type Translations {
$TRANSLATIONS}

type Translation {
  title: String
  description: String
}

type DropshippingShippingDetail {
  countryGroup: String
  fixedCosts: String
  variableCosts: String
  estimatedShippingDays: $DAYS
}

type ListingVariant {
  id: $ID!
  title: String
  options: [ListingVariantOption!]!
  "What the retailer pays, a decimal."
  dropshippingPrice: String
  "What the supplier recommends that a consumer pays, a decimal."
  msrp: String
  sku: String
  ean: String
  "Negative when more was sold than there is."
  inventoryQuantity: Int
  "CONTINUE: sold on at zero stock."
  inventoryPolicy: $POLICY
}

type ListingVariantOption {
  name: String!
  value: String!
}

type Product {
  id: $ID!
  title: String
  description: String
  brand: String
  option1: String
  option2: String
  option3: String
  featuredImage: Image
  images(first: Int!, after: String, sort: ImageSort): ImageConnection!
  variants(first: Int!, after: String): ProductVariantConnection!
}

type ProductVariant {
  id: $ID!
  product: Product
  title: String
  sku: String
  ean: String
  price: String
  msrp: String
  inventoryQuantity: Int
  inventoryPolicy: $POLICY
  createdAt: String
  updatedAt: String
}

enum ProductVariantSort {
  UPDATED_AT_ASC
}

type Category {
  path: String!
  name: String
  depth: Int
  parent: Category
  "In the language that Accept-Language asks for."
  translation: CategoryTranslation
}

type CategoryTranslation {
  name: String
}

type Image {
  originalUrl: String
  thumbnailUrl(width: Int, height: Int, method: $METHOD): String
  transformedUrl(width: Int, height: Int, method: $METHOD): String
}

enum ImageSort {
  POSITION_ASC
}

$ENUMS$CONNECTIONS`
