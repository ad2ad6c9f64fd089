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
	"net/http/httputil"
	"net/url"
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

// A bomb is a small answer that becomes a large one: gzip that unfolds to as much as length bytes.
type bomb struct {
	name   string
	packed []byte
	hits   atomic.Int64
}

// bombs unfold into what a decoder builds most from, in the places where a marketplace or a shop
// answers.
func bombs(tb testing.TB) []*bomb {
	tb.Helper()
	const content = `{"data":{"publication":{"id":"1","status":"syncing","updatedAt":"u","listing":{"id":"l",` +
		`"variants":{"nodes":[{"id":"v","msrp":"10.00","dropshippingPrice":"5.00"}],` +
		`"pageInfo":{"hasNextPage":false}},"translations":{"en":{"title":"Lamp","description":"`
	var all []*bomb
	for _, b := range []struct {
		name, head, piece string
		tail              string // makes it whole, and as long as is taken of a publication
	}{
		{"errors", `{"errors":[{}`, `,{}`, ""},
		{"entries", `{"data":{"publications":{"nodes":[{}`, `,{}`, ""},
		{"translations", `{"data":{"publication":{"updatedAt":"u","listing":{"translations":{"en":{}`, `,"en":{}`, ""},
		{"depth", `{"data":`, `[`, ""},
		{"a page", `<html>`, `<p>x,[{`, ""},
		{"a whole publication, long", content, "<p>xxxxxxx", `"}}}}}}`},
		{"a whole publication, escaped", content, `\u003cp\u003exx\u00e9`, `"}}}}}}`},
	} {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		if err != nil {
			tb.Fatal(err)
		}
		_, _ = io.WriteString(w, b.head)
		piece := strings.Repeat(b.piece, 64<<10/len(b.piece))
		length := 24 << 20 // more than is taken of any answer
		if b.tail != "" {
			length = 15 << 20
		}
		for range length / len(piece) {
			_, _ = io.WriteString(w, piece)
		}
		_, _ = io.WriteString(w, b.tail)
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
		all = append(all, &bomb{name: b.name, packed: packed.Bytes()})
	}
	return all
}

// unused is a bomb that no request was answered with, "" when there is none.
func unused(all []*bomb) (name string) {
	for _, b := range all {
		if b.hits.Load() == 0 {
			return b.name
		}
	}
	return ""
}

// hostile answers every second request with a bomb, and passes the others on. The answers to one
// request in three have a status that is an error.
func hostile(t *testing.T, all []*bomb, target string) *httptest.Server {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := n.Add(1)
		if i%2 == 0 {
			proxy.ServeHTTP(w, r)
			return
		}
		b := all[int(i)%len(all)]
		b.hits.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		if i%3 == 0 {
			w.WriteHeader([]int{http.StatusBadRequest, http.StatusBadGateway, http.StatusUnprocessableEntity}[i/3%3])
		}
		_, _ = w.Write(b.packed)
	}))
	t.Cleanup(server.Close)
	return server
}

// TestHostileAnswersTakeNoMemory has the marketplace and the shop answer with bombs. The worker stays small, ready,
// and works off what honest answers let through. Every adapter asks by the same client.
func TestHostileAnswersTakeNoMemory(t *testing.T) {
	long(t)
	all := bombs(t)
	s := open(t, sandbox.Options{})
	s.lamps(40)
	market, shop := hostile(t, all, s.market.URL), hostile(t, all, s.shop.server.URL)
	s.set("MARKETPLACE_URL", market.URL, "HTTP_URL", shop.URL)
	w := s.work("SWEEP_SCHEDULE", "@every 1s", "RESYNC_SCHEDULE", "@every 2s")
	for round := 0; round < 3 || round < 60 && unused(all) != ""; round++ {
		time.Sleep(time.Second / 2)
		if res, _ := w.ask("POST", "/api/v1/sweep", `{"full":true}`, nil); res.StatusCode != http.StatusAccepted {
			t.Fatalf("a sweep was answered with %s", res.Status)
		}
		if !w.ready() {
			t.Fatal("the worker is not ready")
		}
	}
	if name := unused(all); name != "" {
		t.Errorf("nobody was answered with %s", name)
	}
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
