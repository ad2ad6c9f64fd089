//go:build unix

package setup

import (
	"os"
	"syscall"
)

// ours reports whether a file belongs to this user, or to the owner of the store.
func ours(info, store os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int64(stat.Uid) == int64(os.Geteuid()) {
		return true
	}
	of, ok := store.Sys().(*syscall.Stat_t)
	return ok && of.Uid == stat.Uid
}
