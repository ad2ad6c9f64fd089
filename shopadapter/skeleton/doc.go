// Package skeleton owns the order of steps in which a listing is written to a shop, the variants
// that the shop refuses, what the stamp says when, and the guard of a write of figures. An adapter supplies
// the calls of its shop: it embeds a [Write] in a struct of its own, gives that the methods of
// [Shop], and hands it to [Publish]:
//
//	type write struct {
//		*skeleton.Write[variant] // what is wanted, decided and refused
//		held *product            // what the shop holds
//		note note                // its stamp
//	}
//
//	func (a *Adapter) open(w *skeleton.Write[variant]) *write { return &write{Write: w, held: &product{}} }
//
//	// in the adapter's Publish
//	return skeleton.Publish(ctx, ref, p, changed, a.open)
//
// A capability that not every shop has is an interface beside Shop, found by type assertion:
// [Varying] (variants in requests of their own), [Stocking] (quantities too), [Renamer] (the
// merchant renames options), [Picturing] (pictures are loaded first), [Translating] (other
// languages are kept outside the product).
//
// # The order
//
// A call may end behind any step. The next call begins with the first one and converges: what the
// shop has made is found by its mark, and only differences are written.
//
//	step         what it does                               durable after it              the stamp says
//	Find         reads product, stamp, variants             -                             as last time
//	  drift      ErrGone, ErrHidden                         -                             as last time
//	Offers       refuses variants; follows renamed options  -                             as last time
//	Draft        makes the product, out of sale             a product with a stamp        whose it is: a draft
//	Withhold     only where options leave a gap             the product is out of sale    as last time
//	Delete       variants that are in the way               fewer variants                as last time
//	WriteOptions the options                                options                       a write is pending
//	Change       variants that are there                    names, SKUs, prices, stock    as last time
//	Make         variants that are missing                  variants, each with its mark  as last time
//	Stock        quantities                                 quantities                    as last time
//	Pictures     loads pictures, half a minute for all      files in the shop's library   as last time
//	Translate    other languages                            their texts                   a write is pending
//	Sell         texts, category, pictures; on sale         the listing                   complete, and each hash
//	Remove       drafts that late creations left            one product                   complete
//
// The stamp that is "as last time" is true: nothing that it speaks of is written before Sell. Where
// a shop cannot write a text and its stamp in one request the stamp goes first, with Found.Pending
// at the next Find and the earlier texts in stamp.Written.Before. No request for a picture follows
// Sell, so that the report of a product goes out when the product is on sale.
//
// # What may fail where
//
// A variant that the shop refuses is left out, with the reason, at Offers, Change or Make; the
// others go on sale. A product without a variant is refused. Options that the merchant changed
// beyond recognition stay with their variants (Write.Unclear): prices, stock and texts are written,
// and the call ends with what to do. A Write.Clash, a SKU that belongs to another product say,
// keeps a new product off sale, and one that is on sale there. A picture is never an error:
// Write.Missing names it, with Later where another try may help. Every other error ends the call.
//
// # What stands in the shop
//
// A [Reader] is an adapter's Observe. The adapter reads a page of products, and what a Find would
// read of each; stamp.Comparison compares the texts with the stamp, and shopadapter.Prices.Shown
// brings a price back to the form that Publish was given.
//
//	func (a *Adapter) Observe(
//		ctx context.Context, what shopadapter.Query,
//	) iter.Seq2[shopadapter.Listed, error] {
//		return skeleton.Reader{All: a.observeAll, Some: a.observeSome, Size: 100}.Observe(ctx, what)
//	}
//
// # What the adapters have learned
//
// Each of these was seen on a real shop, and holds for every adapter that stands on the skeleton:
//
//   - A lost answer to a creation: the mark is in the creating request, and Find goes by the mark.
//   - A creation that comes late makes a second draft. Pick tells it from the product. It goes when
//     the product is on sale, unless somebody has worked on it.
//   - A half-built product is never on sale, also while its options change. What it holds is the
//     adapter's own (Merge.Own) and is written whole, whatever the caller says has changed.
//   - A copy that the merchant makes of a product carries the stamp along, and is the merchant's:
//     stamp.Owner knows the product's own id.
//   - The same picture is not loaded twice: it is looked for by its mark, a digest of its address.
//     A server of pictures that does not answer costs its pictures, and no more than half a minute.
//   - Options and values that the merchant renamed are followed, by the variants that carry them.
//   - A text that the merchant edited stays; one that the shop stores in another form is read back.
//   - Somebody may delete a stamp. A listing that the State knows is then Unstamped, not gone.
//   - A SKU is no proof: a product of the merchant's that has it stays as it is.
//   - A variant is known by its mark. A second one with the mark goes, one of the merchant's stays,
//     and one that the supplier no longer sells, or that cannot be sold, leaves the shop.
//   - The shop's word counts: a listing that is gone or hidden is told and left, and one that the
//     shop does not put on sale is no success.
package skeleton
