//go:build linux

// Hostile answers take little memory.

package main_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
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

// bombs are small answers that become large ones: gzip that unfolds into what a decoder builds most from, in the
// places where a marketplace or a shop answers.
func bombs(tb testing.TB) (packed [][]byte) {
	tb.Helper()
	const content = `{"data":{"publication":{"id":"1","status":"syncing","updatedAt":"u","listing":{"id":"l",` +
		`"variants":{"nodes":[{"id":"v","msrp":"10.00","dropshippingPrice":"5.00"}],` +
		`"pageInfo":{"hasNextPage":false}},"translations":{"en":{"title":"Lamp","description":"`
	for _, b := range []struct {
		head, piece string
		tail        string // makes it whole, and as long as is taken of a publication
	}{
		{`{"errors":[{}`, `,{}`, ""},
		{`{"data":{"publications":{"nodes":[{}`, `,{}`, ""},
		{`{"data":`, `[`, ""},
		{`<html>`, `<p>x,[{`, ""},
		{content, `\u003cp\u003exx\u00e9`, `"}}}}}}`},
	} {
		var whole bytes.Buffer
		w, err := gzip.NewWriterLevel(&whole, gzip.BestSpeed)
		if err != nil {
			tb.Fatal(err)
		}
		length := 24 << 20 // more than is taken of any answer
		if b.tail != "" {
			length = 15 << 20
		}
		_, _ = io.WriteString(w, b.head)
		piece := strings.Repeat(b.piece, 64<<10/len(b.piece))
		for range length / len(piece) {
			_, _ = io.WriteString(w, piece)
		}
		_, _ = io.WriteString(w, b.tail)
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		packed = append(packed, whole.Bytes())
	}
	return packed
}

// hostile is the address of a server that answers every second request with a bomb, and passes the others on. The
// status of one answer in three is an error.
func hostile(t *testing.T, all [][]byte, bombed *atomic.Int64, target string) string {
	t.Helper()
	var n atomic.Int64
	return before(t, target, func(w http.ResponseWriter, _ string) bool {
		if n.Add(1)%2 == 0 {
			return false
		}
		i := bombed.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		if i%3 == 0 {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write(all[int(i)%len(all)])
		return true
	})
}

// TestHostileAnswersTakeNoMemory has the marketplace and the shop answer with bombs. The worker stays small, ready,
// and works off what honest answers let through. Every adapter asks by the same client.
func TestHostileAnswersTakeNoMemory(t *testing.T) {
	long(t)
	all := bombs(t)
	s := open(t, sandbox.Options{})
	s.lamps(40)
	var bombed atomic.Int64
	s.set("MARKETPLACE_URL", hostile(t, all, &bombed, s.market.URL))
	s.set("HTTP_URL", hostile(t, all, &bombed, s.shop.server.URL))
	w := s.work("SWEEP_SCHEDULE", "@every 1s", "RESYNC_SCHEDULE", "@every 2s")
	eventually(t, 30*time.Second, "each bomb has been an answer twice, and the worker is ready", func() bool {
		w.post("/api/v1/sweep", `{"full":true}`)
		time.Sleep(time.Second / 2)
		return w.ready() && bombed.Load() >= 2*int64(len(all))
	})
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := bytes.Cut(data, []byte("VmHWM:"))
	got, err := strconv.Atoi(string(bytes.Fields(peak)[0]))
	if err != nil || got > mostResident {
		t.Errorf("the worker held %d MiB, want at most %d, %v", got>>10, mostResident>>10, err)
	}
	t.Logf("the worker held %d MiB at most", got>>10)
	eventually(t, 30*time.Second, "something is on sale", func() bool { return s.shop.onSale() > 0 })
}
