package fakeshop

// Where a WordPress answers, below its address, and the key under which the adapter keeps its
// stamp.
const (
	apiRoot    = "/wp-json/wc/v3"
	mediaRoute = "/wp-json/wp/v2/media"
	stampKey   = "_pubsync"
)

// The codes of the faults that a real shop was seen to answer with.
const (
	faultNoProduct   = "woocommerce_rest_product_invalid_id"
	faultNoVariation = "woocommerce_rest_product_variation_invalid_id"
	faultTrashed     = "woocommerce_rest_already_trashed"
	faultSKU         = "product_invalid_sku"
	faultNotCreated  = "woocommerce_rest_product_not_created"
	faultUpload      = "woocommerce_product_image_upload_error"
	faultNoImage     = "woocommerce_product_invalid_image_id"
	faultCannotView  = "woocommerce_rest_cannot_view"
	faultWrongSecret = "woocommerce_rest_authentication_error"
)
