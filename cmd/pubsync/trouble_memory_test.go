//go:build linux

// Hostile answers take little memory.

package main_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// mostResident is the memory that a worker may take, in kibibytes, whatever it is answered. It
// holds what is resident: the program, the mapped store, the heap and what the collector has yet to
// return.
const mostResident = 256 << 10

// bombs are small answers that become large ones: gzip that unfolds to what a decoder builds most
// from, or to a publication as long as one may be.
func bombs(t *testing.T) (all [][]byte) {
	t.Helper()
	const content = `{"data":{"publication":{"id":"1","status":"syncing","updatedAt":"u","listing":{"id":"l",` +
		`"variants":{"nodes":[{"id":"v","msrp":"10.00","dropshippingPrice":"5.00"}],` +
		`"pageInfo":{"hasNextPage":false}},"translations":{"en":{"title":"Lamp","description":"`
	for _, b := range []struct {
		head, piece, tail string
		length            int // more than 16 MiB are taken of no answer
	}{
		{`{"data":{"publications":{"nodes":[{}`, `,{}`, "", 24 << 20},
		{`{"data":{"publication":{"updatedAt":"u","listing":{"translations":{"en":{}`, `,"en":{}`, "", 24 << 20},
		{content, `\u003cp\u003exx\u00e9`, `"}}}}}}`, 15 << 20},
	} {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, b.head+strings.Repeat(b.piece, b.length/len(b.piece))+b.tail)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, packed.Bytes())
	}
	return all
}

// TestHostileAnswersTakeNoMemory has the marketplace answer every second request with a bomb. The
// worker stays small, and works off what honest answers let through. Every adapter asks by the same
// client; package wire has its bounds.
func TestHostileAnswersTakeNoMemory(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	s.lamps(40)
	all, honest := bombs(t), s.market.Handler()
	var n, hits atomic.Int64
	market := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i := int(n.Add(1)); i%2 == 0 {
			honest.ServeHTTP(w, r)
		} else {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(all[i/2%len(all)])
			hits.Add(1)
		}
	}))
	t.Cleanup(market.Close)
	s.set("MARKETPLACE_URL", market.URL)
	w := s.work("SWEEP_SCHEDULE", "@every 1s")
	eventually(t, 30*time.Second, "bombs were met, and something is on sale", func() bool {
		w.post("/api/v1/sweep", `{"full":true}`)
		return hits.Load() > 20 && s.shop.onSale() > 0
	})
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := bytes.Cut(data, []byte("VmHWM:"))
	if got, err := strconv.Atoi(string(bytes.Fields(peak)[0])); err != nil || got > mostResident {
		t.Errorf("the worker held %d MiB, want at most %d, %v", got>>10, mostResident>>10, err)
	}
}
