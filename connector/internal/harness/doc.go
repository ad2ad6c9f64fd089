// Package harness is what tests of the connector as a whole stand on.
//
// A Bench does what a supplier, a person or a scheduler does. A test belongs to the package whose behaviour it
// holds. It asks the desk, the shop, the marketplace or the store, never a field of the connector. Tests that wait
// run in a bubble of testing/synctest.
package harness
