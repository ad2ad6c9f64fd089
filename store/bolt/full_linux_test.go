package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// smallDisk is a folder that 3 MiB fit into.
func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("no small file system can be mounted here (%v): run as root", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	path, ballast := filepath.Join(dir, "store.db"), filepath.Join(dir, "ballast")
	s, err := openAt(path)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	for i := range 50 {
		put(t, s, store.Record{ID: fmt.Sprint("p", i), State: "live"})
	}
	var full error
	kept := 0
	for ; kept < 10_000 && full == nil; kept++ {
		full = s.Mark(t.Context(), store.Mark{ID: fmt.Sprintf("%04d %s", kept, strings.Repeat("x", 1000))})
	}
	kept--
	if !errors.Is(full, syscall.ENOSPC) || errors.Is(full, store.ErrCorrupt) {
		t.Fatalf("after %d marks: %v", kept, full)
	}
	if n, err := dueLen(t.Context(), s, start); n != kept || err != nil {
		t.Errorf("%d marks, %v, want %d", n, err, kept)
	}
	if countsOf(t.Context(), s)["live"] != 50 {
		t.Errorf("counts %v", countsOf(t.Context(), s))
	}
	must(t, s.Close())

	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) { // whatever is left
		t.Fatalf("there is room left: %v", err)
	}
	if s, err = openAt(path); err != nil {
		t.Fatalf("a store on a full disk does not open: %v", err)
	}
	if n, err := dueLen(t.Context(), s, start); n != kept || err != nil {
		t.Errorf("reopened: %d marks, %v, want %d", n, err, kept)
	}
	must(t, os.Remove(ballast))
	must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	must(t, s.Mark(t.Context(), store.Mark{ID: "room again " + strings.Repeat("x", 1000)}))
	must(t, s.Close())
	if s, err = openAt(path); err != nil {
		t.Fatal(err)
	}
	if n, err := dueLen(t.Context(), s, start); n != kept+1 || err != nil {
		t.Errorf("with room again: %d marks, %v, want %d", n, err, kept+1)
	}
}
