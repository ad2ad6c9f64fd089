package fetch_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// A try is content with any answer, since somebody else downloads the picture. Only silence fails
// it, and the guard.
func TestTryAll(t *testing.T) {
	origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/silent":
			<-r.Context().Done()
		case "/headers-alone":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/drips":
			_, _ = w.Write([]byte(png))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			_, _ = w.Write([]byte(png))
		}
	})
	shut, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = shut.Close()
	c := client(t, fetch.Options{AllowHosts: []string{hostPort, shut.Addr().String()}, Answer: 300 * time.Millisecond})
	want := map[string]string{
		origin + "/picture": "", origin + "/missing": "", origin + "/drips": "",
		origin + "/silent": "did not answer", origin + "/headers-alone": "did not answer",
		"http://" + shut.Addr().String() + "/a.png":                       "refused",
		strings.Replace(origin, "127.0.0.1", "localhost", 1) + "/picture": "not a public one",
		"file:///etc/passwd": "not http or https",
	}
	var addresses []string
	for address := range want {
		addresses = append(addresses, address)
	}
	begun := time.Now()
	failed := c.TryAll(t.Context(), addresses)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s: they wait for one another", took)
	}
	for address, says := range want {
		if err := failed[address]; (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v, want %q", address, err, says)
		}
	}
	if err := failed[strings.Replace(origin, "127.0.0.1", "localhost", 1)+"/picture"]; !errors.Is(
		err,
		fetch.ErrPrivate,
	) {
		t.Errorf("a private address: the error is %v, want ErrPrivate", err)
	}
}

// A host that is silent for a few pictures in a row is left alone for a while, so that not each
// product of an import waits for it. One silent picture of a host that answers others costs itself
// alone.
func TestASilentHostIsLeftAlone(t *testing.T) {
	var asked atomic.Int64
	var answers atomic.Bool
	origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if answers.Load() && r.URL.Path != "/silent" {
			_, _ = w.Write([]byte(png))
			return
		}
		<-r.Context().Done()
	})
	c := client(t, fetch.Options{AllowHosts: []string{hostPort}, Answer: 50 * time.Millisecond})
	answers.Store(true)
	for range 5 {
		failed := c.TryAll(t.Context(), []string{origin + "/silent", origin + "/1", origin + "/2"})
		if len(failed) != 1 || failed[origin+"/silent"] == nil {
			t.Fatalf("%v failed, want the silent one alone", failed)
		}
	}
	answers.Store(false)
	c.TryAll(t.Context(), []string{origin + "/3", origin + "/4", origin + "/5"})
	before := asked.Load()
	if failed := c.TryAll(t.Context(), []string{origin + "/6", origin + "/7"}); len(failed) != 2 ||
		asked.Load() != before {
		t.Errorf("%v failed after %d further requests, want both after none", failed, asked.Load()-before)
	}
}
