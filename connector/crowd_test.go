package connector

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

// dial opens a connection and says what a sender of some kind would say first.
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
		t.Fatalf("no answer: %v", err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.Status
}

// TestCrowd holds more connections than there is room for, of each kind that costs its sender nothing, and wants a quick sender answered each time.
func TestCrowd(t *testing.T) {
	const most = 8
	const good = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok"
	for _, tt := range []struct{ name, says string }{
		{"silent", ""},
		{"half a header", "POST / HTTP/1.1\r\nHost: x\r\nX-"},
		{"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\no"},
		{"idle once answered", good},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // each waits for those who hold on
			known, leave := make(chan struct{}), make(chan struct{})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := &servers{}
			s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					return
				}
				if r.URL.Path == "/long" {
					stay(r)
					close(known)
					<-leave
				}
			}), 20*time.Second, most)
			defer s.shutdown(time.Millisecond)
			address := l.Addr().String()
			long := dial(t, address, strings.Replace(good, "POST /", "POST /long", 1))
			<-known
			for range 2 {
				for range most {
					dial(t, address, tt.says)
				}
				if status := answered(t, dial(t, address, good)); status != "200 OK" {
					t.Errorf("among %d others: %s", most, status)
				}
			}
			close(leave)
			if status := answered(t, long); status != "200 OK" {
				t.Errorf("the one whose sender is known: %s", status)
			}
		})
	}
}

// A burst over far more connections than there is room for is answered to the last, each over a connection of its own, and none waits for those that
// were answered and stay open.
func TestCrowdOfABurst(t *testing.T) {
	const most, senders = 8, 200
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &servers{}
	s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			stay(r)
			time.Sleep(2 * time.Millisecond)
			w.WriteHeader(http.StatusNoContent)
		}
	}), 20*time.Second, most)
	defer s.shutdown(time.Millisecond)
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
				t.Errorf("%v, %v", res, err)
			}
		})
	}
	sending.Wait()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%d were answered after %s", senders, took)
	}
}

// A stop waits for whoever is known, and not for those who hold on.
func TestCrowdAtAStop(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &servers{}
	known, leave := make(chan struct{}), make(chan struct{})
	s.add(slog.New(slog.DiscardHandler), l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		stay(r)
		close(known)
		<-leave
	}), time.Minute, 8)
	const good = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok"
	long := dial(t, l.Addr().String(), good)
	<-known
	slow := dial(t, l.Addr().String(), good[:len(good)-1])
	stopped := make(chan struct{})
	go func() {
		s.shutdown(time.Minute)
		close(stopped)
	}()
	if _, err := slow.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the one that holds on: %v", err)
	}
	select {
	case <-stopped:
		t.Error("a request under way was not waited for")
	default:
	}
	close(leave)
	if status := answered(t, long); status != "200 OK" {
		t.Errorf("the request under way: %s", status)
	}
	<-stopped
}

// Whoever stays takes a place, and when all are taken it is the newcomer who goes.
func TestCrowdThatStays(t *testing.T) {
	c := newCrowd(2)
	conns := make([]net.Conn, 3)
	for i := range conns {
		here, there := net.Pipe()
		defer there.Close() //nolint:errcheck // a pipe
		conns[i] = here
		ctx := c.enter(t.Context(), here)
		stay(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		if gone := ctx.Err() != nil; gone != (i == 2) {
			t.Errorf("connection %d is gone: %t", i, gone)
		}
	}
	c.moved(conns[2], http.StateClosed) // as the server says once its read fails
	c.moved(conns[0], http.StateIdle)   // answered: it may go again
	fourth, there := net.Pipe()
	defer there.Close() //nolint:errcheck // a pipe
	if ctx := c.enter(t.Context(), fourth); ctx.Err() != nil || c.inside[conns[0]] != nil || c.inside[conns[1]] == nil || len(c.inside) != 2 {
		t.Errorf("after an answer: %d inside, the newcomer %v", len(c.inside), ctx.Err())
	}
	for _, conn := range []net.Conn{conns[1], fourth} {
		c.moved(conn, http.StateClosed)
	}
	if len(c.inside) != 0 || c.line.Len() != 0 {
		t.Errorf("%d inside and %d in line when all have gone", len(c.inside), c.line.Len())
	}
}

// Large bodies are read a few at a time; small ones do not wait for them, and one that waits stops when its connection goes.
func TestReadingRoom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		room := newReadingRoom()
		request := func(body io.Reader) *http.Request {
			return httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
		}
		slow := make([]*io.PipeWriter, largeBodies)
		ends := make(chan error, largeBodies+1)
		for i := range slow {
			r, w := io.Pipe()
			slow[i] = w
			go func() {
				_, err := room.read(httptest.NewRecorder(), request(r))
				ends <- err
			}()
			if _, err := w.Write(make([]byte, smallBody)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if body, err := room.read(httptest.NewRecorder(), request(strings.NewReader(strings.Repeat("x", smallBody-1)))); err != nil || len(body) != smallBody-1 {
			t.Errorf("a small one beside them: %d bytes, %v", len(body), err)
		}
		large := strings.Repeat("x", smallBody) + "y"
		done := make(chan string, 1)
		go func() {
			body, err := room.read(httptest.NewRecorder(), request(strings.NewReader(large)))
			done <- fmt.Sprint(len(body), err)
		}()
		synctest.Wait()
		select {
		case got := <-done:
			t.Fatalf("one more large one is read beside %d others: %s", largeBodies, got)
		default:
		}
		gone, leave := context.WithCancel(t.Context())
		go func() {
			_, err := room.read(httptest.NewRecorder(), request(strings.NewReader(large)).WithContext(gone))
			ends <- err
		}()
		leave()
		if err := <-ends; err == nil {
			t.Error("one whose connection has gone was read")
		}
		if err := slow[0].Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := <-done, fmt.Sprint(len(large), nil); got != want {
			t.Errorf("once there is room: %s, want %s", got, want)
		}
		for _, w := range slow[1:] {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for range slow {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		if len(room) != 0 {
			t.Errorf("%d places are taken by nobody", len(room))
		}
	})
}
