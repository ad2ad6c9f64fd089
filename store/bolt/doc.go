// Package bolt keeps a store in a bbolt file.
//
// Writers share a commit, without a timer: one that comes while a commit is under way goes into the
// next.
//
// bbolt trusts its pages: the panic or the fault that a damaged one causes is caught, and every
// method returns it as store.ErrCorrupt until the process opens the file anew. Where pages go bad
// under an open file it may be Go's runtime that ends the process first, with exit 2 and a trace.
// The checksum of a value is verified when it is read.
package bolt
