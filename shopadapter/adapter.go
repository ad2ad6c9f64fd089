// Package shopadapter is the contract between pubsync and a shop.
//
// An [Adapter] is a durable map from publication to listing inside somebody else's shop. The connector repeats calls
// after crashes, time-outs and lost answers, so each is idempotent, and the last put wins. Package laws checks that.
// An adapter that holds resources is also an io.Closer.
//
// An adapter keeps the texts that the merchant has edited. A note in the shop's private metadata tells its last write
// and proves ownership; a SKU never does. An incomplete listing is never on sale.
//
// An adapter's package calls [Register] from init, and a binary imports it.
package shopadapter

import (
	"context"
	"iter"
	"slices"
)

type (
	// PublicationID is the map's key: one entry of the retailer's import list. It may hold any character: escape it.
	PublicationID string

	// ListingID is the shop's id of a product, which only its adapter reads.
	ListingID string
)

// An Adapter is called from several goroutines, but never twice at once for one publication. It does not modify its
// arguments.
type Adapter interface {
	// Check asks the shop anew what it is and whether it would accept a Publish, and changes nothing. An error that is
	// not Blocked means that the shop is unreachable now.
	Check(ctx context.Context) (Info, error)

	// Publish makes the listing for ref equal to p, or creates it. Repeated calls converge on one listing, however the
	// last one ended, also without ref.Listing. changed names the groups to write; a creation writes all.
	//
	// If p.Figures is set, Publish writes only price and stock of the variants, and creates nothing. It returns ErrWhole
	// if it needs the whole product: ref.State is lost, the shop differs from ref.State, or Info.Figures is false.
	//
	// A refused variant is named in Listing.Refused, a picture not shown in Listing.Missing, and the product is sold
	// with the others. A listing is found by ref.Listing, then by the key. Publish writes nothing and returns
	//   - ErrGone if ref.Listing is set and neither finds it, until the caller clears the hint;
	//   - ErrHidden if ref.OnSale is set and the listing is not on sale;
	//   - a Blocked error if the listing of ref.Listing and ref.State has lost its stamp, until ref.Revive.
	//
	// A Listing beside an error is what is known so far, for the next ref.
	Publish(ctx context.Context, ref Ref, p Product, changed Fields) (Listing, error)

	// Unpublish takes the listing out of sale, or deletes it; a missing one is no error. It touches only products
	// that the adapter made or took over. The latter it gives back to the merchant, and says so in note.
	Unpublish(ctx context.Context, ref Ref, how Removal) (note string, err error)

	// List yields the listings with this adapter's stamp as they stand, on sale or not, in any order, by few requests,
	// and changes nothing. It ends after an error: ErrNoList if the shop cannot list, or cannot look up single ones.
	List(ctx context.Context, q Query) iter.Seq2[Listed, error]
}

// A Ref points at a listing.
type Ref struct {
	Publication PublicationID // the key; never reused
	Listing     ListingID     // a hint: may be empty or stale
	State       []byte        // of a Listing; may be lost or, without OnSale, outdated
	OnSale      bool          // the caller left it on sale, and no person asks for this
	Asked       bool          // a person waits: ask the shop anew
	Reset       Fields        // text groups in which to overwrite edits
	// Revive, asked by a person, puts disabled variants on sale and takes back a listing without its stamp.
	Revive bool
}

// Drift returns ErrGone for a deleted listing, ErrHidden for a hidden one, else nil.
func (r Ref) Drift(found, onSale bool) error {
	switch {
	case !found && r.Listing != "":
		return ErrGone
	case found && r.OnSale && !onSale:
		return ErrHidden
	}
	return nil
}

// A Listing is what the shop holds for one publication.
type Listing struct {
	ID    ListingID
	URL   string // the product's page: absolute http(s)
	State []byte // comes back in the next Ref; keep it small
	// Variants are what a visitor can buy. Publish need only set ids; from List nil means unknown, empty none.
	Variants []ListedVariant

	// Set by Publish.
	Refused map[string]string // variant id -> reason, for the merchant
	Draft   bool              // complete but off sale, as Product.Draft asked
	Kept    Fields            // edited text groups in changed, left as they are
	// Missing is the images not shown; nil if images were not in changed, or are the merchant's.
	Missing []Picture

	// Set by List. What the shop does not tell is left out, and counts as written.
	OnSale bool
	Images int // -1: unknown
	// Edited is the groups of Compared that differ from the last write. Adding, moving or removing a picture is an
	// edit, also deleting it from the shop's library.
	Compared, Edited Fields
	// Outdated is the text groups that Publish would now write otherwise: the shop has lost or gained the category.
	Outdated Fields
	Untold   Fields // price or stock that the shop does not tell
}

// A ListedVariant is a variant as it stands in the shop.
type ListedVariant struct {
	ID     string // as in Variant.ID; "" where the shop does not keep it
	ShopID string // the shop's id
	SKU    string // finds the variant where neither id does
	Price  string // where Publish writes Variant.Price, in the same form; "" for none
	// CompareAt is the former price shown, of which Price may be the merchant's reduction. "" means none, or a reduction
	// in its own field.
	CompareAt  string
	Quantity   int  // as written, less what the shop has sold since
	Uncounted  bool // sold without counting: Quantity means nothing
	Backorders bool
	OnSale     bool // can be chosen, even sold out; meaningless in a hidden listing
}

// ShopIDs returns the shop's ids by variant id.
func (l Listing) ShopIDs() map[string]string {
	ids := make(map[string]string, len(l.Variants))
	for _, v := range l.Variants {
		ids[v.ID] = v.ShopID
	}
	return ids
}

// A Query selects listings, all if zero. A listing that a whole list omits is gone.
type Query struct {
	After string // a Listed.After to continue behind; ignored without cursors
	// Refs selects single listings; nil: all, empty: none. List leaves out those that are gone or not ours.
	Refs []Ref
}

// Wants reports whether a publication is selected, for a shop without single look-ups.
func (q Query) Wants(id PublicationID) bool {
	return q.Refs == nil || slices.ContainsFunc(q.Refs, func(ref Ref) bool { return ref.Publication == id })
}

// Listed is one listing as it stands in the shop.
type Listed struct {
	Ref Ref // Publication and Listing
	Listing
	After string // the cursor behind it; "" where the shop's list has none
}

// A Picture is an image that the listing does not show.
type Picture struct {
	URL    string
	Reason string // for the merchant
	Later  bool   // not fetched yet: the caller asks again; false: refused
}

// Removal says how a listing leaves the shop.
type Removal int

// The removals.
const (
	TakeOffline Removal = iota // kept in the back office; Publish brings it back
	Delete
)

// String returns unpublish or delete, as in settings and the http protocol.
func (r Removal) String() string {
	if r == Delete {
		return "delete"
	}
	return "unpublish"
}
