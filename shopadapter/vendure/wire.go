package vendure

import (
	"strings"

	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// usual bounds an answer of the shop: a page of a hundred products without their variants has some
// two thousand elements, a hundred option groups a few times that.
var usual = jsonlimit.Limits{Bytes: 2 << 20, Elements: 20_000, Depth: 40}

// whole bounds an answer that holds a product with all its variants, each of some 25 elements, or a
// page of products with theirs.
var whole = jsonlimit.Limits{Bytes: 4 << 20, Elements: 60_000, Depth: 40}

// filed bounds the list of all categories and brands.
var filed = jsonlimit.Limits{Bytes: 8 << 20, Elements: 200_000, Depth: 40}

// limitsOf is what the answer to a document may hold.
func limitsOf(document string) jsonlimit.Limits {
	if strings.Contains(document, productFragment) || strings.Contains(document, observedFragment) {
		return whole
	}
	if document == filedDocument {
		return filed
	}
	return usual
}
