// Package benchmarks measures the connector as a whole. Counts on a clock of their own are tests (points_test.go);
// times and sizes of this machine are benchmarks.
package benchmarks
