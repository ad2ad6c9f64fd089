// Package shopadapter is the contract between pubsync and a shop.
//
// An [Adapter] is a durable map from publication to listing that lives inside somebody else's shop.
// Publish is the map's put, Unpublish its delete, List reads it, and Check says whether the shop is
// there, and what it is. The connector calls it again after every crash, time-out and lost answer, so
// the same put twice is one listing, the last put wins, and a delete of a missing listing is no error.
// Package laws holds an adapter to that. An adapter that holds resources is also an io.Closer.
//
// A text group that the merchant has edited in the shop stays as it is, and is named in Listing.Kept.
// The adapter knows its last write from a note in the shop's private metadata, which also proves
// ownership; a SKU never does. A listing that is not complete is never on sale.
//
// Package kit has what adapters decide alike, and gets pictures; wire makes requests with bounded
// answers and tells the kind of an error; pace serves a shop that counts points. An adapter's package
// calls [Register] from its init function, and a binary imports it for that.
package shopadapter

import (
	"context"
	"iter"
	"slices"
)

type (
	// PublicationID names one entry of the retailer's import list, and is the key of the map that an
	// Adapter is. It may hold any character: escape it in a path, a query or a page.
	PublicationID string

	// ListingID is the shop's own id of a product. Only the adapter that made it reads it.
	ListingID string
)

// An Adapter is a durable map from publication to listing, kept inside somebody else's shop. Its
// methods are called from several goroutines at a time, never twice at once for the same publication.
// What a method is given belongs to its caller, and is not modified.
type Adapter interface {
	// Check asks the shop anew whether it would accept a Publish now, and what it is, and changes
	// nothing. An error that is not Blocked says that the shop is not reachable now.
	Check(ctx context.Context) (Info, error)

	// Publish makes the listing for ref equal to p, creating it where the shop has none. However
	// the last call ended, and whether or not ref.Listing is known, calling it again converges on
	// one listing. changed names the field groups of p to write; a creation writes everything.
	//
	// Of a p whose Figures is set, price and stock of the variants alone are written, and nothing is
	// made. Where that needs the whole product, since ref.State is lost or the shop has something
	// else than the State says, the error is ErrWhole, as always where Info.Figures is false.
	//
	// A variant that the shop refuses is named once in Listing.Refused, a picture that it cannot show
	// in Listing.Missing, and the product is on sale with the others. A listing is found by
	// ref.Listing, then by the key. Where ref.Listing is set and neither finds it, somebody deleted it:
	// the error is ErrGone, until the caller clears the hint. Where ref.OnSale is set and the listing
	// is not on sale, the error is ErrHidden. Where ref.Listing and ref.State name a listing whose stamp
	// somebody deleted, the error is Blocked, until ref.Revive takes it back. None of these wrote
	// anything. A Listing beside an error is what is known so far, and comes back in the next call's ref.
	Publish(ctx context.Context, ref Ref, p Product, changed Fields) (Listing, error)

	// Unpublish takes the listing out of sale, or deletes it. No such listing is no error, and what the
	// adapter did not create is never touched. A product of the merchant's own that was taken over is
	// given back in place of being deleted, and the note says so.
	Unpublish(ctx context.Context, ref Ref, how Removal) (note string, err error)

	// List ranges over the listings that carry this adapter's stamp, as they stand in the shop, on
	// sale or not, in any order, by few requests, and changes nothing. It ends after the first error,
	// which is ErrNoList where this shop has no list, or cannot be asked for single listings.
	List(ctx context.Context, q Query) iter.Seq2[Listed, error]
}

// A Ref points at a listing: the key, and what the last call left behind.
type Ref struct {
	Publication PublicationID // the key; never reused
	Listing     ListingID     // a hint: empty at first, possibly stale
	State       []byte        // of a Listing; may be lost, and without OnSale older than the last write
	OnSale      bool          // the caller left it on sale, and no person asks for this call: see ErrHidden
	Asked       bool          // a person waits: what was learned of the shop before may be out of date
	Reset       Fields        // text groups to be written over the merchant's edit
	// a person asks for the listing: variants that somebody switched off are put on sale again, and a
	// listing whose stamp somebody deleted is taken back
	Revive bool
}

// Drift says what somebody did in the shop to the listing that the caller left there: ErrGone,
// ErrHidden, or nil. found and onSale are what Publish sees of it.
func (r Ref) Drift(found, onSale bool) error {
	switch {
	case !found && r.Listing != "":
		return ErrGone
	case found && r.OnSale && !onSale:
		return ErrHidden
	}
	return nil
}

// A Listing is what the shop holds for one publication: as a Publish left it, or as List finds it.
type Listing struct {
	ID    ListingID
	URL   string // where a customer sees the product: an absolute http(s) address
	State []byte // of Publish: kept by the caller and handed back in the next Ref; keep it small
	// The variants that a visitor can buy. Of those that Publish made only the ids need be told.
	// From List: nil where the shop does not tell, empty where it has none.
	Variants []ListedVariant

	// What Publish tells.
	Refused map[string]string // variant id -> why the shop refused it, for the merchant to read
	Draft   bool              // it is complete and not on sale, as Product.Draft asked
	Kept    Fields            // text groups in changed that were left as the merchant edited them
	// images of the product that the listing does not show; nil when images were not in changed, or
	// are the merchant's
	Missing []Picture

	// What List tells. What a shop does not tell is left out: it counts as it was written.
	OnSale bool
	Images int // how many pictures the listing shows; -1 where the shop does not tell
	// Compared is the text groups that were compared with what was last written, and Edited those of
	// them that hold something else: of FieldImages where the merchant added, removed or moved
	// pictures, and not where the shop's library has lost them.
	Compared, Edited Fields
	// Outdated is the text groups that Publish would write otherwise today though the product is
	// the same: the shop has lost the category that it was in, or has got the one that it lacked.
	Outdated Fields
	Untold   Fields // the groups of price and stock that this shop does not tell of its variants
}

// A ListedVariant is a variant as it stands in the shop.
type ListedVariant struct {
	ID     string // the marketplace's id, as in Variant.ID; "" where the shop does not keep it
	ShopID string // the shop's own
	SKU    string // finds the variant where neither id does
	Price  string // what stands where Publish writes Variant.Price, in the same form; "" where there is none
	// the price that the shop shows as the former one, where Price may be the merchant's own reduction
	// of it; "" where it has none, and where a reduction stands beside Price in a field of its own
	CompareAt  string
	Quantity   int  // how many may be sold: as Publish wrote it, less what the shop has sold since
	Uncounted  bool // the shop sells it without counting: Quantity says nothing
	Backorders bool // it may be sold below zero
	OnSale     bool // a visitor can choose it, sold out or not; nothing where the listing is not on sale
}

// ShopIDs is the shop's ids of the variants, by variant id.
func (l Listing) ShopIDs() map[string]string {
	ids := make(map[string]string, len(l.Variants))
	for _, v := range l.Variants {
		ids[v.ID] = v.ShopID
	}
	return ids
}

// A Query says which listings are wanted. The zero Query is for all of them, and what a whole list
// does not name is not in the shop.
type Query struct {
	After string // the Listed.After behind which the list goes on; an adapter without cursors begins anew
	// Refs are the listings that are asked for; nil for all, and an empty list for none. One that
	// the shop no longer has, or that is not ours, is not among the answers.
	Refs []Ref
}

// Wants reports whether a publication is asked for: for an adapter whose shop cannot be asked for
// single listings.
func (q Query) Wants(id PublicationID) bool {
	return q.Refs == nil || slices.ContainsFunc(q.Refs, func(ref Ref) bool { return ref.Publication == id })
}

// Listed is one listing as it stands in the shop.
type Listed struct {
	Ref Ref // Publication and Listing
	Listing
	After string // the cursor behind it; "" where the shop's list has none
}

// A Picture is an image of the product that its listing does not show.
type Picture struct {
	URL    string // as in Product.Images
	Reason string // for the merchant to read
	Later  bool   // it could not be fetched now, and the caller asks for the images again; false: the shop refuses it
}

// Removal says how a listing leaves the shop.
type Removal int

// The two ways to leave.
const (
	TakeOffline Removal = iota // out of sale, kept in the shop's back office; Publish brings it back
	Delete                     // gone
)

// String is the removal's name in settings and in the http protocol: unpublish or delete.
func (r Removal) String() string {
	if r == Delete {
		return "delete"
	}
	return "unpublish"
}
