//go:build unix

package benchmarks

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is the processor time that this process has had.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	took, err := cpuSince()
	if err != nil {
		b.Fatal(err)
	}
	return took
}

// cpuSince is the processor time that this process has had since it began.
func cpuSince() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
