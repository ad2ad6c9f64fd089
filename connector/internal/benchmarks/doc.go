// Package benchmarks measures the connector as a whole: points, time, memory and the processor.
//
// Each file holds one benchmark, and its comment says what it reports and what is wanted. A rig is
// a store, a shop that accepts everything at once, and connectors between it and a sandbox of the
// marketplace. TestBenchmarksFile writes connector/BENCHMARKS.md and holds it to the code, and
// claims_test.go has the claims.
package benchmarks
