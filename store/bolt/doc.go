// Package bolt keeps a store in a bbolt file: a KV, with the buckets of package keyed in the bucket v1.
//
// # Commits
//
// Writers share a group commit, without a timer: a writer that comes while a commit is under way
// goes into the next one. A lone writer waits for one commit, as with bbolt alone. One that fails
// leaves nothing behind and fails alone.
//
// # Damage
//
// Each value has a checksum, which is verified when the value is read. bbolt trusts its pages: a
// panic or a fault that a damaged one causes is caught. Damage is store.ErrCorrupt from the method
// that meets it, and that of a page from every method after, until the process opens the store
// anew. Check verifies all values and bbolt's structure. A file is born whole, under another name
// first.
//
// # Room
//
// A value is what package value makes of it. With marks, hints and SKUs a publication of three
// variants takes less than 2 KB. The file has some more: pages that are free for the next commits.
//
// # What it keeps
//
//   - Damage to the store is refused where it is met, with exit 5 and the way out. `doctor` and
//     `backup` look for it in the whole file. A store that is replaced under a worker ends it in
//     the same way. Where pages go bad under an open store it may be Go's runtime that ends the
//     process first, with exit 2 and a trace.
//   - A file beside the store that is a link, no regular file, another user's, or writable by
//     others is not opened: exit 5.
//   - A backup holds all that was acknowledged before it began, and one that is put back, or a
//     store that is rebuilt from the shop, doubles nothing.
package bolt
