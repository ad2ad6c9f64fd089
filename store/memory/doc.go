// Package memory is a store that ends with its process: the plainest engine, for tests, and for
// what an overlay writes. Nothing in it is fast but what a plan of a large import list asks for.
package memory
