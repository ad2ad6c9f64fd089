package listener_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/listener"
)

// serve serves webhooks at an address, as strangers reach it.
func serve(t *testing.T, rc *receiver) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &listener.Servers{}
	s.Serve(slog.New(slog.DiscardHandler), l, rc, 256, 10*time.Second)
	t.Cleanup(func() { s.Shutdown(time.Millisecond) })
	return l.Addr().String()
}

// begin sends the beginning of a request, and is read for its answer.
func begin(t *testing.T, address, says string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) //nolint:errcheck // it may be closed already
	if _, err := io.WriteString(conn, says); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Unfinished large bodies, unsigned or with a made-up signature, keep no complete one waiting. The
// oldest gives way, and is to be sent again. Within seconds all are gone.
func TestUnfinishedBodiesGiveWay(t *testing.T) {
	t.Parallel()
	rc := newReceiver()
	address := serve(t, rc)
	var conns []net.Conn
	for i := range 80 {
		path := []string{"/webhooks", "/webhooks/path-token"}[i%2]
		conns = append(conns, begin(t, address, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-Service-Signature: %s\r\n"+
			"Content-Length: 60000\r\n\r\n%s", path, strings.Repeat("0", 64), strings.Repeat("x", 40_000))))
	}
	silent := begin(t, address, "")
	header := begin(t, address, "POST /webhooks HTTP/1.1\r\nHost: x\r\nX-")
	for _, size := range []int{0, 100_000, 1 << 19} {
		body := `{"data":{"publication":{"id":"p1"}},"more":"` + strings.Repeat("x", size) + `"}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/webhooks",
			io.MultiReader(strings.NewReader(body))) // whose length is not told
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Service-Signature", signature("secret", body))
		start := time.Now()
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close() //nolint:errcheck // its status counts
		if took := time.Since(start); res.StatusCode != http.StatusNoContent || took > 2*time.Second {
			t.Errorf("%d bytes sent whole: got %d after %s, want 204 at once", size, res.StatusCode, took)
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(conns[0]), nil)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("the oldest: got %v, %v, want 503 with Retry-After", res, err)
	}
	for _, conn := range append(conns, silent, header) {
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v: is still held after 10 s", conn.LocalAddr())
		}
	}
	if len(rc.due) != 1 {
		t.Errorf("due: %v, want p1 alone", rc.due)
	}
}

// A signed body that turns out too long is refused, an unsigned one is read to its end.
func TestBodiesOfUnknownLength(t *testing.T) {
	t.Parallel()
	rc := newReceiver()
	address := serve(t, rc)
	for path, want := range map[string]int{"/webhooks": 413, "/webhooks/path-token": 204} {
		body := strings.Repeat(" ", 1<<20) + named
		r := httptest.NewRequest(http.MethodPost, "http://"+address+path, nil)
		r.RequestURI, r.Body = "", io.NopCloser(strings.NewReader(body))
		r.ContentLength = -1
		r.Header.Set("X-Service-Signature", signature("secret", body))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, res.StatusCode, want)
		}
	}
	if len(rc.due) > 0 || rc.sweeps != 1 || rc.counted["oversized"] != 1 {
		t.Errorf("due %v, %d sweeps, counted %v, want one light sweep alone", rc.due, rc.sweeps, rc.counted)
	}
}

// Signed bodies of 1 MiB that are built to cost a parser most allocate a few times their length each,
// garbage included.
func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	const parallel, size = 8, 1 << 20
	fill := func(before, unit, after string) []byte {
		return []byte(before + strings.Repeat(unit, (size-len(before)-len(after))/len(unit)) + after)
	}
	for name, body := range map[string][]byte{
		"repeated keys":          fill(`{"data":{"publication":{`, `"id":"p1",`, `"id":"p1"}}}`),
		"repeated objects":       fill(`{"data":{`, `"publication":{"listing":{"product":{"id":1}}},`, `"a":1}}`),
		"keys of no meaning":     fill(`{"data":{`, `"a":1,`, `"b":1}}`),
		"escaped ids":            fill(`{"data":{"product":{`, `"id":"\u0061\n",`, `"id":"p1"}}}`),
		"empty lists":            fill(`{"a":[`, `[],`, `1]}`),
		"one string":             fill(`{"data":{"product":{"id":"`, `x`, `"}}}`),
		"one number":             fill(`{"data":{"product":{"id":`, `1`, `}}}`),
		"lists within one other": fill(`{"a":`, `[`, ``),
		"lists as an id":         fill(`{"data":{"product":{"id":[`, `[],`, `1]}}}`),
		"invalid UTF-8":          fill(`{"data":{"product":{"id":"`, "\xff", `"}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			rc := newReceiver()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var sending sync.WaitGroup
			for range parallel {
				sending.Go(func() {
					r := httptest.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
					r.Header.Set("X-Service-Signature", signature("secret", string(body)))
					w := httptest.NewRecorder()
					if rc.ServeHTTP(w, r); w.Code != http.StatusNoContent {
						t.Errorf("%d, want 204", w.Code)
					}
				})
			}
			sending.Wait()
			runtime.ReadMemStats(&after)
			if each := (after.TotalAlloc - before.TotalAlloc) / parallel; each > 8*size {
				t.Errorf("%d KiB were allocated for each, want %d at most", each>>10, 8*size>>10)
			}
		})
	}
}
