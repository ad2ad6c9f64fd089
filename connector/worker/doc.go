// Package worker works off the due set. A mark goes one way, from its claim to its settling:
//
//	schedule   claims what is next in a queue
//	look       reads the publication, has package publication decide, carries out, settles
//	call       calls the shop for it, in one of its slots
//
// A Worker joins the three: each of its goroutines claims, looks, and claims again.
//
// # What it keeps
//
//   - A backlog is more due changes than the marketplace's bucket pays for within three seconds.
//     During one, prices and stock come first: a look reads the figures of all due changes, and
//     writes them. The remainder of each change is owed from then on, and is read once nothing more
//     urgent is due; several changes of a publication share one. Each fourth look is at what is to
//     be read whole. Some looks read in full even during a backlog: where a variant came or went, where the
//     publication is not settled, and where a person asks. So do all looks outside of a backlog,
//     and with a shop that takes no figures alone.
//   - A picture that fails costs only itself: the product is on sale without it, and explain names
//     it. It is fetched again, with backoff up to four hours and over restarts, for as long as the
//     supplier offers it. All pictures of a write have half a minute together. A shop is given no
//     picture whose server does not answer.
//   - Entries of the list that do not exist delay the others by no more than it takes to list their
//     page: once ten in a row are not there, new ones are looked at lightly, fifty at a time.
//   - A publication that a signed webhook names and the API does not show yet is looked at again
//     six times, every ten seconds. It does not count as gone meanwhile.
//   - One publication that always fails, hangs, panics the adapter or the mapping, or is megabytes
//     large slows no other. explain shows its history.
//   - Product events, however many, delay no new entry: they have the class of what sweeps find.
//   - A publication that a person names by its id, to retry or to approve it, is looked at next. A
//     request that names none delays no webhook.
//   - The patience of a single run ends the calls of the adapter that are under way too. Their
//     publications stay due, behind all else that is due; exit code and summary say so.
//   - No publication is looked at twice at once, or again for a mark that another look has settled.
//     The store is never called with a mutex held.
package worker
