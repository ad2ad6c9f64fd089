// Package collector sets the garbage collector up for tests.
package collector

import (
	"flag"
	"runtime/debug"
)

// Seldom has the collector run seldom in the tests of a package whose fake shop allocates much and
// holds little: it takes a third of their time else. Benchmarks measure it as it is. Call it in
// TestMain.
func Seldom() {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() == "" {
		debug.SetGCPercent(400)
	}
}
