package marketplace

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
)

// TestAnswers is what each kind of bad answer comes to, and what it leaves of the bucket.
func TestAnswers(t *testing.T) {
	const html = "<html><body>Bad gateway</body></html>"
	complaint := func(message string) string { return fmt.Sprintf(`{"data":null,"errors":[{"message":%q}]}`, message) }
	for _, row := range []struct {
		name   string
		status int
		body   string
		header http.Header
		err    error
		after  string // the cursor
		kind   Kind
		wait   time.Duration // RetryAfter
		spent  bool          // the points count as spent
		empty  bool          // the bucket counts as empty
		again  bool          // the query is sent again, since the refusal has no figure
	}{
		{name: "5xx with HTML", status: 502, body: html, spent: true},
		{
			name: "5xx with Retry-After", status: 503, header: http.Header{"Retry-After": {"7"}}, wait: 7 * time.Second,
			spent: true,
		},
		{
			name: "5xx that looks like a validation error", status: 500,
			body: complaint(`Cannot query field "de" on type "Translations".`), spent: true,
		},
		{name: "200 with HTML", status: 200, body: html, spent: true},
		{name: "200 without a body", status: 200, spent: true},
		{name: "200 cut in the middle", status: 200, body: `{"data":{"publications":{"nod`, spent: true},
		{name: "200 with null data", status: 200, body: `{"data":null}`, spent: true},
		{name: "200 with another shape", status: 200, body: `{"data":{"publications":7}}`, spent: true},
		{name: "200 with a list of nothing", status: 200, body: `{"data":{"publications":null}}`, spent: true},
		{name: "204", status: 204, spent: true},
		{name: "302", status: 302, header: http.Header{"Location": {"https://elsewhere.test/"}}, spent: true},
		{name: "404 with HTML", status: 404, body: html, spent: true},
		{name: "internal error", status: 200, body: complaint("Internal server error"), spent: true},
		{
			name: "internal error with a cursor", status: 200, body: complaint("Internal server error"), after: "c",
			spent: true,
		},
		{
			name: "internal error in words of its own", status: 200, body: complaint("Something went wrong, try again"),
			spent: true,
		},
		{
			name: "internal error by its code", status: 200,
			body: `{"errors":[{"message":"Oops","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`, spent: true,
		},
		{
			name: "internal error beside a validation error", status: 200,
			body: `{"data":null,"errors":[{"message":"Cannot query ` +
				`field \"status\""},{"message":"Internal server error"}]}`, spent: true,
		},
		{name: "an error nobody knows", status: 200, body: complaint("Nope"), spent: true},
		{name: "an error without a message", status: 200, body: `{"errors":[{}]}`, spent: true},
		{
			name: "part of a page", status: 200,
			body:  `{"data":{"publications":{"nodes":[null]}},"errors":[{"message":"Boom","path":["publications","nodes",0]}]}`,
			spent: true,
		},
		{name: "no answer", err: errors.New("connection reset by peer"), spent: true},
		{name: "no connection", err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}},
		{name: "throttled", status: 200, body: complaint("Throttled"), kind: Throttled, empty: true, again: true},
		{
			name: "throttled, errors is a string", status: 200, body: `{"errors":"Throttled"}`, kind: Throttled,
			empty: true, again: true,
		},
		{
			name: "throttled, extensions is a list", status: 200,
			body: `{"errors":[{"message":"Throttled","extensions":[]}]}`, kind: Throttled, empty: true, again: true,
		},
		{
			name: "throttled by its code", status: 200,
			body: `{"errors":[{"message":"Slow down","extensions":{"code":"THROTTLED"}}]}`, kind: Throttled, empty: true,
			again: true,
		},
		{name: "bare 429", status: 429, body: "slow down", kind: Throttled, empty: true, again: true},
		{
			name: "bare 429 with Retry-After", status: 429, header: http.Header{"Retry-After": {"3"}}, kind: Throttled,
			wait: 3 * time.Second, empty: true,
		},
		{
			name: "429 for ever", status: 429, header: http.Header{
				"Retry-After": {"99999999"},
			}, kind: Throttled, wait: client.LongestPause, empty: true,
		},
		{name: "401", status: 401, kind: Unauthorized},
		{name: "403 with HTML", status: 403, body: html, kind: Unauthorized},
		{name: "unauthenticated in a 200", status: 200, body: complaint("Unauthenticated."), kind: Unauthorized},
		{
			name: "unauthorized by its code", status: 200,
			body: `{"errors":[{"message":"No","extensions":{"code":"UNAUTHENTICATED"}}]}`, kind: Unauthorized,
		},
		{
			name: "one field denied", status: 200,
			body: `{"data":{"publications":{"nodes":[]}},` +
				`"errors":[{"message":"Access denied","path":["publications","nodes"]}]}`,
			spent: true,
		},
		{name: "cursor refused", status: 200, body: complaint("Invalid cursor"), after: "c", kind: CursorRefused},
		{name: "cursor refused, though there was none", status: 200, body: complaint("Invalid cursor"), spent: true},
		{
			name: "argument after refused", status: 200, body: complaint(`Invalid value for argument "after"`), after: "c",
			kind: CursorRefused,
		},
		{
			name: "a document no form mends", status: 200,
			body: complaint(`Cannot query field "publications" on type "Query".`), kind: Invalid,
		},
		{name: "a document no form mends in a 400", status: 400, body: complaint(`Unknown argument "first"`), kind: Invalid},
		{
			name: "more to come, nobody knows where", status: 200,
			body: `{"data":{"publications":{"nodes":[],"pageInfo":{"hasNextPage":true}}}}`, spent: true,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := always(row.status, row.body)
				w.header = row.header
				c := known(t, w)
				w.err = row.err
				before := c.Budget().Remaining
				_, err := c.List(t.Context(), Urgent, IDDesc, row.after)
				if err == nil {
					t.Fatal("no error")
				}
				e, ok := errors.AsType[*Error](err)
				if !ok {
					t.Fatalf("%T: %v", err, err)
				}
				switch {
				case e.Kind != row.kind:
					t.Errorf(
						"%v (%v, after %v), want %v after %v; e.Kind: got %v, want %v", err, e.Kind, e.RetryAfter, row.kind,
						row.wait, e.Kind, row.kind,
					)
				case e.RetryAfter != row.wait:
					t.Errorf(
						"%v (%v, after %v), want %v after %v; e.RetryAfter: got %v, want %v", err, e.Kind, e.RetryAfter, row.kind,
						row.wait, e.RetryAfter, row.wait,
					)
				}
				contains(t, "error", err.Error(), "list publications: ")
				switch left := c.Budget().Remaining; {
				case row.empty && left > 0, row.spent && left >= before, !row.empty && !row.spent && left < before:
					t.Errorf("%g of %g points are left", left, before)
				}
				want := 1
				if row.again {
					want += 2 // the third refusal comes after bareSpan: a page of the list takes seconds to be restored
				}
				if n := len(w.operations()); n != want {
					t.Errorf("%d requests were sent, want %d", n, want)
				}
				s := c.Stats()
				switch throttled := int(s.Throttled); {
				case row.kind == Throttled && throttled != want:
					t.Errorf("%+v", s)
				case row.kind != Throttled && throttled > 0:
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

func TestErrorsHoldNoSecretAndNoFlood(t *testing.T) {
	for _, row := range []struct {
		name, body string
	}{
		{"echoes the token", `{"errors":[{"message":"Invalid token ` + token + `"}]}`},
		{"floods", `{"errors":[{"message":"` + strings.Repeat("x", 100000) + `"}]}`},
		{"control characters", `{"errors":[{"message":"a\u001b[31mred\r\nline\u0000"}]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, row.body))
				_, err := c.List(t.Context(), Urgent, IDDesc, "")
				s := fmt.Sprintf("%v %+v %q", err, err, err)
				switch {
				case strings.Contains(s, token):
					t.Errorf("%d bytes: %.300q; strings.Contains(s, token): got true, want false", len(s), s)
				case len(s) > 1000:
					t.Errorf("%d bytes: %.300q; len(s): got %v, want at most %v", len(s), s, len(s), 1000)
				case strings.ContainsAny(s, "\x1b\r\n\x00"):
					t.Errorf("%d bytes: %.300q; strings.ContainsAny(s, \"\\x1b\\r\\n\\x00\"): got true, want false", len(s), s)
				}
			})
		})
	}
}

func TestRequestsCarryWhatTheyMust(t *testing.T) {
	w := always(200, data(`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false}}}`))
	c := known(t, w)
	if _, err := c.List(t.Context(), Urgent, IDDesc, ""); err != nil {
		t.Fatal(err)
	}
	s := w.seen[0]
	got := []string{
		s.url,
		s.header.Get("Authorization"),
		s.header.Get("User-Agent"),
		s.header.Get("Accept-Language"),
		s.header.Get("Content-Type"),
	}
	want := []string{"https://market.test/v1/graphql", "Bearer " + token, "pubsync", "en, nl", "application/json"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	switch {
	case len(s.Variables) > 0:
		t.Errorf(
			"an optional argument without a value was sent: %s %v; len(s.Variables): got %v, want at most %v", s.Query,
			s.Variables, len(s.Variables), 0,
		)
	case strings.Contains(s.Query, "after"):
		t.Errorf(
			"an optional argument without a value was sent: %s %v; strings.Contains(s.Query, \"after\"): got true, want false",
			s.Query, s.Variables,
		)
	}
}

// TestRedirectsAreNotFollowed also shows that the token stays with the origin that it is for.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was followed, Authorization %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL, status)
			}))
			defer server.Close()
			c := New(Config{URL: server.URL, Token: token})
			defer c.Close()
			_, err := c.Probe(t.Context())
			switch {
			case err == nil:
				t.Errorf("a redirect is %v; err: got nil, want an error", err)
			case KindOf(err) != Transient:
				t.Errorf("a redirect is %v; KindOf(err): got %v, want %v", err, KindOf(err), Transient)
			}
		})
	}
}

// TestAnswersThatAreTooLarge names the limit that is exceeded, and allocates no more than the
// limits allow.
func TestAnswersThatAreTooLarge(t *testing.T) {
	list := func(c *Client) error {
		_, err := c.List(context.Background(), Urgent, IDDesc, "")
		return err
	}
	look := func(c *Client) error {
		_, err := c.Look(context.Background(), Urgent, []string{"1"}, false)
		return err
	}
	report := func(c *Client) error {
		_, err := tell(context.Background(), c, Report{ID: "1", Status: "success"})
		return err
	}
	webhooks := func(c *Client) error {
		_, err := c.Webhooks(context.Background())
		return err
	}
	read := func(c *Client) error {
		a, err := c.Admit(context.Background(), Urgent)
		if err != nil {
			return err
		}
		_, err = c.Publication(context.Background(), a, Expected{ID: "1"})
		return err
	}
	probe := func(c *Client) error {
		_, err := c.Probe(context.Background())
		return err
	}
	many := strings.Repeat(",{}", 8<<20/3)
	for _, row := range []struct {
		name, body string
		call       func(*Client) error
		want       string
		unknown    bool // the forms are not known yet
	}{
		{"a long page", `{"data":{"x":"` + strings.Repeat("x", client.UsualAnswer) + `"}}`, list, "longer than 1 MiB", false},
		{
			"a long publication", `{"data":{"publication":{"id":"` + strings.Repeat("x", client.ProductAnswer) + `"}}}`,
			read, "longer than 16 MiB", false,
		},
		{"errors without number", `{"errors":[{}` + many + `]}`, list, "more than 5", false},
		{"errors about a look", `{"data":{"a0":null},"errors":[{}` + many + `]}`, look, "more than 2", false},
		{"entries without number", `{"data":{"publications":{"nodes":[{}` + many + `]}}}`, list, "more than 5", false},
		{"edges without number", `{"data":{"publications":{"edges":[{}` + many + `]}}}`, list, "more than 5", false},
		{
			"variants without number", `{"data":{"publication":{"listing":{"variants":{"nodes":[{}` + many + `]}}}}}`,
			read, "elements", false,
		},
		{"user errors without number", `{"data":{"a0":{"userErrors":[{}` + many + `]}}}`, report, "more than 2", false},
		{"webhooks without number", `{"data":{"webhooks":{"nodes":[{}` + many + `]}}}`, webhooks, "elements", false},
		{"types without number", `{"data":{"__schema":{"types":[{}` + many + `]}}}`, probe, "more than 200000 " +
			"elements", true},
		{"lists without end", `{"data":` + strings.Repeat("[", 4<<20), list, "deeper than 40 levels", false},
		{"lists in extensions", `{"data":null,"extensions":` + strings.Repeat(`{"a":`, 1<<20), list, "deeper than 40 " +
			"levels", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := always(200, row.body)
			c := connect(t, w)
			if !row.unknown {
				c = known(t, w)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := row.call(c)
			runtime.ReadMemStats(&after)
			switch {
			case err == nil:
				t.Fatalf("%v, want a transient error; err: got nil, want an error", err)
			case KindOf(err) != Transient:
				t.Fatalf("%v, want a transient error; KindOf(err): got %v, want %v", err, KindOf(err), Transient)
			}
			contains(t, "error", err.Error(), row.want)
			most := uint64(8 << 20)
			if row.want == "longer than 16 MiB" {
				most = 200 << 20 // in all, while it grew
			}
			// The fake wire copies the answer once.
			if took := after.TotalAlloc - before.TotalAlloc - uint64(len(row.body)); took > most {
				t.Errorf("%d MiB were allocated, want at most %d", took>>20, most>>20)
			}
		})
	}
}

// TestLargeAnswersTakeTurns holds two long answers to one at a time, while a short one passes.
func TestLargeAnswersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		body := func() io.Reader {
			first := strings.NewReader(
				`{"data":{"publication":{"id":"1","updatedAt":"u","productUrl":"` + strings.Repeat(
					"x",
					client.UsualAnswer,
				),
			)
			rest := strings.NewReader(strings.Repeat("x", client.UsualAnswer) + `"}}}`)
			begun := false
			return io.MultiReader(first, readerFunc(func(p []byte) (int, error) {
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
		}
		w := always(200, data(`{"account":{"slug":"s"}}`))
		c := New(Config{URL: "https://market.test", Transport: trip(func(r *http.Request) (*http.Response, error) {
			text, err := io.ReadAll(r.Body)
			if err != nil || !strings.Contains(string(text), "Content") {
				r.Body = io.NopCloser(bytes.NewReader(text))
				return w.RoundTrip(r)
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body()), Request: r}, nil
		})})
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatalf("account: got %v, want no error", err)
		}
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if _, err := read1(t, c, 0); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		start := time.Now()
		switch _, err := c.Account(t.Context()); {
		case err != nil:
			t.Errorf("a short answer took %v: %v; err: got %v, want nil", time.Since(start), err, err)
		case time.Since(start) > time.Second/2:
			t.Errorf(
				"a short answer took %v: %v; time.Since(start): got %v, want at most %v", time.Since(start), err,
				time.Since(start), time.Second/2,
			)
		}
		group.Wait()
		if most.Load() != 1 {
			t.Errorf("%d large answers at a time, want %v", most.Load(), 1)
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestContextsAndTimeouts(t *testing.T) {
	hang := func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	t.Run("the caller's context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := New(Config{URL: "https://market.test", Transport: trip(hang)})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := c.Account(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			cancel()
			if _, err := c.Account(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	})
	t.Run("our own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := New(Config{URL: "https://market.test", Transport: trip(hang)})
			start := time.Now()
			_, err := c.Account(t.Context())
			switch {
			case err == nil:
				t.Errorf("%v; err: got nil, want an error", err)
			case KindOf(err) != Transient:
				t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Transient)
			case errors.Is(err, context.DeadlineExceeded):
				t.Errorf("%v; errors.Is(err, context.DeadlineExceeded): got true, want false", err)
			}
			if took := time.Since(start); took != client.AnswerTimeout {
				t.Errorf("took %v, want %v", took, client.AnswerTimeout)
			}
		})
	})
}

// trip is a function as a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestAddressesAreNotInErrors uses real sockets: a password in the address must not come back in
// the text of a failed dial or handshake.
func TestAddressesAreNotInErrors(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	secret := strings.Replace(server.URL, "https://", "https://user:passw0rd@", 1)
	for _, down := range []bool{false, true} {
		if down {
			server.Close()
		}
		c := New(Config{URL: secret, Token: token})
		_, err := c.Probe(t.Context())
		switch {
		case err == nil:
			t.Errorf("down=%v: %v; err: got nil, want an error", down, err)
		case KindOf(err) != Transient:
			t.Errorf("down=%v: %v; KindOf(err): got %v, want %v", down, err, KindOf(err), Transient)
		case strings.Contains(err.Error(), "passw0rd"):
			t.Errorf("down=%v: %v; strings.Contains(err.Error(), \"passw0rd\"): got true, want false", down, err)
		}
		c.Close()
	}
}

// A token that is replaced is sent from then on, and neither it nor the one before is shown where a
// server throws them back.
func TestTokenIsReplaced(t *testing.T) {
	const fresh = token + "-and-more"
	var sent []string
	w := trip(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get("Authorization"))
		body := `{"errors":[{"message":"you sent ` + token + ` and ` + fresh + `"}]}`
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
	c := New(Config{URL: "https://market.test", Token: token, Transport: w})
	switch {
	case c.SetToken(""):
		t.Errorf("what is no new token is taken for one; c.SetToken(\"\"): got true, want false")
	case c.SetToken(token):
		t.Errorf("what is no new token is taken for one; c.SetToken(token): got true, want false")
	}
	_, _ = c.Webhooks(t.Context()) //nolint:errcheck // every answer is an error
	if !c.SetToken(fresh) {
		t.Error("a new token is not taken")
	}
	_, err := c.Webhooks(t.Context())
	switch {
	case err == nil:
		t.Errorf("the error is %v; err: got nil, want an error", err)
	case strings.Contains(err.Error(), token):
		t.Errorf("the error is %v; strings.Contains(err.Error(), token): got true, want false", err)
	case !strings.Contains(err.Error(), "you sent [token] and [token]"):
		t.Errorf("the error is %v", err)
	}
	switch first, last := sent[0], sent[len(sent)-1]; {
	case first != "Bearer "+token:
		t.Errorf("sent %q; first: got %v, want %v", sent, first, "Bearer "+token)
	case last != "Bearer "+fresh:
		t.Errorf("sent %q; last: got %v, want %v", sent, last, "Bearer "+fresh)
	}
}

// TestAnAnswerAtTheLimitTakesNoTurn has a page as long as a usual answer may be, and then a long
// publication.
func TestAnAnswerAtTheLimitTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{answer: func(_ int, s sent) (int, string) {
			if s.OperationName == "List" {
				page := data(`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false}}}`)
				return 200, page + strings.Repeat(" ", client.UsualAnswer-len(page))
			}
			return 200, data(
				`{"publication":{"updatedAt":"u","productUrl":"` + strings.Repeat("x", 2*client.UsualAnswer) + `"}}`,
			)
		}}
		c := known(t, w)
		for range 2 {
			if _, err := c.List(t.Context(), Urgent, IDDesc, ""); err != nil {
				t.Error(err)
			}
			if _, err := read1(t, c, 0); err != nil {
				t.Error(err)
			}
		}
	})
}
