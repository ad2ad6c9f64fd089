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
	harm    atomic.Pointer[harm]
	harmed  atomic.Int64 // pieces that it lost or held up
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
	w := &wire{Listener: l, address: u}
	var carriers sync.WaitGroup
	carriers.Go(func() {
		for client, err := w.Accept(); err == nil; client, err = w.Accept() {
			server, err := net.Dial("tcp", u.Host)
			if err != nil { // the database is away
				_ = client.Close()
				continue
			}
			carriers.Go(func() { w.carry(client, server, false) })
			carriers.Go(func() { w.carry(server, client, true) })
		}
	})
	t.Cleanup(func() { // of the processes at its ends, whose cleanups have run
		_ = w.Close()
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

// carry copies one direction of a connection until either end is closed.
func (w *wire) carry(from, to net.Conn, answers bool) {
	defer from.Close() //nolint:errcheck // it is cut
	defer to.Close()   //nolint:errcheck // it is cut
	for piece := make([]byte, 16<<10); ; {
		n, err := from.Read(piece)
		carried := n
		if h := w.harm.Load(); h != nil && n > 0 {
			begun := time.Now()
			if carried = (*h)(n, answers); carried < n || time.Since(begun) > 50*time.Millisecond {
				w.harmed.Add(1)
			}
		}
		if _, lost := to.Write(piece[:carried]); err != nil || lost != nil || carried < n {
			return
		}
	}
}
