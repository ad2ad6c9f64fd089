// Connections that say nothing keep nobody out.

package main_test

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestASiegeKeepsNobodyOut lays siege to both listeners of a worker that may open 512 files, with more
// connections than that leaves room for. Package listener has when each of them is dropped.
func TestASiegeKeepsNobodyOut(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	w := s.startAs(exec.Command("sh", "-c", `ulimit -n 512 && exec "$0" run`, binary))
	eventually(t, 15*time.Second, "the worker is ready", w.ready)
	const half = "POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"
	for _, address := range []string{w.hooks, w.admin} {
		for i := range 320 {
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			if i%2 == 0 {
				_, _ = io.WriteString(conn, half) // it may be sent away already
			}
		}
	}
	id := s.add(lamp(10))
	if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusNoContent {
		t.Fatalf("a webhook was answered with %d, want %d", status, http.StatusNoContent)
	}
	eventually(t, 10*time.Second, "the shop and the marketplace are reached",
		func() bool { return slices.Equal(s.reported(id), []string{"success"}) })
	if res, _ := w.ask("GET", "/api/v1/status", "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("status: %s", res.Status)
	}
	w.stop()
}
