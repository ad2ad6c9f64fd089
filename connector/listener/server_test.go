package listener

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Connections that say nothing, or only half of it, are closed after seconds, and one that waited
// for their place is answered.
func TestSilentConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	const most = 4
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Servers{}
	empty := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	s.add(slog.New(slog.DiscardHandler), l, empty, most, time.Minute)
	defer s.Shutdown(time.Millisecond)
	for i := range most {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // the server closes it
		if _, err := io.WriteString(conn, strings.Repeat("POST / HTTP/1.1\r\nHost: x\r\nX-", i%2)); err != nil {
			t.Fatal(err)
		}
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	res, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("got %s, %v, want 200", res.Status, err)
	}
}
