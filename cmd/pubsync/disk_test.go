//go:build linux

package main_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// smallDisk mounts a file system of so few bytes, and returns its folder.
func smallDisk(t *testing.T, size string) string {
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
	return dir
}

func TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted=%t", restarted), func(t *testing.T) {
			s := open(t, sandbox.Options{})
			dir := smallDisk(t, "4m")
			s.set("STORE_PATH", filepath.Join(dir, "pubsync.db"))
			known := s.lamps(2)[0]
			w := s.work()
			w.settles(2)
			s.shop.rules(always(reply{cut: cutBefore}))
			// A sweep would find what is new by itself, and not this.
			s.keepUpdated(known, "21.00")
			if status := w.hook("PUBLICATION_CREATED", created(known)); status != http.StatusNoContent {
				t.Fatalf("the first webhook was answered with %d", status)
			}
			ballast := filepath.Join(dir, "ballast")
			if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("the disk is not full: %v", err)
			}
			acknowledged := w.fillUp(s)
			if res, _ := w.ask("GET", "/livez", "", nil); res.StatusCode != http.StatusOK {
				t.Errorf("livez: %s", res.Status)
			}
			if !strings.Contains(w.stderr.String(), "no space left") {
				t.Error("nobody is told that the disk is full")
			}
			if restarted {
				w.kill()
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			s.shop.rules(nil)
			if restarted {
				w = s.work()
			} else {
				w.post("/api/v1/sweep", "{}")
			}
			eventually(t, 20*time.Second, "all that was acknowledged is on sale", func() bool { return s.shop.onSale() == acknowledged+2 })
			eventually(t, 20*time.Second, "the silent change is in the shop", func() bool { return s.prices(known)[0] == "21.00" })
			if res, _ := w.ask("GET", "/readyz", "", nil); res.StatusCode != http.StatusOK {
				t.Errorf("readyz: %s, though there is room", res.Status)
			}
			w.stop()
		})
	}
}

// fillUp announces new publications until the store has no room for one, and returns how many were acknowledged.
func (w *worker) fillUp(s *site) (acknowledged int) {
	w.t.Helper()
	for i := range 3000 {
		id := s.add(lamp(100 + i))
		res, _ := ask(w.t, "POST", w.hooks+"/webhooks", created(id), map[string]string{"X-Service-Signature": signature(created(id))})
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
