// Package memory is a store that ends with its process: the plainest engine, for tests, and for
// what an overlay writes. Only what a plan of a large import list asks for is fast.
package memory
