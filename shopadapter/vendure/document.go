package vendure

// Prices are as stored; Vendure derives those with and without tax. Deleted variants are not among the variants.
const (
	productFields = `
  id enabled
  customFields { pubsyncId pubsyncStamp }
  translations { languageCode name slug description }
  featuredAsset { id }
  assets { id }
  facetValues { id code facet { code } }`
	variantFields = `
    id sku enabled trackInventory outOfStockThreshold useGlobalOutOfStockThreshold
    prices { price currencyCode }
    stockLevels { stockOnHand stockLocation { id createdAt } }`
	groupFields = `id code translations { languageCode name } options { id code }`

	listedFragment  = `fragment listed on Product {` + productFields + ` variants {` + variantFields + ` } }`
	productFragment = `fragment product on Product {` + productFields + `
  optionGroups { ` + groupFields + ` }
  variants {` + variantFields + ` customFields { pubsyncId } translations { languageCode name } options { id } }
}`
)

const channelFragment = `fragment channel on Channel {
  token defaultLanguageCode availableLanguageCodes defaultCurrencyCode defaultTaxZone { id } pricesIncludeTax
}`

const checkDocument = `query CheckShop {
  activeChannel { ...channel }
  me { channels { token permissions } }
  globalSettings { serverConfig { moneyStrategyPrecision } }
  products(options: { filter: { pubsyncId: { isNull: false } }, take: 1 }) {
    items { customFields { pubsyncId pubsyncStamp } }
  }
  productVariants(options: { take: 1 }) { items { customFields { pubsyncId } } }
}
` + channelFragment

const readDocument = `query ReadProduct($key: String!, $declared: Boolean!) {
  activeChannel { ...channel }
  globalSettings { serverConfig { moneyStrategyPrecision entityCustomFields @include(if: $declared) {
    entityName customFields { ... on CustomField { name type list readonly } }
  } } }
  products(options: { filter: { pubsyncId: { eq: $key } }, sort: { id: ASC }, take: 50 }) { items { ...product } }
}
` + channelFragment + "\n" + productFragment

const findDocument = `query FindProduct($key: String!) {
  products(options: { filter: { pubsyncId: { eq: $key } }, sort: { id: ASC }, take: 50 }) {
    items { id enabled customFields { pubsyncId pubsyncStamp } }
  }
}`

const lostDocument = `query ReadProduct($id: ID!) { product(id: $id) { ...product } }
` + productFragment

const listDocument = `query ListProducts($filter: ProductFilterParameter!, $skip: Int!, $take: Int!) {
  activeChannel { ...channel }
  globalSettings { trackInventory outOfStockThreshold serverConfig { moneyStrategyPrecision } }
  products(options: { filter: $filter, sort: { id: ASC }, skip: $skip, take: $take }) { items { ...listed } }
}
` + channelFragment + "\n" + listedFragment

const standingDocument = `query FindStanding($codes: [String!]!, $take: Int!) {
  facetValues(options: { filter: { code: { in: $codes } }, take: $take }) { items { code facet { code } } }
}`

const createProductDocument = `mutation CreateProduct($input: CreateProductInput!) {
  createProduct(input: $input) { ...product }
}
` + productFragment

const updateProductDocument = `mutation UpdateProduct($input: UpdateProductInput!) {
  updateProduct(input: $input) { id enabled translations { languageCode name slug description } }
}`

const deleteProductDocument = `mutation DeleteProduct($id: ID!) { deleteProduct(id: $id) { result message } }`

const findGroupsDocument = `query FindOptionGroups($codes: [String!]!) {
  productOptionGroups(options: { filter: { code: { in: $codes } }, sort: { id: ASC }, take: 100 }) {
    items { ` + groupFields + ` }
  }
}`

const createGroupDocument = `mutation CreateOptionGroup($input: CreateProductOptionGroupInput!) {
  createProductOptionGroup(input: $input) { id code options { id code } }
}`

const updateGroupDocument = `mutation UpdateOptionGroup($input: UpdateProductOptionGroupInput!) {
  updateProductOptionGroup(input: $input) { id }
}`

const attachGroupDocument = `mutation AttachOptionGroup($product: ID!, $group: ID!) {
  addOptionGroupToProduct(productId: $product, optionGroupId: $group) { id }
}`

const detachGroupDocument = `mutation DetachOptionGroup($product: ID!, $group: ID!) {
  removeOptionGroupFromProduct(productId: $product, optionGroupId: $group, force: true) {
    ... on ErrorResult { errorCode message }
  }
}`

const deleteGroupDocument = `mutation DeleteOptionGroup($id: ID!) { deleteProductOptionGroup(id: $id) { result } }`

const deleteOptionDocument = `mutation DeleteOption($id: ID!) { deleteProductOption(id: $id) { result } }`

const createVariantsDocument = `mutation CreateVariants($input: [CreateProductVariantInput!]!) {
  createProductVariants(input: $input) { id customFields { pubsyncId } }
}`

const updateVariantsDocument = `mutation UpdateVariants($input: [UpdateProductVariantInput!]!) {
  updateProductVariants(input: $input) { id }
}`

const deleteVariantsDocument = `mutation DeleteVariants($ids: [ID!]!) { deleteProductVariants(ids: $ids) { result } }`

// readDetailsDocument has FIELDS in place of the custom fields.
const readDetailsDocument = `query ReadDetails($id: ID!) {
  product(id: $id) { variants { id customFields { FIELDS } } }
}`

const findAssetsDocument = `query FindImages($filter: [AssetFilterParameter!]!) {
  assets(options: { filter: { _or: $filter }, sort: { id: ASC }, take: 100 }) { items { id name source } }
}`

const createAssetsDocument = `mutation UploadImage($input: [CreateAssetInput!]!) {
  createAssets(input: $input) { ... on Asset { id } ... on ErrorResult { errorCode message } }
}`

const findValueDocument = `query FindFacetValue($facet: String!, $filter: [FacetValueFilterParameter!]!) {
  facets(options: { filter: { code: { contains: $facet } }, sort: { id: ASC }, take: 50 }) { items { id code } }
  facetValues(options: { filter: { _or: $filter }, sort: { id: ASC }, take: 100 }) {
    items { id code name facet { code } }
  }
}`

const createFacetDocument = `mutation CreateFacet($input: CreateFacetInput!) {
  createFacet(input: $input) { id code values { id code name } }
}`

const createFacetValueDocument = `mutation CreateFacetValue($input: CreateFacetValueInput!) {
  createFacetValue(input: $input) { id code name }
}`
