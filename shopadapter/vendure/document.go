package vendure

// What is asked of a product. The prices are the ones stored, not those with or without tax that
// Vendure makes of them.
const productFragment = `fragment product on Product {
  id enabled
  customFields { pubsyncId pubsyncStamp }
  translations { languageCode name slug description }
  featuredAsset { id }
  assets { id }
  facetValues { id code facet { code } }
  optionGroups { id code translations { languageCode name } options { id code translations { languageCode name } } }
  variants {
    id sku trackInventory outOfStockThreshold useGlobalOutOfStockThreshold
    customFields { pubsyncId }
    translations { languageCode name }
    prices { price currencyCode }
    stockLevels { stockOnHand }
    options { id }
  }
}`

// What an observation asks of a product. A deleted variant is not among its variants.
const observedFragment = `fragment observed on Product {
  id enabled
  customFields { pubsyncId pubsyncStamp }
  translations { languageCode name slug description }
  featuredAsset { id }
  assets { id }
  facetValues { id code facet { code } }
  variants {
    id sku enabled trackInventory outOfStockThreshold useGlobalOutOfStockThreshold
    prices { price currencyCode }
    stockLevels { stockOnHand stockLocation { id createdAt } }
  }
}`

const channelFragment = `fragment channel on Channel {
  token defaultLanguageCode availableLanguageCodes defaultCurrencyCode defaultTaxZone { id } pricesIncludeTax
}`

const readDocument = `query Look($key: String!, $declared: Boolean!) {
  activeChannel { ...channel }
  globalSettings { serverConfig { moneyStrategyPrecision entityCustomFields @include(if: $declared) {
    entityName customFields { ... on CustomField { name type list readonly } }
  } } }
  products(options: { filter: { pubsyncId: { eq: $key } }, sort: { id: ASC }, take: 50 }) { items { ...product } }
}
` + channelFragment + "\n" + productFragment

const findDocument = `query Find($key: String!) {
  products(options: { filter: { pubsyncId: { eq: $key } }, sort: { id: ASC }, take: 50 }) {
    items { id enabled customFields { pubsyncId pubsyncStamp } }
  }
}`

// lostDocument asks for a product by its id, where none has the key.
const lostDocument = `query Lost($id: ID!) { product(id: $id) { ...product } }
` + productFragment

const checkDocument = `query Check {
  activeChannel { ...channel }
  me { channels { token permissions } }
  globalSettings { serverConfig { moneyStrategyPrecision } }
  products(options: { filter: { pubsyncId: { isNull: false } }, take: 1 }) {
    items { customFields { pubsyncId pubsyncStamp } }
  }
  productVariants(options: { take: 1 }) { items { customFields { pubsyncId } } }
}
` + channelFragment

const observeDocument = `query Observe($filter: ProductFilterParameter!, $skip: Int!, $take: Int!) {
  activeChannel { ...channel }
  globalSettings { trackInventory outOfStockThreshold serverConfig { moneyStrategyPrecision } }
  products(options: { filter: $filter, sort: { id: ASC }, skip: $skip, take: $take }) { items { ...observed } }
}
` + channelFragment + "\n" + observedFragment

const standingDocument = `query Standing($ids: [String!]!, $take: Int!) {
  assets(options: { filter: { id: { in: $ids } }, take: $take }) { items { id } }
}`

const createProductDocument = `mutation CreateProduct($input: CreateProductInput!) {
  createProduct(input: $input) { ...product }
}
` + productFragment

const updateProductDocument = `mutation UpdateProduct($input: UpdateProductInput!) {
  updateProduct(input: $input) {
    id enabled translations { languageCode name slug description } assets { id } facetValues { id code facet { code } }
  }
}`

const deleteProductDocument = `mutation DeleteProduct($id: ID!) {
  deleteProduct(id: $id) { result message }
}`

const findGroupsDocument = `query FindGroups($codes: [String!]!, $take: Int!) {
  productOptionGroups(options: { filter: { code: { in: $codes } }, sort: { id: ASC }, take: $take }) {
    items { id code translations { languageCode name } options { id code translations { languageCode name } } }
  }
}`

const createGroupDocument = `mutation CreateGroup($input: CreateProductOptionGroupInput!) {
  createProductOptionGroup(input: $input) { id code options { id code } }
}`

const updateGroupDocument = `mutation UpdateGroup($input: UpdateProductOptionGroupInput!) {
  updateProductOptionGroup(input: $input) { id }
}`

const attachGroupDocument = `mutation AttachGroup($product: ID!, $group: ID!) {
  addOptionGroupToProduct(productId: $product, optionGroupId: $group) { id }
}`

const detachGroupDocument = `mutation DetachGroup($product: ID!, $group: ID!) {
  removeOptionGroupFromProduct(productId: $product, optionGroupId: $group, force: true) {
    __typename
    ... on ErrorResult { errorCode message }
  }
}`

const deleteGroupDocument = `mutation DeleteGroup($id: ID!) {
  deleteProductOptionGroup(id: $id) { result message }
}`

const deleteOptionDocument = `mutation DeleteOption($id: ID!) {
  deleteProductOption(id: $id) { result message }
}`

const createVariantsDocument = `mutation CreateVariants($input: [CreateProductVariantInput!]!) {
  createProductVariants(input: $input) { id customFields { pubsyncId } }
}`

const updateVariantsDocument = `mutation UpdateVariants($input: [UpdateProductVariantInput!]!) {
  updateProductVariants(input: $input) { id }
}`

const deleteVariantsDocument = `mutation DeleteVariants($ids: [ID!]!) {
  deleteProductVariants(ids: $ids) { result message }
}`

const findAssetsDocument = `query FindAssets($filter: [AssetFilterParameter!]!, $take: Int!) {
  assets(options: { filter: { _or: $filter }, sort: { id: ASC }, take: $take }) { items { id name source } }
}`

const createAssetsDocument = `mutation CreateAssets($input: [CreateAssetInput!]!) {
  createAssets(input: $input) {
    __typename
    ... on Asset { id }
    ... on ErrorResult { errorCode message }
  }
}`

const findValueDocument = `query FindValue($facet: String!, $filter: [FacetValueFilterParameter!]!) {
  facets(options: { filter: { code: { contains: $facet } }, sort: { id: ASC }, take: 50 }) {
    items { id code }
  }
  facetValues(options: { filter: { _or: $filter }, sort: { id: ASC }, take: 50 }) {
    items { id code name facet { code } }
  }
}`

const filedDocument = `query Filed($categories: String!, $brands: String!) {
  categories: facets(options: { filter: { code: { contains: $categories } }, sort: { id: ASC }, take: 50 }) {
    items { code values { code } }
  }
  brands: facets(options: { filter: { code: { contains: $brands } }, sort: { id: ASC }, take: 50 }) {
    items { code values { code } }
  }
}`

// readDetailsDocument asks for the custom fields that stand in the place of FIELDS.
const readDetailsDocument = `query Details($id: ID!) {
  product(id: $id) { variants { id customFields { FIELDS } } }
}`

const createFacetDocument = `mutation CreateFacet($input: CreateFacetInput!) {
  createFacet(input: $input) { id code values { id code name } }
}`

const createFacetValueDocument = `mutation CreateFacetValue($input: CreateFacetValueInput!) {
  createFacetValue(input: $input) { id code name }
}`
