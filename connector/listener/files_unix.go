//go:build unix

package listener

import "syscall"

// mayOpen is how many files this process may open, sockets among them.
func mayOpen() int {
	limit := syscall.Rlimit{Cur: 1024}
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) //nolint:errcheck // then it is the usual limit
	return int(min(limit.Cur, 2048))                     //nolint:gosec // bounded
}
