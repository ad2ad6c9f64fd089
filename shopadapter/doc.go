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
