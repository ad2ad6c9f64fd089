// Package benchmarks measures the connector as a whole: points, time, memory and the processor.
//
// What is counted on a clock of its own is a test with a bound (points_test.go). What is a time or a
// size of this machine is a benchmark. A rig is a store, a shop that accepts everything at once, and
// connectors between it and a sandbox of the marketplace.
package benchmarks
