// Package directory keeps what the marketplace says beside the import list: the tree of categories, the account that the list belongs to, and the
// channels, which are the stores that the account feeds. All of it is kept in the store with its age.
//
// It is read once a day, in one request: by a worker, by the first look of a day, and by full runs. A run that looks at nothing asks for nothing. A category that the tree lacks has it read again at once: each such category once a day, and all of them together
// once in ten minutes. A part that the marketplace refuses is asked for again after a day, alone; meanwhile what was read of it last counts.
package directory
