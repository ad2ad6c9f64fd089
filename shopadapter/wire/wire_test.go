package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const secret = "s3cret-token-of-the-shop"

// trip is a function as a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// answering is a client of a server that gives one answer to everything.
func answering(status int, header http.Header, body string) *Client {
	return client(trip(func(r *http.Request) (*http.Response, error) {
		answer := io.NopCloser(strings.NewReader(body))
		return &http.Response{StatusCode: status, Header: header, Body: answer, Request: r}, nil
	}))
}

func client(transport http.RoundTripper) *Client {
	return New(Options{
		Endpoint: "https://shop.test/graphql", Peer: "the shop", Transport: transport, UserAgent: "pubsync",
		Timeout: 30 * time.Second, Secrets: func() []string { return []string{secret} },
		Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) },
	})
}

// What an answer says is kept whatever its status is, and in whatever form its errors are.
func TestGraphQL(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		name   string // what is decoded
		faults []Fault
	}{
		"data": {200, `{"data":{"shop":{"name":"Lamps"}}}`, "Lamps", nil},
		"partial data": {
			200, `{"data":{"shop":{"name":"Lamps"}},"errors":[{"message":"Boom","path":["shop",0]}]}`, "Lamps",
			[]Fault{{Message: "Boom", Path: []any{"shop", 0.0}}},
		},
		"a code": {
			400, `{"errors":[{"message":"No","extensions":{"code":"denied"}}]}`, "",
			[]Fault{{Message: "No", Code: "DENIED"}},
		},
		"a text":  {429, `{"errors":"Throttled"}`, "", []Fault{{Message: "Throttled"}}},
		"texts":   {503, `{"errors":["a","b"]}`, "", []Fault{{Message: "a"}, {Message: "b"}}},
		"odd":     {200, `{"errors":[{"message":7,"extensions":[],"path":"x"}]}`, "", []Fault{{Message: "7"}}},
		"a page":  {502, `<html>`, "", nil},
		"nothing": {204, ``, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var data struct{ Shop struct{ Name string } }
			a, err := answering(tt.status, http.Header{"Retry-After": {"7"}}, tt.body).
				GraphQL(t.Context(), Query{Name: "Shop", Text: "query Shop{shop{name}}"}, &data)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != tt.status || a.RetryAfter != 7*time.Second || data.Shop.Name != tt.name {
				t.Errorf("got %d, %v, %q, want %d, 7s, %q", a.Status, a.RetryAfter, data.Shop.Name, tt.status, tt.name)
			}
			if diff := cmp.Diff(tt.faults, a.Faults, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var sent string
	c := client(trip(func(r *http.Request) (*http.Response, error) {
		if r.Body == nil {
			r.Body = http.NoBody
		}
		body, err := io.ReadAll(r.Body)
		sent = fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", string(body))
		answer := io.NopCloser(strings.NewReader(`{"id":7}`))
		return &http.Response{StatusCode: http.StatusCreated, Body: answer, Request: r}, err
	}))
	var into struct{ ID int }
	a, err := c.JSON(t.Context(), http.MethodPut, "https://shop.test/p/1", map[string]string{"title": "Lamp"},
		Limits{}, &into)
	if err != nil || a.Status != 201 || into.ID != 7 {
		t.Errorf("got %d, %+v, %v, want 201 and 7", a.Status, into, err)
	}
	if want := `PUT https://shop.test/p/1 application/json {"title":"Lamp"}`; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	bad := "https://user:" + secret + "@shop.test/\x00"
	_, err = c.JSON(t.Context(), http.MethodGet, bad, nil, Limits{}, nil)
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v, want an error without the address", err)
	}
	var other struct{ ID string }
	var e *Error
	_, err = c.JSON(t.Context(), http.MethodGet, "https://shop.test/", nil, Limits{}, &other)
	if !errors.As(err, &e) || !e.Unreadable {
		t.Errorf("got %v, want an unreadable answer", err)
	}
}

// The credential goes to the origin of the endpoint alone, and no redirect is followed.
func TestTheCredentialStaysWithItsOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://shop.test/any":           "Bearer " + secret,
		"http://shop.test/any":            "",
		"https://shop.test.evil.test/any": "",
		"https://shop.test:8443/any":      "",
	} {
		asked := 0
		c := client(trip(func(r *http.Request) (*http.Response, error) {
			asked++
			if got := r.Header.Get("Authorization"); got != want {
				t.Errorf("%s got %q, want %q", address, got, want)
			}
			header := http.Header{"Location": {"https://elsewhere.test/"}}
			return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: header, Body: http.NoBody, Request: r}, nil
		}))
		a, err := c.JSON(t.Context(), http.MethodPost, address, 1, Limits{}, nil)
		if err != nil || a.Status != 307 || asked != 1 {
			t.Errorf("%s: got %d after %d requests, %v, want the redirect", address, a.Status, asked, err)
		}
	}
}

// What is no answer is told in words without secrets or addresses.
func TestErrors(t *testing.T) {
	l := Limits{Bytes: 100, Elements: 5}
	for name, tt := range map[string]struct {
		body   string
		err    error
		want   string
		unsent bool
	}{
		"no connection": {
			err: &net.OpError{Op: "dial", Err: errors.New("refused")}, want: "the shop cannot be reached: refused",
			unsent: true,
		},
		"reset": {err: fmt.Errorf("to https://user:pass@shop.test: %w", errors.New("reset")), want: "no answer: reset"},
		"a secret": {
			err:  errors.New("bad " + secret[:12] + " " + hex.EncodeToString([]byte(secret))),
			want: "no answer: bad [token] [token]",
		},
		"too long":          {body: `"` + strings.Repeat("x", 100) + `"`, want: "the answer is longer than 100 bytes"},
		"too many elements": {body: `[1,2,3,4,5,6,7]`, want: "the answer holds more than 5 elements"},
	} {
		t.Run(name, func(t *testing.T) {
			c := answering(200, nil, tt.body)
			if tt.err != nil {
				c = client(trip(func(*http.Request) (*http.Response, error) { return nil, tt.err }))
			}
			_, err := c.GraphQL(t.Context(), Query{Name: "Q", Text: "{a}", Limits: l}, nil)
			var e *Error
			if !errors.As(err, &e) || e.Message != tt.want || e.Unsent != tt.unsent {
				t.Errorf("got %v, want %q, unsent %t", err, tt.want, tt.unsent)
			}
		})
	}
}

// A password in the address does not come back in the text of a failed dial or handshake.
func TestAddressesAreNotInErrors(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	for _, down := range []bool{false, true} {
		if down {
			server.Close()
		}
		c := New(Options{Endpoint: strings.Replace(server.URL, "https://", "https://user:passw0rd@", 1)})
		if _, err := c.GraphQL(t.Context(), Query{Name: "Q", Text: "{a}"}, nil); err == nil ||
			strings.Contains(err.Error(), "passw0rd") {
			t.Errorf("down %t: got %v, want an error without the password", down, err)
		}
		_ = c.Close()
	}
}

func TestContextsAndTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client(trip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		ask := func(ctx context.Context) error {
			_, err := c.GraphQL(ctx, Query{Name: "Q", Text: "{a}"}, nil)
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the caller's deadline", err)
		}
		begun := time.Now()
		err := ask(t.Context())
		if err == nil || err.Error() != "no answer within 30s" || time.Since(begun) != 30*time.Second {
			t.Errorf("got %v after %v, want no answer within 30s", err, time.Since(begun))
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Two long answers are read one at a time, while a short one passes.
func TestLargeAnswersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		c := client(trip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil || !bytes.Contains(body, []byte("long")) {
				short := io.NopCloser(strings.NewReader(`{"data":{}}`))
				return &http.Response{StatusCode: http.StatusOK, Body: short, Request: r}, err
			}
			rest, begun := strings.NewReader(strings.Repeat("x", usual)+`"}}`), false
			first := strings.NewReader(`{"data":{"a":"` + strings.Repeat("x", usual))
			long := io.MultiReader(first, readerFunc(func(p []byte) (int, error) {
				if !begun {
					begun = true
					most.Store(max(most.Load(), now.Add(1)))
					time.Sleep(time.Second)
				}
				n, err := rest.Read(p)
				if errors.Is(err, io.EOF) {
					now.Add(-1)
				}
				return n, err
			}))
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(long), Request: r}, nil
		}))
		ask := func(text string) {
			if _, err := c.GraphQL(t.Context(), Query{Name: "Q", Text: text}, nil); err != nil {
				t.Error(err)
			}
		}
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { ask("{long}") })
		}
		time.Sleep(time.Millisecond)
		begun := time.Now()
		if ask("{short}"); time.Since(begun) > time.Second/2 {
			t.Errorf("a short answer took %v", time.Since(begun))
		}
		group.Wait()
		if most.Load() != 1 {
			t.Errorf("got %d large answers at a time, want 1", most.Load())
		}
	})
}
