// Package shopadapter is the contract between pubsync and a shop.
//
// An [Adapter] is a durable map from publication to listing that lives inside somebody else's shop: Publish is the map's put, Unpublish its
// delete. The connector calls it again after every crash, time-out and lost answer, so its laws are the laws of a map, not of a log: the same
// put twice is one listing, the last put wins, and a delete of what is not there is no error. The package shopadaptertest holds an adapter to
// each of them.
//
// Two methods are all that is required. What else a shop can do is found by type assertion: [Lister], [Checker] and io.Closer.
//
// # Errors
//
// An error says who can mend it. [Transient] is mended by time, [Rejected] by the supplier, [Blocked] by the merchant. An error without a kind
// is transient: trying again is the one mistake that loses nothing.
//
// # The merchant's own edits
//
// The text of a product (title, description, images, category) belongs to whoever wrote it last on purpose. An adapter writes only the field
// groups named in changed, and where one of the text groups among them holds something else in the shop than what the adapter last wrote, the
// merchant has edited it: the edit stays, and the group is named in Listing.Kept. What was last written is known from a stamp, the
// publication's id and a hash of each text group, that the adapter keeps in the shop's private metadata and writes in the same call as the
// text itself. The stamp is also what proves ownership; a SKU never is.
//
// # Never half-built
//
// A listing that is not complete is never on sale: draft first, then variants, prices and images, then publish.
//
// # Registration
//
// An adapter's package calls [Register] from its init function. The binary imports the package for that side effect, and
// PUBSYNC_SHOP_ADAPTER=name selects it.
package shopadapter
