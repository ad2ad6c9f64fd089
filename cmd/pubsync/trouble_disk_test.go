//go:build linux

// A full disk refuses webhooks and loses none that was acknowledged.

package main_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// mountSmallDisk makes a file system of a few megabytes, which can be filled to the last byte.
func mountSmallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	switch err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		t.Skip("mounting a small disk takes more rights than this process has")
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// The disk is full under a worker, and is still when the next one starts. That one goes on when there
// is room.
func TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged(t *testing.T) {
	s := open(t, sandbox.Options{})
	disk := mountSmallDisk(t)
	ballast := filepath.Join(disk, "ballast")
	s.set("STORE_PATH", filepath.Join(disk, "pubsync.db"))
	known := s.lamps(2)[0]
	w := s.work("SWEEP_SCHEDULE", "@every 1s")
	w.settles(2)
	s.shop.rules(always(shoptest.Reply{Cut: shoptest.Before}))
	// A sweep would find what is new by itself, and not this.
	if err := s.market.Supply(known, []string{"cost=10.00", "msrp=21.00"}, sandbox.KeepUpdatedAt); err != nil {
		t.Fatal(err)
	}
	if status := w.hook("PUBLICATION_CREATED", created(known)); status != http.StatusNoContent {
		t.Fatalf("the first webhook was answered with %d, want %d", status, http.StatusNoContent)
	}
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	acknowledged := w.fillUp(s)
	w.isFull()
	w.kill()
	more := s.lamps(300) // than fit into what a kill may leave free in the file
	s.ends(5, "run", "--once", "--patience", "1s")
	s.market.Remove(more...)
	w = s.start()
	w.logs("worker started")
	acknowledged += w.fillUp(s) // a little room may be left in the file itself
	w.isFull()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.shop.rules(nil)
	eventually(t, 20*time.Second, "it can store webhooks again", w.ready)
	w.post("/api/v1/sweep", "{}")
	eventually(t, time.Minute, "all that was acknowledged is on sale",
		func() bool { return s.shop.onSale() == acknowledged+2 })
	eventually(t, 20*time.Second, "the silent change is in the shop",
		func() bool { return s.prices(known)[0] == "21.00" })
	w.stop()
}

// isFull checks that a worker without room says so, and goes on.
func (w *worker) isFull() {
	w.t.Helper()
	w.logs("store cannot be written, trying on")
	throughout(w.t, time.Second, "it goes on without room", w.running)
	if res, _ := w.ask("GET", "/livez", "", nil); res.StatusCode != http.StatusOK {
		w.t.Errorf("livez: %s", res.Status)
	}
	if res, body := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(body, "no space left") {
		w.t.Errorf("readyz: %s, %s", res.Status, body)
	}
}

// fillUp announces new publications until the store has no room for one, and returns how many were
// acknowledged.
func (w *worker) fillUp(s *site) (acknowledged int) {
	w.t.Helper()
	for i := range 3000 {
		id := s.add(lamp(100 + i))
		switch status := w.hook("PUBLICATION_CREATED", created(id)); status {
		case http.StatusNoContent:
			acknowledged++
		case http.StatusServiceUnavailable:
			s.market.Remove(id)
			return acknowledged
		default:
			w.t.Fatalf("a webhook was answered with %d", status)
		}
	}
	w.t.Fatalf("%d webhooks were acknowledged on a full disk", acknowledged)
	return 0
}
