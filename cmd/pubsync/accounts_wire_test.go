//go:build unix

// The wire between a replica and its database, which a test cuts, slows and blocks.

package main_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// A wire carries what a replica and its database say to each other.
type wire struct {
	listener net.Listener
	target   string
	under    sync.WaitGroup

	mu      sync.Mutex
	ends    map[net.Conn]bool // both ends of each connection
	slow    time.Duration     // how long each piece is on its way
	every   int               // of so many answers the last is cut in the middle; 0: none is
	answers int               // how many came since then
	blocked chan struct{}     // nil: not blocked; closed when the wire carries again
	closed  bool
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
	w := &wire{listener: l, target: u.Host, ends: map[net.Conn]bool{}}
	w.under.Go(w.accept)
	t.Cleanup(w.close)
	return w
}

// through is the address of a database with the wire in between.
func (w *wire) through(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = w.listener.Addr().String()
	return u.String()
}

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", w.target)
		if err != nil { // the database is away
			_ = client.Close()
			continue
		}
		if !w.keep(client, server) {
			return
		}
		w.under.Go(func() { w.carry(client, server, false) })
		w.under.Go(func() { w.carry(server, client, true) })
	}
}

// keep remembers a connection, unless the wire is closed.
func (w *wire) keep(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ends {
		if w.closed {
			_ = c.Close()
		} else {
			w.ends[c] = true
		}
	}
	return !w.closed
}

// carry copies one direction of a connection until either end is closed.
func (w *wire) carry(from, to net.Conn, answers bool) {
	defer func() {
		_, _ = from.Close(), to.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.ends, from)
		delete(w.ends, to)
	}()
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			w.delay()
			half := answers && w.halve(n)
			if half {
				n /= 2
			}
			if _, err := to.Write(piece[:n]); err != nil || half {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// delay returns when a piece may go on.
func (w *wire) delay() {
	w.mu.Lock()
	slow, blocked := w.slow, w.blocked
	w.mu.Unlock()
	time.Sleep(slow)
	if blocked != nil {
		<-blocked
	}
}

// halve reports whether an answer is to be cut in the middle.
func (w *wire) halve(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.every == 0 || n < 2 {
		return false
	}
	w.answers++
	return w.answers%w.every == 0
}

// delays has each piece take so much longer from now on.
func (w *wire) delays(slow time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow = slow
}

// cuts ends all connections at once.
func (w *wire) cuts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.ends {
		if c, ok := c.(*net.TCPConn); ok {
			_ = c.SetLinger(0) // with a reset, as a firewall does
		}
		_ = c.Close()
	}
}

// cutsAnswers ends a connection in the middle of an answer of the database, each time that so many
// came; 0: never.
func (w *wire) cutsAnswers(every int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.every, w.answers = every, 0
}

// blocks holds back all that is said, until the function that it returns is called. Then it
// arrives late, as what a network sends again.
func (w *wire) blocks() (carriesAgain func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	blocked := make(chan struct{})
	w.blocked = blocked
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.blocked == blocked {
			w.blocked = nil
			close(blocked)
		}
	}
}

func (w *wire) close() {
	_ = w.listener.Close()
	w.mu.Lock()
	w.closed = true
	if w.blocked != nil {
		close(w.blocked)
		w.blocked = nil
	}
	w.mu.Unlock()
	w.cuts()
	w.under.Wait()
}

// A wire carries, takes its time, holds back, and cuts.
func TestWire(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // it echoes
				defer c.Close()
				b := make([]byte, 100)
				for n, err := c.Read(b); err == nil; n, err = c.Read(b) {
					_, _ = c.Write(b[:n])
				}
			}()
		}
	}()
	address := "postgres://u@" + l.Addr().String() + "/d"
	w := openWire(t, address)
	u, err := url.Parse(w.through(t, address))
	if err != nil {
		t.Fatal(err)
	}
	var c net.Conn
	dial := func() {
		t.Helper()
		if c, err = net.Dial("tcp", u.Host); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	// echo sends four bytes, and returns how many came back within a time, and after which.
	echo := func(within time.Duration) (n int, took time.Duration) {
		t.Helper()
		begun := time.Now()
		if _, err := c.Write([]byte("four")); err != nil {
			return 0, 0
		}
		_ = c.SetReadDeadline(begun.Add(within))
		for b := make([]byte, 4); n < 4; {
			m, err := c.Read(b)
			if n += m; err != nil {
				break
			}
		}
		return n, time.Since(begun)
	}
	dial()
	if n, _ := echo(10 * time.Second); n != 4 {
		t.Errorf("a wire that carries: got %d bytes, want 4", n)
	}
	w.delays(100 * time.Millisecond)
	if n, took := echo(10 * time.Second); n != 4 || took < 200*time.Millisecond {
		t.Errorf("a slow wire: got %d bytes after %s, want 4 after 200ms", n, took)
	}
	w.delays(0)
	carriesAgain := w.blocks()
	if n, _ := echo(100 * time.Millisecond); n != 0 {
		t.Errorf("a blocked wire: got %d bytes, want none", n)
	}
	carriesAgain()
	if n, _ := echo(10 * time.Second); n != 4 {
		t.Errorf("a wire that carries again: got %d bytes, want 4", n)
	}
	if _, err := io.ReadFull(c, make([]byte, 4)); err != nil { // what was held back came first
		t.Errorf("the second answer of a wire that carries again: %v, want none", err)
	}
	dial()
	w.cutsAnswers(2)
	if n, _ := echo(10 * time.Second); n != 4 {
		t.Errorf("a wire that cuts each second answer: got %d bytes first, want 4", n)
	}
	if n, _ := echo(10 * time.Second); n != 2 {
		t.Errorf("a wire that cuts each second answer: got %d bytes then, want half of four", n)
	}
	dial()
	if n, _ := echo(10 * time.Second); n != 4 {
		t.Errorf("a connection after that: got %d bytes, want 4", n)
	}
	w.cuts()
	if n, took := echo(20 * time.Second); n != 0 || took > 10*time.Second {
		t.Errorf("a wire that was cut: got %d bytes after %s, want none at once", n, took)
	}
}
