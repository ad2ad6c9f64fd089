//go:build linux

// A full disk refuses webhooks and loses none that was acknowledged.

package main_test

import (
	"errors"
	"net"
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

// A smallDisk is a file system of a few megabytes, which can be filled to the last byte.
type smallDisk struct {
	t   *testing.T
	dir string
}

func mountSmallDisk(t *testing.T, size string) smallDisk {
	t.Helper()
	dir := t.TempDir()
	switch err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); {
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
	return smallDisk{t, dir}
}

func (d smallDisk) path(name string) string { return filepath.Join(d.dir, name) }

func (d smallDisk) fill() {
	d.t.Helper()
	if err := os.WriteFile(d.path("ballast"), make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		d.t.Fatalf("the disk is not full: %v", err)
	}
}

func (d smallDisk) free() {
	d.t.Helper()
	if err := os.Remove(d.path("ballast")); err != nil {
		d.t.Fatal(err)
	}
}

func TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, restart := range []string{"no restart", "restart with room", "restart without room"} {
		t.Run(restart, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			disk := mountSmallDisk(t, "4m")
			s.set("STORE_PATH", disk.path("pubsync.db"))
			known := s.lamps(2)[0]
			w := s.work("SWEEP_SCHEDULE", "@every 1s")
			w.settles(2)
			s.shop.rules(always(shoptest.Reply{Cut: shoptest.Before}))
			// A sweep would find what is new by itself, and not this.
			s.keepUpdated(known, "21.00")
			if status := w.hook("PUBLICATION_CREATED", created(known)); status != http.StatusNoContent {
				t.Fatalf("the first webhook was answered with %d, want %d", status, http.StatusNoContent)
			}
			disk.fill()
			acknowledged := w.fillUp(s)
			w.isFull()
			switch restart {
			case "restart with room":
				w.kill()
				disk.free()
				w = s.work()
			case "restart without room":
				w.kill()
				w = s.start()
				eventually(t, 15*time.Second, "it listens", func() bool {
					conn, err := net.Dial("tcp", strings.TrimPrefix(w.hooks, "http://"))
					if err == nil {
						_ = conn.Close()
					}
					return err == nil
				})
				acknowledged += w.fillUp(s) // a little room may be left in the file itself
				w.isFull()
				disk.free()
			default:
				disk.free()
			}
			s.shop.rules(nil)
			eventually(t, 20*time.Second, "it can store webhooks again", w.ready)
			w.post("/api/v1/sweep", "{}")
			eventually(t, time.Minute, "all that was acknowledged is on sale",
				func() bool { return s.shop.onSale() == acknowledged+2 })
			eventually(t, 20*time.Second, "the silent change is in the shop",
				func() bool { return s.prices(known)[0] == "21.00" })
			w.stop()
		})
	}
}

// isFull checks that a worker without room says so, once, and goes on.
func (w *worker) isFull() {
	w.t.Helper()
	eventually(w.t, 20*time.Second, "the log tells of the disk",
		func() bool { return strings.Contains(w.stderr.String(), "store cannot be written") })
	throughout(w.t, 1500*time.Millisecond, "it goes on without room", w.running)
	if res, _ := w.ask("GET", "/livez", "", nil); res.StatusCode != http.StatusOK {
		w.t.Errorf("livez: %s", res.Status)
	}
	if res, body := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(body, "no space left") {
		w.t.Errorf("readyz: %s, %s", res.Status, body)
	}
	log := w.stderr.String()
	if n := strings.Count(log, "store cannot be written, trying on"); n != 1 {
		w.t.Errorf("the full disk is told of %d times", n)
	}
	if n := strings.Count(log, "no space left"); n > 10 { // what was under way may tell of it too
		w.t.Errorf("%d lines are logged of one full disk: %s", n, tail(log))
	}
}

// fillUp announces new publications until the store has no room for one, and returns how many were
// acknowledged.
func (w *worker) fillUp(s *site) (acknowledged int) {
	w.t.Helper()
	for i := range 3000 {
		id := s.add(lamp(100 + i))
		res, _ := ask(w.t, "POST", w.hooks+"/webhooks", created(id),
			map[string]string{"X-Service-Signature": signature(created(id))})
		switch res.StatusCode {
		case http.StatusNoContent:
			acknowledged++
		case http.StatusServiceUnavailable:
			if res.Header.Get("Retry-After") == "" {
				w.t.Error("503 without Retry-After")
			}
			s.market.Remove(id)
			return acknowledged
		default:
			w.t.Fatalf("a webhook was answered with %s", res.Status)
		}
	}
	w.t.Fatalf("%d webhooks were acknowledged on a full disk", acknowledged)
	return 0
}
