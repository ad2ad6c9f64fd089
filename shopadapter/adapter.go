package shopadapter

import "context"

// PublicationID names one entry of the retailer's import list. It is opaque, never reused, and the
// key of the map that an Adapter is. It may hold any character: escape it wherever it becomes part
// of a path, a query or a page.
type PublicationID string

// ListingID is the shop's own id of a product. Only the adapter that made it reads it.
type ListingID string

// An Adapter is a durable map from publication to listing, kept inside somebody else's shop.
//
// Its methods are called from several goroutines at a time, never twice at once for the same
// publication.
type Adapter interface {
	// Publish makes the listing for ref equal to p, creating it where the shop has none. However
	// the last call ended, and whether or not ref.Listing is known, calling it again converges on
	// one listing. p holds the whole product; changed names the field groups to write, and a
	// creation writes everything.
	//
	// A refused variant is a result, not an error: each is reported once, in Listing.Refused, and
	// the others are on sale. So is a picture that the shop cannot show: the product goes on sale
	// without it, and Listing.Missing names it. A listing is found by ref.Listing, then by the key.
	// Where ref.Listing is set and neither finds it, somebody deleted it: the error is ErrGone and
	// nothing is made (the caller clears the hint to have it made anew). Where ref.OnSale is set
	// and the listing is not on sale, somebody took it out of sale: the error is ErrHidden and
	// nothing is written. Where ref.Listing and ref.State name a listing whose stamp somebody
	// deleted, the error is Blocked and nothing is written, until ref.Revive takes it back. A
	// Listing returned beside an error is what is known so far, image ids say, and comes back in
	// the next call's ref.
	//
	// p and changed are the caller's: Publish does not modify what they point at.
	Publish(ctx context.Context, ref Ref, p Product, changed Fields) (Listing, error)

	// Unpublish takes the listing out of sale, or deletes it. No such listing is no error. What the
	// adapter did not create is never touched.
	Unpublish(ctx context.Context, ref Ref, how Removal) error
}

// A Ref points at a listing: the key, and what the last call left behind.
type Ref struct {
	Publication PublicationID // the key; never reused
	Listing     ListingID     // a hint: empty at first, possibly stale
	// a hint that the adapter left in a Listing (image ids, variant ids); may be lost, and without
	// OnSale older than the last write
	State []byte
	// the caller left it on sale, and no person asks for this call: where it is not on sale any
	// longer, the error is ErrHidden
	OnSale bool
	// a person waits for this call, or a full run: what was learned of the shop before may be out
	// of date
	Asked bool
	// text groups that the merchant gives back to the supplier: write them over the merchant's edit
	Reset Fields
	// a person asks for the listing: variants that somebody switched off in the shop are put on
	// sale again, and a listing whose stamp somebody deleted is taken back. Without it they stay as
	// they are, whatever is written
	Revive    bool
	UpdatedAt string // when the marketplace last changed what is to be written, as Product.UpdatedAt is
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

// A Listing is what the shop holds for one publication after a call.
type Listing struct {
	ID       ListingID
	URL      string            // where a customer sees the product: an absolute http(s) address
	State    []byte            // kept by the caller and handed back in the next Ref; keep it small
	Variants map[string]string // variant id -> the shop's id of it
	Refused  map[string]string // variant id -> why the shop refused it, for the merchant to read
	Draft    bool              // it is complete and not on sale, as Product.Draft asked
	Kept     Fields            // text groups in changed that were left as the merchant edited them
	// images of the product that the listing does not show; nil when images were not in changed, or
	// are the merchant's
	Missing []Picture
}

// A Picture is an image of the product that its listing does not show.
type Picture struct {
	URL    string // as in Product.Images
	Reason string // for the merchant to read
	Later  bool   // it could not be fetched now: a later call may succeed. False: the shop refuses the picture itself
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
