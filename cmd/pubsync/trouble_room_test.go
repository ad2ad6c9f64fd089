//go:build linux

// Commands on a full disk say so and leave nothing half made.

package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestASingleRunWithoutRoomIsPatientAndThenSaysSo(t *testing.T) {
	t.Parallel()
	for _, room := range []bool{false, true} {
		name := "no room"
		if room {
			name = "room in time"
		}
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			disk := mountSmallDisk(t, "2m")
			s.set("STORE_PATH", disk.path("pubsync.db"))
			s.lamps(2)
			s.imported()
			s.market.AddSound(200) // more than fits into the free pages of the file
			disk.fill()
			patience := "2s"
			if room {
				patience = "30s"
			}
			p := launch(t, s.dir, s.env, "run", "--once", "--json", "--patience", patience)
			eventually(t, 10*time.Second, "the log tells of the disk",
				func() bool { return strings.Contains(p.stderr.String(), "no space left") })
			want := 3 // the sweep could not be completed within the patience
			if room {
				disk.free()
				want = 0
			}
			code := p.code(commandBound)
			sum := s.summaryOf(result{code: code, stdout: p.stdout.String(), stderr: p.stderr.String()})
			if code != want || (sum.Error == "") != room || !room && !strings.Contains(sum.Error, "no space left") {
				t.Errorf("exit %d, %+v", code, sum)
			}
			if !room {
				disk.free()
				s.imported()
			}
			if s.shop.onSale() != 202 || len(s.market.Reports()) != 202 {
				t.Errorf("%d on sale, %d reports", s.shop.onSale(), len(s.market.Reports()))
			}
		})
	}
}

func TestABackupWithoutRoomLeavesNothing(t *testing.T) {
	s := open(t, sandbox.Options{})
	disk := mountSmallDisk(t, "1m")
	s.lamps(3)
	s.imported()
	disk.fill()
	try := func(when string) {
		t.Helper()
		if r := s.call("backup", disk.path("copy.db")); r.code == 0 || !strings.Contains(r.stderr, "no space left") ||
			strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", when, r.code, r.stderr)
		}
		if names := disk.names(); !slices.Equal(names, []string{"ballast"}) {
			t.Errorf("%s: %v is left", when, names)
		}
	}
	try("without a worker")
	w := s.work()
	try("beside the worker")
	w.stop()

	// The copy that the worker makes first lies beside its store.
	s.set("STORE_PATH", disk.path("pubsync.db"))
	disk.free()
	s.imported()
	w = s.work()
	disk.fill()
	before := disk.names()
	copied := filepath.Join(s.dir, "copy.db")
	if r := s.call("backup", copied); r.code == 0 || !strings.Contains(r.stderr, "no space left") {
		t.Errorf("no room beside the store: exit %d, %s", r.code, r.stderr)
	}
	if _, err := os.Stat(copied); err == nil || !slices.Equal(disk.names(), before) {
		t.Errorf("%v is left, and before there was %v", disk.names(), before)
	}
	disk.free()
	if r := s.call("backup", copied); r.code != 0 {
		t.Errorf("with room: exit %d, want 0, %s", r.code, r.stderr)
	}
	w.stop()
}
