package shopadapter

import (
	"context"
	"iter"
)

// A Lister can enumerate what it made. With it a lost store is rebuilt from the shop, and on an empty store an entry that another tool
// published is told from one of ours.
type Lister interface {
	// Listings ranges over every listing that carries this adapter's stamp, in any order, on sale or not. It ends after the first error.
	Listings(ctx context.Context) iter.Seq2[Listed, error]
}

// Listed is one listing as the shop holds it.
type Listed struct {
	Ref    Ref
	URL    string
	OnSale bool
}

// A Checker can tell whether the shop would take a Publish now. It is asked at start, by doctor, and to find out whether a shop that refused
// everything is back. It changes nothing in the shop.
type Checker interface {
	// Check returns nil when the shop is reachable, the credentials are good and everything the adapter needs is in place. An error of kind
	// Blocked says what the merchant must do; any other says that the shop is not reachable now.
	Check(ctx context.Context) error
}
