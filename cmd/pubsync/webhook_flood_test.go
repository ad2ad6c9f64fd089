// Large bodies take little memory.

package main_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestAFloodOfBodiesTakesLittleMemory sends hundreds of bodies of 1 MiB at a time, in the form that
// costs a parser most. One sender has no secret, the other knows the path token; webhooks of the
// marketplace come between them.
func TestAFloodOfBodiesTakesLittleMemory(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" {
		t.Skip("what a process has taken is read from /proc")
	}
	s := open(t, sandbox.Options{})
	s.lamps(1)
	w := s.work()
	w.settles(1)
	body := []byte(`{"data":{"publication":{` + strings.Repeat(`"id":"p1",`, (1<<20)/10-10) + `"id":"p1"}}}`)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/webhooks", "/webhooks/" + pathToken} {
		var sending sync.WaitGroup
		var acknowledged atomic.Int32
		for range 150 {
			sending.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.hooks+path,
					io.MultiReader(bytes.NewReader(body)))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("X-Service-Signature", strings.Repeat("0", 64))
				res, err := client.Do(req)
				if err != nil {
					return // cut off: it took too long
				}
				_ = res.Body.Close() //nolint:errcheck // its status counts
				if res.StatusCode == http.StatusNoContent {
					acknowledged.Add(1)
				}
			})
		}
		for i := range 5 {
			if status := w.hook("PUBLICATION_CREATED", created(s.add(lamp(10+i)))); status != http.StatusNoContent {
				t.Errorf("a webhook of the marketplace amid the flood: %d, want %d", status, http.StatusNoContent)
			}
			time.Sleep(50 * time.Millisecond)
		}
		sending.Wait()
		if n := acknowledged.Load(); path == "/webhooks" && n > 0 || path != "/webhooks" && n == 0 {
			t.Errorf("%s: %d are acknowledged", path, n)
		}
	}
	if peak := w.peak(); peak > 128<<10 {
		t.Errorf("the worker took %d MiB", peak>>10)
	}
	w.stop()
}
