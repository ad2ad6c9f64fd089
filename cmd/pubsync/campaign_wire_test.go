//go:build unix

// The wire between a replica and its database, and what befalls it.

package main_test

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A wire carries what a replica and its database say to each other.
type wire struct {
	net.Listener
	address *url.URL // of the database

	mu     sync.Mutex
	ends   map[net.Conn]bool // both ends of each connection
	harm   harm              // nil: none
	harmed int               // pieces that it lost or held up
}

// A harm befalls each piece of what is said, and returns how much of it is carried. A connection that
// loses something is cut.
type harm func(n int, answer bool) (carried int)

// harms are what befalls a wire for a time, or for as long as something else takes.
var harms = []struct {
	name string
	span time.Duration
	of   func() harm
}{
	{"is cut in the middle of answers", 0, func() harm {
		var answers atomic.Int64
		return func(n int, answer bool) int {
			if answer && answers.Add(1)%10 == 0 {
				n /= 2
			}
			return n
		}
	}},
	{"carries nothing for longer than a lease", longerThanALease, func() harm {
		until := time.Now().Add(longerThanALease)
		return func(n int, _ bool) int { time.Sleep(time.Until(until)); return n }
	}},
	{"is slow", 0, func() harm { return func(n int, _ bool) int { time.Sleep(100 * time.Millisecond); return n } }},
}

// openWire opens a wire to the database of an address, until the test ends.
func openWire(t *testing.T, address string) *wire {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, address: u, ends: map[net.Conn]bool{}}
	var carriers sync.WaitGroup
	carriers.Go(func() { w.accept(&carriers) })
	t.Cleanup(func() {
		_ = w.Close() //nolint:errcheck // it served its purpose
		w.suffer(nil)
		w.cut()
		carriers.Wait()
	})
	return w
}

// through is the database's address with the wire in between.
func (w *wire) through() string {
	u := *w.address
	u.Host = w.Addr().String()
	return u.String()
}

func (w *wire) accept(carriers *sync.WaitGroup) {
	defer w.cut()
	for {
		client, err := w.Accept()
		if err != nil { // the wire is closed
			return
		}
		server, err := net.Dial("tcp", w.address.Host)
		if err != nil { // the database is away
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.ends[client], w.ends[server] = true, true
		w.mu.Unlock()
		carriers.Go(func() { w.carry(client, server, false) })
		carriers.Go(func() { w.carry(server, client, true) })
	}
}

// carry copies one direction of a connection until either end is closed.
func (w *wire) carry(from, to net.Conn, answers bool) {
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		carried := n
		w.mu.Lock()
		harm := w.harm
		w.mu.Unlock()
		if begun := time.Now(); harm != nil && n > 0 {
			if carried = harm(n, answers); carried < n || time.Since(begun) > 50*time.Millisecond {
				w.mu.Lock()
				w.harmed++
				w.mu.Unlock()
			}
		}
		if _, lost := to.Write(piece[:carried]); err != nil || lost != nil || carried < n {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range []net.Conn{from, to} {
		_ = end.Close()
		delete(w.ends, end)
	}
}

// suffer has a harm befall each piece from now on, and returns how many the last one harmed.
func (w *wire) suffer(h harm) (harmed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	harmed, w.harm, w.harmed = w.harmed, h, 0
	return harmed
}

// cut ends all connections at once.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.ends {
		_ = c.Close()
	}
}
