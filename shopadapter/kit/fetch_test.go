package kit

import (
	"compress/gzip"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	png  = "\x89PNG\r\n\x1a\n rest of a picture"
	jpeg = "\xff\xd8\xff\xe0 rest of a picture"
	webp = "RIFF\x10\x00\x00\x00WEBPVP8 "
	gif  = "GIF89a rest of a picture"

	most = 1 << 20
)

// host serves the cases of these tests on loopback and counts what reached it.
func host(t *testing.T, handle http.HandlerFunc) (origin, hostPort string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL, strings.TrimPrefix(server.URL, "http://")
}

func fetcher(t *testing.T, patience time.Duration, allow ...string) *Fetcher {
	t.Helper()
	f := NewFetcher("", allow)
	f.http.Timeout, f.answer = patience, patience
	t.Cleanup(f.Close)
	return f
}

func TestGetReadsTheTypeFromTheBytes(t *testing.T) {
	for _, tc := range []struct{ name, body, kind, extension string }{
		{"png", png, "image/png", ".png"},
		{"jpeg", jpeg, "image/jpeg", ".jpg"},
		{"webp", webp, "image/webp", ".webp"},
		{"gif", gif, "image/gif", ".gif"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("User-Agent"); got != "pubsync" {
					t.Errorf("User-Agent %q", got)
				}
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(tc.body))
			})
			c := fetcher(t, time.Minute, hostPort)
			file, err := c.Get(t.Context(), origin+"/whatever.html", most)
			if err != nil {
				t.Fatal(err)
			}
			if file.Type != tc.kind || string(file.Bytes) != tc.body {
				t.Errorf("got %s with %d bytes", file.Type, len(file.Bytes))
			}
			if file.Extension != tc.extension {
				t.Errorf("extension %q, want %q", file.Extension, tc.extension)
			}
		})
	}
}

func TestGetRefuses(t *testing.T) {
	var inside int
	origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/private":
			http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/inside", http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/userinfo":
			http.Redirect(w, r, "http://user:secret@"+r.Host+"/png", http.StatusFound)
		case "/html":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("<html>" + png))
		case "/empty":
		case "/svg":
			_, _ = w.Write([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"))
		case "/large":
			_, _ = w.Write([]byte(png + strings.Repeat("x", 100)))
		case "/announced":
			w.Header().Set("Content-Length", "100000000")
			_, _ = w.Write([]byte(png))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write([]byte(png + strings.Repeat("x", 1<<20)))
			_ = z.Close()
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/inside":
			inside++
		}
	})
	_, otherPort, _ := net.SplitHostPort(hostPort)
	for _, tc := range []struct {
		name, address, says string
		allow               []string
	}{
		{"loopback", origin + "/inside", "not a public one", nil},
		{"a name that resolves to loopback", "http://localhost:" + otherPort + "/inside", "not a public one", nil},
		{
			"another name for an allowed host", "http://localhost:" + otherPort + "/inside", "not a public one",
			[]string{hostPort},
		},
		{"another port of an allowed host", origin + "/inside", "not a public one", []string{"127.0.0.1:1"}},
		{"mapped IPv6 loopback", "http://[::ffff:127.0.0.1]:" + otherPort + "/inside", "not a public one", nil},
		{"link-local", "http://169.254.169.254/latest/meta-data", "not a public one", nil},
		{"decimal IPv4", "http://2130706433:" + otherPort + "/inside", "", nil},
		{"no host", "http:///png", "names no host", nil},
		{"relative", "/png", "not http or https", nil},
		{"a file", "file:///etc/passwd", "not http or https", nil},
		{"an embedded picture", "data:image/png;base64,AAAA", "not http or https", nil},
		{"user name", "http://user:secret@example.com/png", "user name", nil},
		{"unreadable", "http://[::1", "cannot be read", nil},
		{"redirects without end", origin + "/loop", "redirects", []string{hostPort}},
		{"redirect to a private address", origin + "/private", "not a public one", []string{hostPort}},
		{"redirect to a file", origin + "/scheme", "not http or https", []string{hostPort}},
		{"redirect with a user name", origin + "/userinfo", "user name", []string{hostPort}},
		{"a page that says it is a picture", origin + "/html", "neither JPEG", []string{hostPort}},
		{"nothing", origin + "/empty", "neither JPEG", []string{hostPort}},
		{"a drawing with scripts", origin + "/svg", "neither JPEG", []string{hostPort}},
		{"too large", origin + "/large", "larger than 64 bytes", []string{hostPort}},
		{"announced too large", origin + "/announced", "larger than 64 bytes", []string{hostPort}},
		{"large once unpacked", origin + "/bomb", "larger than 64 bytes", []string{hostPort}},
		{"gone", origin + "/gone", "answered 410", []string{"127.0.0.1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := fetcher(t, time.Minute, tc.allow...)
			_, err := c.Get(t.Context(), tc.address, 64)
			if err == nil {
				t.Fatal("it was downloaded")
			}
			// How a host that is a bare number is resolved is the system's matter; that it is not
			// reached is ours.
			if tc.says != "" && (!errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the error is %q, want ErrUnfit and %q", err, tc.says)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows what the address holds: %q", err)
			}
		})
	}
	if inside != 0 {
		t.Errorf("%d requests reached a host that is not public", inside)
	}
}

func TestGetFollowsAFewRedirects(t *testing.T) {
	origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/xxx" {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
			return
		}
		if r.Header.Get("Referer") != "" {
			t.Error("the address was told to the next host")
		}
		_, _ = w.Write([]byte(png))
	})
	if _, err := fetcher(t, time.Minute, hostPort).Get(t.Context(), origin+"/", most); err != nil {
		t.Errorf("three redirects: %v", err)
	}
}

func TestGetTellsWhatMayPass(t *testing.T) {
	origin, hostPort := host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/503":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/429":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(png))
			panic(http.ErrAbortHandler)
		case "/slow":
			<-r.Context().Done()
		}
	})
	for _, path := range []string{"/503", "/429", "/cut", "/slow"} {
		t.Run(path, func(t *testing.T) {
			c := fetcher(t, 300*time.Millisecond, hostPort)
			_, err := c.Get(t.Context(), origin+path+"?signature=hidden", most)
			if err == nil || errors.Is(err, ErrUnfit) {
				t.Errorf("the error is %v, want one that may pass", err)
			}
			if err != nil && strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error shows the address: %v", err)
			}
		})
	}
}

func TestGetEndsWithItsContext(t *testing.T) {
	asked := make(chan struct{})
	origin, hostPort := host(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	c := fetcher(t, time.Minute, hostPort)
	if _, err := c.Get(ctx, origin, most); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want context.Canceled", err)
	}
}

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
	c := fetcher(t, 300*time.Millisecond, hostPort, shut.Addr().String())
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
	if err := failed[strings.Replace(origin, "127.0.0.1", "localhost", 1)+"/picture"]; !errors.Is(err, wire.ErrPrivate) {
		t.Errorf("a private address: the error is %v, want ErrPrivate", err)
	}
}

// A shop on this machine, or inside the merchant's network, is given the pictures that stand beside
// it.
func TestBeside(t *testing.T) {
	for shop, want := range map[string][]string{
		"https://shop.example.com":    {"shop.example.com"}, // where it is public this allows nothing more
		"http://127.0.0.1:8090":       {"localhost", "127.0.0.1", "::1", "127.0.0.1"},
		"http://localhost/shop":       {"localhost", "127.0.0.1", "::1", "localhost"},
		"http://[::1]:8090":           {"localhost", "127.0.0.1", "::1", "::1"},
		"http://10.0.0.5":             {"10.0.0.5"},
		"https://93.184.216.34/store": {"93.184.216.34"}, // likewise
		"":                            nil,
	} {
		if got := beside(shop); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", shop, got, want)
		}
	}
}
