package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
)

// A connection that was cut without a word is given up, and the reading goes on through a new one.
func TestAConnectionThatHasGoneSilentIsGivenUp(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	wire := newWire(t, u.Host)
	u.Host = wire.address
	s, err := postgres.Open(t.Context(), u.String(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.SetMeta(t.Context(), "fact", "known"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond) // a connection that was used within a second is not tried
	wire.silence.Add(1)
	begun := time.Now()
	got, err := s.Meta(t.Context(), "fact")
	if got != "known" || err != nil {
		t.Errorf("a fact: %q, %v after %v, want %q", got, err, time.Since(begun), "known")
	}
}

// A wire carries connections to a server. Those that were made before silence rose carry nothing
// any more, and stay open.
type wire struct {
	address string
	silence atomic.Int32
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: l.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		_ = l.Close()
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			context.AfterFunc(ctx, func() { _, _ = client.Close(), upstream.Close() })
			made := w.silence.Load()
			go w.carry(client, upstream, made)
			go w.carry(upstream, client, made)
		}
	}()
	return w
}

func (w *wire) carry(to, from net.Conn, made int32) {
	for buffer := make([]byte, 1<<16); ; {
		n, err := from.Read(buffer)
		if w.silence.Load() != made {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if n > 0 {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}
