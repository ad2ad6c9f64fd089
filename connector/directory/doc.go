// Package directory keeps three things that the marketplace has beside the import list: the tree of
// categories, the account that the list belongs to, and the channels, which are the stores that the
// account feeds. They are kept in the store with their age.
//
// The directory is read once a day, in one request: by a worker, by the first look of a day, and by
// full runs. A run without a look reads nothing. A category that the tree lacks has the tree read
// again at once: each such category once a day, and all of them together once in ten minutes. A
// part that the marketplace refuses is asked for again after a day, alone; until then its last
// reading counts.
//
// # What it keeps
//
//   - The shop gets the whole branch of a product's category, by the names in the shop's language.
//     When the branch changes, the product follows at its next look. The tree costs one request a
//     day, and at most one more in ten minutes where it lacks a category. An idle run stays within
//     4 requests and 30 points, also where the schema cannot be read and connections have edges
//     alone. Where the marketplace has no tree, the shop gets the path and the name of the
//     listing's category. An upgrade moves nothing.
package directory
