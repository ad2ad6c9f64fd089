// Connections that say nothing are sent away.

package main_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// hold opens connections that say this much and no more.
func hold(t *testing.T, n int, address, says string) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = io.WriteString(conn, says) // it may be sent away already
		conns[i] = conn
	}
	return conns
}

// TestWhoeverHoldsOnIsSentAway lays siege to both listeners of a worker that may open 512
// files, with more connections than that leaves room for.
func TestWhoeverHoldsOnIsSentAway(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	s.lamps(2)
	w := s.startAs(exec.Command("sh", "-c", `ulimit -n 512 && exec "$0" run`, binary))
	eventually(t, 15*time.Second, "the worker is ready", w.ready)
	w.settles(2)
	const post = "POST /webhooks HTTP/1.1\r\nHost: x\r\nX-Service-Signature: "
	slow := map[string][]net.Conn{}
	for name, says := range map[string]string{
		"silent": "", "half a header": post, "half a body": post + strings.Repeat("0", 64) + "\r\nContent-Length: " +
			"100000\r\n\r\n{",
		"half a large body": post + strings.Repeat("0", 64) + "\r\nContent-Length: 100000\r\n\r\n" +
			strings.Repeat(" ", 20_000),
	} {
		slow[name] = hold(t, 100, w.hooks, says)
		hold(t, 40, w.admin, says)
	}
	hold(t, 160, w.admin, "POST /api/v1/sweep HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
	for i := range 2 {
		id := s.add(lamp(10 + i))
		start := time.Now()
		if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusNoContent {
			t.Fatalf("a webhook was answered with %d, want %d", status, http.StatusNoContent)
		}
		if took := time.Since(start); took > slack*15*time.Second {
			t.Errorf("a webhook was answered after %s", took)
		}
		eventually(t, 10*time.Second, "the shop and the marketplace are reached",
			func() bool { return slices.Equal(s.reported(id), []string{"success"}) })
	}
	start := time.Now()
	if res, _ := w.ask("GET", "/api/v1/status", "", nil); res.StatusCode != http.StatusOK ||
		time.Since(start) > slack*40*time.Second {
		t.Errorf("status: %s after %s", res.Status, time.Since(start))
	}
	// All of them are dropped by and by.
	deadline := time.Now().Add(slack * 10 * time.Second)
	for name, conns := range slow {
		last := conns[len(conns)-1]
		if err := last.SetReadDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, last); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: is still held after 10 s", name)
		}
	}
	large := "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n"
	for _, address := range []string{w.hooks, w.admin} {
		//nolint:errcheck // a reset may follow
		answer, _ := io.ReadAll(io.LimitReader(hold(t, 1, address, large)[0], 64))
		if !strings.HasPrefix(string(answer), "HTTP/1.1 431 ") {
			t.Errorf("a header of 64 KiB: %q", answer)
		}
	}
	w.stop()
}
