package variation

import (
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// Stamp is what stands on a variation: the publication's and the variant's id. added: the
// adapter made it on a product that was taken over, where the other variations are the merchant's.
// See Waiting for a third mark.
func Stamp(publication shopadapter.PublicationID, variant string, added bool) string {
	value := words.EncodeID(string(publication)) + "/" + words.EncodeID(variant)
	if added {
		value += addedMark
	}
	return value
}

const (
	addedMark = "/added"
	waitsMark = "/waits"
)

// Waiting is a stamp on a variation that the adapter makes private itself, until it puts it on
// sale.
func Waiting(stamp string) string { return strings.TrimSuffix(stamp, waitsMark) + waitsMark }

func waits(stamp string) bool { return strings.HasSuffix(stamp, waitsMark) }

// ReadStamp is the variant that a stamp names, if it is the publication's.
func ReadStamp(value string, publication shopadapter.PublicationID) (variant string, added, ours bool) {
	rest, ok := strings.CutPrefix(value, words.EncodeID(string(publication))+"/")
	if !ok {
		return "", false, false
	}
	rest, added = strings.CutSuffix(strings.TrimSuffix(rest, waitsMark), addedMark)
	variant, err := url.QueryUnescape(rest)
	return variant, added, err == nil
}
