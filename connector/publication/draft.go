package publication

import "github.com/pubsync/pubsync/store"

// PublishAs is how a new product comes into the shop.
type PublishAs string

// The choices. The zero PublishAs is PublishLive.
const (
	PublishLive  PublishAs = "live"
	PublishDraft PublishAs = "draft" // complete, not on sale: the merchant puts it on sale
)

const isDraft = "it is a draft in the shop: put it on sale there"

// drafts reports whether the product is to be a draft, unless somebody has put it on sale. One that
// was on sale before is none.
func (d *Decision) drafts() bool {
	unmade := d.rec.WrittenAt == 0 && !d.rec.OnSale
	return d.by.Rules.PublishAs == PublishDraft && (d.rec.Draft || unmade)
}

// inPlace reports whether a listing is as it is to be: on sale, or a draft.
func (d *Decision) inPlace() bool { return d.rec.OnSale || d.rec.Draft && d.Product.Draft }

// awaits reports whether a listing waits for the merchant to put it on sale.
func awaits(r store.Record) bool { return r.Draft && !r.OnSale }
