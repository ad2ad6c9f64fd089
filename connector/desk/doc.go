// Package desk has all that a person may ask of a connector: its status, the import list, one
// publication, a retry, an approval, a run, a plan, a copy of the store.
//
// A Desk is one interface with two implementations. A Local answers from the store that this
// process holds, with or without a worker beside it. A Client asks the process that holds the
// store, over its admin listener, where Handler answers with that process's Local. A command opens
// one of the two, calls it and prints what it returns; so do the dashboard and scripts, which read
// the same types as JSON.
//
// # What it keeps
//
//   - A backup leaves no file behind, however it ends.
package desk
