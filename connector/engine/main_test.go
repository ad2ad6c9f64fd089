package engine

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // marketplaces in memory allocate much and hold little
	goleak.VerifyTestMain(m)
}
