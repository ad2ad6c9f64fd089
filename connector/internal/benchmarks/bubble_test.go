package benchmarks

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// inBenchBubble runs a part of a benchmark in a bubble, whose clock is its own: what is measured
// there is points and shares, which no other load on the machine can touch. A bubble takes a test
// and no benchmark, so that one is run here as go test itself would run it.
func inBenchBubble(b *testing.B, f func(t *testing.T)) {
	b.Helper()
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs) // RunTests goes through the list of -cpu
	ran := false
	ok := testing.RunTests(
		func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: b.Name(), F: func(t *testing.T) {
			if ran {
				return // -count and -cpu repeat the benchmark already
			}
			ran = true
			synctest.Test(t, f)
		}}},
	)
	if !ok || !ran {
		b.Fatal("the part in the bubble failed")
	}
}
