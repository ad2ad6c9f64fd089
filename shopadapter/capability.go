package shopadapter

import (
	"context"
	"iter"
)

// A Lister can enumerate what it made. With it a lost store is rebuilt from the shop. On an empty
// store it tells our entries from those that another tool published.
type Lister interface {
	// Listings ranges over every listing that carries this adapter's stamp, in any order, on sale
	// or not. It ends after the first error, which is ErrNoList where this shop turns out to have
	// no list; the adapter is then as one that is no Lister.
	Listings(ctx context.Context) iter.Seq2[Listed, error]
}

// Listed is one listing as the shop holds it.
type Listed struct {
	Ref    Ref
	URL    string
	OnSale bool
}

// A Withdrawer can tell where a listing left the shop in another way than was asked for. A product
// of the merchant's own that was taken over, for one, is given back in place of being deleted.
type Withdrawer interface {
	// Withdraw is Unpublish with a note for the merchant to read, "" where the listing left as
	// asked.
	Withdraw(ctx context.Context, ref Ref, how Removal) (note string, err error)
}

// A Checker can tell whether the shop would accept a Publish now. It is asked at start, by doctor,
// and to find out whether a shop that refused everything is back. It changes nothing in the shop.
type Checker interface {
	// Check returns nil when the shop is reachable, the credentials are good and everything the
	// adapter needs is in place. An error of kind Blocked says what the merchant must do; any other
	// says that the shop is not reachable now.
	Check(ctx context.Context) error
}

// A Versioner can tell what the shop is, for people: doctor shows it.
type Versioner interface {
	// Version is the shop's own word, fit to be shown; "" where it says nothing. It changes nothing
	// in the shop.
	Version(ctx context.Context) (string, error)
}

// A Warner can tell what keeps visitors from what is on sale though the shop accepts products: that
// it shows them a placeholder, say. doctor and status show it.
type Warner interface {
	// Warning says what a person should know and do, fit to be shown; "" where visitors see what is
	// on sale, or where that is not known. It changes nothing in the shop.
	Warning(ctx context.Context) (string, error)
}

// A Reviewer knows when a listing should be written again although its product is the same: a
// setting has changed, or the shop has what it lacked. Without it, the advice "make a category of
// this name" moves a product only with the supplier's next change.
type Reviewer interface {
	// Review names the text groups that Publish would write otherwise today than the call that left
	// ref.State. The caller asks for each listing on sale whose product is unchanged, so Review
	// should make a request only where it must. It changes nothing. For a State that is lost or
	// unknown it names no groups.
	Review(ctx context.Context, ref Ref) (Fields, error)

	// ReviewedBy is a short digest of the settings that Review depends on. Where it has changed
	// since the last start, the caller reviews every listing.
	ReviewedBy() string
}

// A Restocker can bring prices and stock in line without the rest of the product: while the
// marketplace's points are scarce, they are all that is read of a change at first. Without it every
// change is read in full.
type Restocker interface {
	// Restock leaves the shop as Publish with the same figures would: price and stock of the
	// variants, which are all that the product has, and of which changed names the groups to write.
	// It touches nothing else and makes nothing. Listing, ErrGone, ErrHidden and the other errors
	// are as with Publish. Where the adapter needs the whole product, since ref.State is lost or
	// what the shop has is not what the State says, the error is ErrWhole, and nothing was written.
	Restock(ctx context.Context, ref Ref, variants []Figures, changed Fields) (Listing, error)
}

// RestockerOf is the adapter as a Restocker, nil where it is none. Where the shop decides that, an
// adapter has a method Restocks beside Restock. It is asked before each reading of figures, and
// keeps what it found out.
func RestockerOf(ctx context.Context, a Adapter) Restocker {
	r, ok := a.(Restocker)
	if !ok {
		return nil
	}
	if asked, ok := a.(interface {
		Restocks(ctx context.Context) bool
	}); ok && !asked.Restocks(ctx) {
		return nil
	}
	return r
}
