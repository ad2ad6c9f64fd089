//go:build unix

package benchmarks

import (
	"syscall"
	"time"
)

// cpuSince is the processor time that this process has had since it began.
func cpuSince() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
