// Package fakeshop is a WooCommerce in this process, for the tests of the adapter and of its rooms.
//
// It does what a real WooCommerce 11.0.1 was seen to do, above all the unexpected: the comments
// name each such habit where it lives. Its answers are held against recorded ones, and each request
// that it gets against the schemas of the routes (testdata/schema.json).
//
// A [Shop] is a transport. It executes a request to its end even when the client is gone, as PHP
// does. Its fields are the switches of a test: what a plugin refuses, where PHP dies, how long a
// picture takes.
package fakeshop
