package connector

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has the collector run seldom: the tests allocate much and hold little, and a fifth of
// their time went there. Benchmarks measure it as it is.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
