// Package directory keeps what the marketplace has beside the import list: the account that the list
// belongs to, the channels, which are the stores that the account feeds, and the tree of categories.
//
// It is read once a day, in one request: by a worker, by the first look of a day, and by full runs. A
// run without a look reads nothing. A category that the tree lacks has the tree read again at once,
// every ten minutes at most. Of a part that the marketplace refuses the last reading counts, and a
// new token has everything read anew.
//
// The shop gets the whole branch of a product's category, by the names in the shop's language. Where
// the marketplace has no tree, it gets the path and the name of the listing's category.
package directory
