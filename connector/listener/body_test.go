package listener

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// signedBody is a request with a body of any size, which points at p1.
func signedBody(ctx context.Context, size int, secret string) *http.Request {
	body := `{"data":{"publication":{"id":"p1"}},"more":"` + strings.Repeat("x", size) + `"}`
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/webhooks", strings.NewReader(body))
	r.Header.Set("X-Service-Signature", signature(secret, []byte(body)))
	return r
}

// Unfinished large bodies, unsigned or signed with a made-up secret, keep no complete body waiting.
func TestUnfinishedBodiesGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newReceiver()
		var strangers sync.WaitGroup
		var ends []*io.PipeWriter
		for i := range 5 * largeBodies {
			r, w := io.Pipe()
			path := "/webhooks"
			if i%2 == 1 {
				path = "/webhooks/path-token"
			}
			stranger := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, r)
			stranger.Header.Set("X-Service-Signature", strings.Repeat("0", 64))
			strangers.Go(func() { h.ServeHTTP(httptest.NewRecorder(), stranger) })
			if _, err := io.WriteString(w, `{"a":"`+strings.Repeat("x", 2*smallBody)); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, w)
		}
		synctest.Wait()
		for _, size := range []int{0, 10 * smallBody, maxSignedBody - 100} {
			start := time.Now()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, signedBody(t.Context(), size, "secret"))
			if took := time.Since(start); w.Code != http.StatusNoContent || took > time.Second {
				t.Errorf("%d bytes sent whole: got %d after %s, want 204 within 1s", size, w.Code, took)
			}
		}
		for _, w := range ends {
			_ = w.CloseWithError(io.ErrUnexpectedEOF) //nolint:errcheck // never fails
		}
		strangers.Wait()
		if kept, parsed := len(h.bodies.large), len(h.bodies.parsed); kept+parsed != 0 {
			t.Errorf("%d bodies are kept and %d parsed, want none", kept, parsed)
		}
	})
}

// While large bodies are parsed in all places a small body needs none, and a large one waits no
// longer than its connection lasts.
func TestBodyLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newReceiver()
		for range parsedBodies {
			h.bodies.parsed <- struct{}{}
		}
		small := httptest.NewRecorder()
		h.ServeHTTP(small, signedBody(t.Context(), smallBody/2, "secret"))
		if small.Code != http.StatusNoContent {
			t.Errorf("a small body: got %d, want 204", small.Code)
		}
		ctx, leave := context.WithCancel(t.Context())
		codes := make(chan int, 2)
		for _, ctx := range []context.Context{ctx, t.Context()} {
			go func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, signedBody(ctx, 2*smallBody, "secret"))
				codes <- w.Code
			}()
		}
		synctest.Wait()
		if len(codes) != 0 {
			t.Fatalf("got a large body parsed beside %d others, want it to wait", parsedBodies)
		}
		leave()
		if code := <-codes; code != http.StatusBadRequest {
			t.Errorf("one whose connection has gone: got %d, want 400", code)
		}
		<-h.bodies.parsed
		if code := <-codes; code != http.StatusNoContent {
			t.Errorf("the next one: got %d, want 204", code)
		}
		if got := len(h.bodies.parsed); got != parsedBodies-1 {
			t.Errorf("%d places are taken, want %d", got, parsedBodies-1)
		}
	})
}

// A large body whose sender is silent for longest gives way once there are too many. A signed one
// is to be sent again, an unsigned one leads to a light sweep, and neither is kept meanwhile.
func TestALargeBodyThatGaveWay(t *testing.T) {
	for _, tt := range []struct {
		path string
		code int
	}{{"/webhooks", http.StatusServiceUnavailable}, {"/webhooks/path-token", http.StatusNoContent}} {
		t.Run(tt.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rc := newReceiver()
				var writers []*io.PipeWriter
				var answers []*httptest.ResponseRecorder
				var sending sync.WaitGroup
				for range largeBodies + 1 {
					body, writer := io.Pipe()
					r, w := httptest.NewRequest(http.MethodPost, tt.path, body), httptest.NewRecorder()
					r.Header.Set("X-Service-Signature", signature("secret", bytes.Repeat([]byte(" "), 2*smallBody+1)))
					sending.Go(func() { rc.ServeHTTP(w, r) })
					if _, err := writer.Write(bytes.Repeat([]byte(" "), 2*smallBody)); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					writers, answers = append(writers, writer), append(answers, w)
				}
				if got := len(rc.bodies.large); got != largeBodies {
					t.Errorf("%d large bodies are kept, want %d", got, largeBodies)
				}
				for _, writer := range writers {
					_, _ = writer.Write([]byte(" ")) //nolint:errcheck // the one that gave way is not read on
					_ = writer.Close()               //nolint:errcheck // never fails
				}
				sending.Wait()
				for i, w := range answers {
					want := http.StatusNoContent
					if i == 0 {
						want = tt.code
					}
					if w.Code != want {
						t.Errorf("body %d: %d, want %d", i, w.Code, want)
					}
				}
				signed, given := tt.path == "/webhooks", answers[0].Header().Get("Retry-After") != ""
				if given != signed || rc.counted["oversized"] == 1 == signed {
					t.Errorf("Retry-After given: %t, want %t; counted %v", given, signed, rc.counted)
				}
			})
		})
	}
}

// An unsigned body that is too long is acknowledged, counted and not parsed, and leads to one light
// sweep.
func TestUnsignedBodyTooLong(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int
		known bool // the length, beforehand
		want  bool // that it is too long
	}{
		{"as long as it may be", maxHintBody, true, false},
		{"as long as it may be, in chunks", maxHintBody, false, false},
		{"longer by one", maxHintBody + 1, true, true},
		{"longer by one, in chunks", maxHintBody + 1, false, true},
		{"longer than a signed one may be", maxSignedBody + 1, true, true},
		{"longer than is read", maxDrained + 1, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rc := newReceiver()
			rc.inbox.known = []string{"p1"}
			body := io.Reader(strings.NewReader(hookBody + strings.Repeat(" ", tt.size-len(hookBody))))
			if !tt.known {
				body = io.MultiReader(body) // whose length http cannot tell
			}
			r := httptest.NewRequest(http.MethodPost, "/webhooks/path-token", body)
			if w := rc.deliver(r); w.Code != http.StatusNoContent {
				t.Errorf("got %d: %s, want 204", w.Code, w.Body)
			}
			mark := "unsigned"
			if tt.want {
				mark = ""
			}
			if got := rc.inbox.cause("p1"); got != mark {
				t.Errorf("p1 is due for %q, want %q", got, mark)
			}
			if counted := rc.counted["oversized"] == 1; counted != tt.want {
				t.Errorf("got it counted %t, want %t", counted, tt.want)
			}
			if got := rc.sweeps == 1; got != tt.want {
				t.Errorf("got a light sweep %t, want %t", got, tt.want)
			}
		})
	}
}

// Bodies of 1 MiB that are built to cost a parser most allocate a few times their length each,
// garbage included.
func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	const parallel = 8
	fill := func(before, unit, after string) []byte {
		return []byte(before + strings.Repeat(unit, (maxSignedBody-len(before)-len(after))/len(unit)) + after)
	}
	for name, body := range map[string][]byte{
		"repeated keys":          fill(`{"data":{"publication":{`, `"id":"p1",`, `"id":"p1"}}}`),
		"repeated objects":       fill(`{"data":{`, `"publication":{"listing":{"product":{"id":1}}},`, `"a":1}}`),
		"keys of no meaning":     fill(`{"data":{`, `"a":1,`, `"b":1}}`),
		"escaped ids":            fill(`{"data":{"product":{`, `"id":"\u0061\n",`, `"id":"p1"}}}`),
		"empty lists":            fill(`{"a":[`, `[],`, `1]}`),
		"one string":             fill(`{"data":{"product":{"id":"`, `x`, `"}}}`),
		"one number":             fill(`{"data":{"product":{"id":`, `1`, `}}}`),
		"lists within one other": fill(`{"a":`, `[`, ``),
		"lists as an id":         fill(`{"data":{"product":{"id":[`, `[],`, `1]}}}`),
		"invalid UTF-8":          fill(`{"data":{"product":{"id":"`, "\xff", `"}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := newReceiver()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var sending sync.WaitGroup
			for range parallel {
				sending.Go(func() {
					r := httptest.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
					r.Header.Set("X-Service-Signature", signature("secret", body))
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != http.StatusNoContent {
						t.Errorf("%d, want 204", w.Code)
					}
				})
			}
			sending.Wait()
			runtime.ReadMemStats(&after)
			if each := (after.TotalAlloc - before.TotalAlloc) / parallel; each > 8*maxSignedBody {
				t.Errorf("%d KiB were allocated for each, want %d at most", each>>10, 8*maxSignedBody>>10)
			}
		})
	}
}

// Ten thousand bodies that name nothing within a minute are one warning, and the next tells how
// many there were.
func TestUnreadableBodiesAreWarnedOfSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		rc := newReceiver(func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&said, nil)) })
		send := func() { rc.deliver(delivery{"POST", "/webhooks/path-token", "{", "", "X"}.request()) }
		for range 10_000 {
			send()
		}
		time.Sleep(time.Minute)
		send()
		if n := strings.Count(said.String(), "webhook names nothing"); n != 2 ||
			!strings.Contains(said.String(), "untold=9999") {
			t.Errorf("got %d lines, want 2, the last with untold=9999: %.1000q", n, said.String())
		}
	})
}
