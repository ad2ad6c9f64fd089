//go:build unix

package bolt

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFileIsTheOwnersAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := newStore(t)
	info, err := os.Stat(s.path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.path)); err != nil || len(entries) != 1 {
		t.Errorf("beside the store lies %v, %v", entries, err)
	}
	if info.Size() > 256<<10 || s.Size() != info.Size() {
		t.Errorf("a new store takes %d bytes, and says %d", info.Size(), s.Size())
	}
}
