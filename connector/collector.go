package connector

import (
	"runtime"
	"runtime/debug"
)

// heapBallast is memory that is reserved and never touched, in bytes: it takes address space and no room.
const heapBallast = 12 << 20

// TuneCollector sets Go's garbage collector as a worker needs it, and returns what undoes that.
//
// The live heap of a worker is a few mebibytes, so that the collector would run after every few mebibytes more, and take a fifth of the processor during an
// import. The ballast counts as live: the collector runs less often while the heap is small, and as before when it is large.
func TuneCollector() (undo func()) {
	ballast := make([]byte, heapBallast)
	before := debug.SetGCPercent(GCPercent)
	return func() {
		debug.SetGCPercent(before)
		runtime.KeepAlive(ballast)
	}
}
