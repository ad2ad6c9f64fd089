// Package shopadapter is the contract between pubsync and a shop.
//
// An [Adapter] is a durable map from publication to listing that lives inside somebody else's shop.
// Publish is the map's put, Unpublish its delete. The connector calls it again after every crash,
// time-out and lost answer. So its laws are the laws of a map, not of a log. The same put twice is
// one listing, the last put wins, and a delete of a missing listing is no error. The package
// laws holds an adapter to each of them. List reads the map, and Check says whether the shop
// is there, and what it is. An adapter that holds resources is also an io.Closer.
//
// # Errors
//
// An error says who can mend it. [Transient] is mended by time, [Rejected] by the supplier,
// [Blocked] by the merchant. An error without a kind is transient: trying again is the one mistake
// that loses nothing. The package httpstatus knows the kind of each HTTP status.
//
// # The merchant's own edits
//
// The merchant may edit the text of a product: title, description, images, category. An adapter
// writes only the field groups named in changed. A text group among them may hold something else in
// the shop than the adapter last wrote: then the merchant has edited it. The edit stays, and the
// group is named in Listing.Kept. The adapter knows its last write from a note: the publication's
// id and a hash of each text group. It keeps the note in the shop's private metadata and writes it
// in the same call as the text itself. The note is also what proves ownership; a SKU never is. The
// package kit does the comparing for every adapter.
//
// # Never half-built
//
// A listing that is not complete is never on sale: draft first, then variants, prices and images,
// then publish.
//
// # Packages beside this one
//
// They serve any adapter, also one in another module. Package kit has what adapters decide alike: the
// merchant's edits, variants, pictures, pages. Package wire makes requests with bounded answers
// and shows a shop's words, httpstatus tells the kind of an error, fetch gets pictures, pace serves a
// shop that counts points, and laws holds an adapter to the laws.
//
// # Registration
//
// An adapter's package calls [Register] from its init function. The binary imports the package for
// that side effect, and PUBSYNC_SHOP_ADAPTER=name selects it.
package shopadapter
