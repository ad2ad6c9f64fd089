package listener

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// dial opens a connection and sends the first bytes on it.
func dial(t *testing.T, address, first string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, first); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answered is the status line of the next answer on a connection.
func answered(t *testing.T, conn net.Conn) string {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("got no answer: %v, want one", err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.Status
}

// TestConnLimiter holds more connections than there is room for, of each kind that costs its sender
// nothing, and wants a quick sender answered each time.
func TestConnLimiter(t *testing.T) {
	const most = 8
	const good = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok"
	for _, tt := range []struct{ name, says string }{
		{"silent", ""},
		{"half a header", "POST / HTTP/1.1\r\nHost: x\r\nX-"},
		{"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\no"},
		{"idle once answered", good},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // each waits a second or two for the connections that stay
			known, leave := make(chan struct{}), make(chan struct{})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := &Servers{}
			s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					return
				}
				if r.URL.Path == "/long" {
					Keep(r)
					close(known)
					<-leave
				}
			}), 20*time.Second, newConnLimiter(most))
			defer s.Shutdown(time.Millisecond)
			address := l.Addr().String()
			long := dial(t, address, strings.Replace(good, "POST /", "POST /long", 1))
			<-known
			for range 2 {
				for range most {
					dial(t, address, tt.says)
				}
				if status := answered(t, dial(t, address, good)); status != "200 OK" {
					t.Errorf("among %d others: got %s, want 200 OK", most, status)
				}
			}
			close(leave)
			if status := answered(t, long); status != "200 OK" {
				t.Errorf("an authenticated one: got %s, want 200 OK", status)
			}
		})
	}
}

// A burst over far more connections than there is room for is answered to the last, each over a
// connection of its own, and none waits for those that were answered and stay open.
func TestBurstOfConnections(t *testing.T) {
	t.Parallel()
	const most, senders = 8, 200
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Servers{}
	s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			Keep(r)
			time.Sleep(2 * time.Millisecond)
			w.WriteHeader(http.StatusNoContent)
		}
	}), 20*time.Second, newConnLimiter(most))
	defer s.Shutdown(time.Millisecond)
	start := time.Now()
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = conn.Close() }) // not before all are answered
			fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || res.StatusCode != http.StatusNoContent {
				t.Errorf("got %v, %v, want 204", res, err)
			}
		})
	}
	sending.Wait()
	if took := time.Since(start); took > time.Minute {
		t.Errorf("got %d answered after %s, want them within a minute", senders, took)
	}
}

// A stop waits for authenticated senders, and not for the others.
func TestConnectionsAtAStop(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Servers{}
	known, leave := make(chan struct{}), make(chan struct{})
	s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		Keep(r)
		close(known)
		<-leave
	}), time.Minute, newConnLimiter(8))
	const good = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok"
	long := dial(t, l.Addr().String(), good)
	<-known
	slow := dial(t, l.Addr().String(), good[:len(good)-1])
	stopped := make(chan struct{})
	go func() {
		s.Shutdown(time.Minute)
		close(stopped)
	}()
	if _, err := slow.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the one that holds on: got %v, want it closed", err)
	}
	select {
	case <-stopped:
		t.Error("got stopped while a request was under way, want it answered first")
	default:
	}
	close(leave)
	if status := answered(t, long); status != "200 OK" {
		t.Errorf("the request under way: got %s, want 200 OK", status)
	}
	<-stopped
}

// A kept connection takes a place. Where all places are taken by such, the next connection is
// closed.
func TestKeptConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newConnLimiter(2)
		conns := make([]net.Conn, 3)
		for i := range conns {
			here, there := net.Pipe()
			defer there.Close() //nolint:errcheck // a pipe
			conns[i] = here
			ctx := c.admit(t.Context(), here)
			Keep(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
			if gone := ctx.Err() != nil; gone != (i == 2) {
				t.Errorf("connection %d: got gone %t, want %t", i, gone, i == 2)
			}
		}
		c.changed(conns[2], http.StateClosed) // as the server says once its read fails
		c.changed(conns[0], http.StateIdle)   // answered: it may go again
		fourth, there := net.Pipe()
		defer there.Close() //nolint:errcheck // a pipe
		if ctx := c.admit(t.Context(), fourth); ctx.Err() != nil {
			t.Errorf("after an answer: the newcomer got %v, want it open", ctx.Err())
		}
		if c.open[conns[0]] != nil {
			t.Error("after an answer: the first is open, want it closed")
		}
		if c.open[conns[1]] == nil {
			t.Error("after an answer: the second is closed, want it open")
		}
		if len(c.open) != 2 {
			t.Errorf("after an answer: got %d open, want 2", len(c.open))
		}
		for _, conn := range []net.Conn{conns[1], fourth} {
			c.changed(conn, http.StateClosed)
		}
		if len(c.open) != 0 || c.evictable.Len() != 0 {
			t.Errorf("when all have gone: got %d open and %d evictable, want none", len(c.open), c.evictable.Len())
		}
	})
}

// Some places are never kept: they are left for short requests.
func TestPlacesForShortQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newConnLimiter(4)
		c.kept = 3
		ctxs := make([]context.Context, 5)
		for i := range ctxs {
			here, there := net.Pipe()
			defer there.Close() //nolint:errcheck // a pipe
			ctxs[i] = c.admit(t.Context(), here)
			if i < 4 {
				Keep(httptest.NewRequestWithContext(ctxs[i], http.MethodGet, "/", nil))
			}
		}
		for i, ctx := range ctxs {
			if gone := ctx.Err() != nil; gone != (i == 3) {
				t.Errorf("connection %d: got gone %t, want %t", i, gone, i == 3)
			}
		}
	})
}
