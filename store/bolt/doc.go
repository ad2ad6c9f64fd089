// Package bolt keeps a store in a bbolt file.
//
// bbolt trusts its pages: the panic or the fault that a damaged one causes is caught, and every
// method returns it as store.ErrCorrupt until another process opens the file anew. The checksum of a
// value is verified when it is read.
package bolt
