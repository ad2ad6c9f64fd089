// Package bolt keeps a store in a bbolt file.
//
//	v1
//	├── meta         name                -> a fact about the whole: schema, account, pause
//	├── publication  id                  -> store.Record
//	├── index        key, time, id       -> ∅: the records that have a key of store.Keys, and since when
//	├── mark         id                  -> store.Mark: why and when it is due, with a generation
//	├── due          class, time, id     -> ∅: the marks in the order of work, a durable set
//	├── outbox       id                  -> store.Report: the latest status the marketplace has not acknowledged
//	├── hint         kind, hash, id      -> ∅: product and listing ids, for webhooks that name only those
//	├── sku          sku in lower case   -> who holds it, as a hash of publication and variant
//	├── cursor       name                -> store.Cursor
//	├── seen         id                  -> ∅: met by the enumeration under way
//	└── removed      time, id            -> ∅: withdrawals of the last days, for the brake
//
// # Commits
//
// Writers share a group commit, without a timer: a writer that comes while a commit is under way
// goes into the next one. A lone writer waits for one commit, as with bbolt alone. One that fails
// is taken out and fails alone.
//
// # Damage
//
// bbolt trusts its file: a damaged page makes it panic, fault, or never return. So a file is
// checked before it is used. A small one is checked page by page and value by value (each has a
// checksum), which takes about as long as reading it. Of a large one the heads, the branches, the
// list of free pages and the facts are checked, which takes milliseconds. What is read later is
// checked as it is read, and Check proves the whole of an open store. A file is born whole, under
// another name first. Damage is store.ErrCorrupt from the method that meets it, and that of a page
// from every method after, until the process opens the store anew. The free list is synced with
// each commit: it costs a little with every write and lets the check account for every page. A
// write that the disk acknowledged and lost as a whole is not found: all pages around it are in
// their old and consistent state.
//
// # Room
//
// A value is what package value makes of it. With marks, hints and SKUs a publication of three
// variants takes less than 2 KB. The file has some more: pages that are free for the next commits.
// Of the file's map only what was read lately stays in memory.
//
// # What it keeps
//
//   - Damage to the store is refused where it is met, with exit 5, the way out, and nothing
//     written: at the start anywhere in a store below 16 MiB and in the structure of a larger one,
//     and later wherever something is read. The worker proves all of the store again and again:
//     damage is found within an hour wherever it is. `doctor` and `backup` prove all of it at
//     once. A store that is replaced under a worker ends it in the same way. Where pages go bad
//     under an open store it may be Go's collector that ends the worker first, with exit 2 and a
//     trace: the next start then says exit 5.
//   - A file beside the store that is a link, no regular file, another user's, or writable by
//     others is not opened: exit 5.
//   - A backup holds all that was acknowledged before it began, and one that is put back, or a
//     store that is rebuilt from the shop, doubles nothing.
package bolt
