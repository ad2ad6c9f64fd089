// Package stamp tells the merchant's edits from the adapter's own writes. It is for every adapter
// whose shop lets the merchant edit texts.
//
// A stamp is the note that an adapter keeps on a product, in the shop's private metadata. It says
// whose the product is, and has a hash of each text that the adapter wrote, as the shop reads it
// back. An adapter declares its stamp as a struct: a [Head], a [Written] for each text, and what
// else it remembers. [Encode] and [Decode] turn it into the metadata's text and back:
//
//	type note struct {
//		stamp.Head
//		Done        bool          `json:"done,omitempty"` // it was complete once
//		Title       stamp.Written `json:"title"`
//		Description stamp.Written `json:"description"`
//	}
//
// A [Merge] is one call of Publish. It compares three things for each text: what was written last,
// what the shop holds now, and what is wanted. Its answer is what to write, and which groups stay
// as the merchant edited them:
//
//	m := stamp.NewMerge(ref, changed)
//	if !n.Done {
//		m.Changed = shopadapter.AllFields
//	}
//	if m.Decide(shopadapter.FieldTitle, stamp.HashText(held.Title), stamp.HashText(p.Title), &n.Title) {
//		update["title"] = p.Title
//	}
//	update["metadata"] = stamp.Encode(n) // in the same request as the texts
//	…
//	listing.Kept = m.Kept()
//
// [Merge.DecideDetails] does the same for values that are each the merchant's or the adapter's on
// their own: the weight of a variant, say. [Details] is the note of them.
//
// The stamp must reach the shop in the same request as the texts that it speaks of. Then a lost
// answer never looks like an edit. [Written.ReadBack] serves shops that alter a text as they store
// it. [Written.Instead] and [Written.Then] serve shops in which the text and the stamp are two
// steps.
package stamp
