// Package directory keeps what the marketplace says beside the import list: the tree of categories,
// the account that the list belongs to, and the channels, which are the stores that the account
// feeds. All of it is kept in the store with its age.
//
// It is read once a day, in one request: by a worker, by the first look of a day, and by full runs.
// A run that looks at nothing asks for nothing. A category that the tree lacks has it read again at
// once: each such category once a day, and all of them together once in ten minutes. A part that
// the marketplace refuses is asked for again after a day, alone; meanwhile what was read of it last
// counts.
//
// # What it keeps
//
//   - A product is told of the whole branch that its category stands in, by the names in the
//     shop's language, and follows when the branch changes, at its next look. The tree costs one
//     request a day, and one more in ten minutes at most where it lacks a category; an idle run
//     stays within 4 requests and 30 points, also where the schema cannot be read and connections
//     have edges alone. Where the marketplace tells no tree, the path and the name of the listing
//     are all that the shop is told. An upgrade moves nothing. (TestCategoryBranch,
//     TestTheTreeCostsNextToNothing, TestTheMainJobWithoutIntrospection, TestReadOnceADay,
//     TestUnknownPath, TestRefusedPart, TestDifferingOfBranches)
package directory
