package marketplace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
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
	}{
		{
			name: "5xx with Retry-After", status: 503, header: http.Header{"Retry-After": {"7"}}, wait: 7 * time.Second,
			spent: true,
		},
		{
			name: "5xx that looks like a validation error", status: 500,
			body: complaint(`Cannot query field "de" on type "Translations".`), spent: true,
		},
		{name: "200 with HTML", status: 200, body: html, spent: true},
		{name: "200 cut in the middle", status: 200, body: `{"data":{"publications":{"nod`, spent: true},
		{name: "200 with null data", status: 200, body: `{"data":null}`, spent: true},
		{name: "200 with another shape", status: 200, body: `{"data":{"publications":7}}`, spent: true},
		{name: "200 with a list of nothing", status: 200, body: `{"data":{"publications":null}}`, spent: true},
		{
			name: "200 with null in the place of the entries, beside a cursor", status: 200, after: "b",
			body: `{"data":{"publications":{"nodes":null,"pageInfo":{"hasNextPage":false,"endCursor":"c"}}}}`, spent: true,
		},
		{name: "302", status: 302, header: http.Header{"Location": {"https://elsewhere.test/"}}, spent: true},
		{name: "internal error", status: 200, body: complaint("Internal server error"), spent: true},
		{
			name: "internal error in words of its own", status: 200, body: complaint("Something went wrong, try again"),
			spent: true,
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
		{name: "throttled", status: 200, body: complaint("Throttled"), kind: Throttled, empty: true},
		{
			name: "throttled, errors is a string", status: 200, body: `{"errors":"Throttled"}`, kind: Throttled,
			empty: true,
		},
		{
			name: "throttled by its code", status: 200,
			body: `{"errors":[{"message":"Slow down","extensions":{"code":"THROTTLED"}}]}`, kind: Throttled, empty: true,
		},
		{name: "bare 429", status: 429, body: "slow down", kind: Throttled, empty: true},
		{
			name: "429 for ever", status: 429, header: http.Header{
				"Retry-After": {"99999999"},
			}, kind: Throttled, wait: longestPause, empty: true,
		},
		{name: "401", status: 401, kind: Unauthorized},
		{name: "unauthenticated in a 200", status: 200, body: complaint("Unauthenticated."), kind: Unauthorized},
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
				paused := row.kind == Throttled && row.wait == 0 && e.RetryAfter > 0
				if e.Kind != row.kind || e.RetryAfter != row.wait && !paused {
					t.Errorf("%v (%v, after %v), want %v after %v", err, e.Kind, e.RetryAfter, row.kind, row.wait)
				}
				contains(t, "error", err.Error(), "list publications: ")
				switch left := c.Budget().Remaining; {
				case row.empty && left > 0, row.spent && left >= before, !row.empty && !row.spent && left < before:
					t.Errorf("%g of %g points are left", left, before)
				}
				if n := len(w.operations()); n != 1 {
					t.Errorf("%d requests were sent, want 1", n)
				}
				if s := c.Stats(); (s.Throttled == 1) != (row.kind == Throttled) {
					t.Errorf("%+v", s)
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
	if len(s.Variables) > 0 || strings.Contains(s.Query, "after") {
		t.Errorf("an optional argument without a value was sent: %s %v", s.Query, s.Variables)
	}
}

// TestAnswersThatAreTooLarge names the limit that is exceeded, and allocates no more than the
// limits allow.
func TestAnswersThatAreTooLarge(t *testing.T) {
	list := func(c *Client) error {
		_, err := c.List(context.Background(), Urgent, IDDesc, "")
		return err
	}
	read := func(c *Client) error {
		_, err := c.TryContent(context.Background(), "1")
		return err
	}
	probe := func(c *Client) error {
		_, err := c.Probe(context.Background())
		return err
	}
	many := strings.Repeat(",{}", 7<<20/3)
	for _, row := range []struct {
		name, body string
		call       func(*Client) error
		want       string
	}{
		{"a long page", `{"data":{"x":"` + strings.Repeat("x", usualAnswer) + `"}}`, list, "longer than 1048576 bytes"},
		{"errors without number", `{"errors":[{}` + many[:1<<19] + `]}`, list, "elements"},
		{
			"variants without number", `{"data":{"publication":{"listing":{"variants":{"nodes":[{}` + many + `]}}}}}`,
			read, "elements",
		},
		{"types without number", `{"data":{"__schema":{"types":[{}` + many + `]}}}`, probe, "more than 200000 elements"},
		{"lists without end", `{"data":` + strings.Repeat("[", 1<<19), list, "elements"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := known(t, always(200, row.body))
			if strings.HasPrefix(row.name, "types") {
				c.dialect.Store(nil)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := row.call(c)
			runtime.ReadMemStats(&after)
			if err == nil || KindOf(err) != Transient {
				t.Fatalf("%v, want a transient error", err)
			}
			contains(t, "error", err.Error(), row.want)
			most := uint64(8 << 20)
			raced := debug.BuildSetting{Key: "-race", Value: "true"}
			if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, raced) {
				most *= 2 // each growth of a buffer allocates twice
			}
			// The fake wire copies the answer once.
			if took := after.TotalAlloc - before.TotalAlloc - uint64(len(row.body)); took > most {
				t.Errorf("%d MiB were allocated, want at most %d", took>>20, most>>20)
			}
		})
	}
}

// A token that is replaced is sent from then on, and neither it nor the one before is shown where a
// server throws them back.
func TestTokenIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // what the second request waits for
		const fresh = token + "-and-more"
		var sent []string
		w := trip(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.Header.Get("Authorization"))
			body := `{"errors":[{"message":"you sent ` + token + ` and ` + fresh + `"}]}`
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		c := New(Config{URL: "https://market.test", Token: token, Transport: w})
		if c.SetToken("") || c.SetToken(token) {
			t.Errorf("what is no new token is taken for one")
		}
		_, _ = c.Webhooks(t.Context()) //nolint:errcheck // every answer is an error
		if !c.SetToken(fresh) {
			t.Error("a new token is not taken")
		}
		_, err := c.Webhooks(t.Context())
		if err == nil || strings.Contains(err.Error(), token) ||
			!strings.Contains(err.Error(), "you sent [token] and [token]") {
			t.Errorf("the error is %v", err)
		}
		if first, last := sent[0], sent[len(sent)-1]; first != "Bearer "+token || last != "Bearer "+fresh {
			t.Errorf("sent %q", sent)
		}
	})
}

// trip is a function as a transport.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A page that the server finds too dear is made smaller until it takes it, whatever words it has for that.
func TestQueriesThatAreTooDear(t *testing.T) {
	first := regexp.MustCompile(`first:(\d+)`)
	for _, words := range []string{
		"Query has a cost of 302, which exceeds the single query limit of 100.", "The query is too complex",
		"Requested query cost exceeded the maximum", "Query exceeds the maximum complexity of 100",
		"Requesting 100 records on the connection exceeds the `first` limit of 50 records.", "Too expensive a query",
		"A query may not ask for more than the limit of complexity",
	} {
		t.Run(words, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: func(_ int, s sent) (int, string) {
					if n, _ := strconv.Atoi(first.FindStringSubmatch(s.Query)[1]); n > 20 {
						return 200, fmt.Sprintf(`{"errors":[{"message":%q}]}`, words)
					}
					return 200, data(`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false}}}`)
				}}
				if _, err := known(t, w).List(t.Context(), Sweep, IDDesc, ""); err != nil || len(w.seen) > 8 {
					t.Errorf("%d requests, %v", len(w.seen), err)
				}
			})
		})
	}
}

// A server may write null for the entries of an empty last page, and the cursor asked with for its end.
func TestAnEmptyLastPage(t *testing.T) {
	for _, end := range []string{`null`, `""`, `"c"`} {
		synctest.Test(t, func(t *testing.T) {
			c := known(t, always(200,
				`{"data":{"publications":{"nodes":null,"pageInfo":{"hasNextPage":false,"endCursor":`+end+`}}}}`))
			page, err := c.List(t.Context(), Urgent, UpdatedAtAsc, "c")
			if err != nil || len(page.Entries) > 0 || page.More {
				t.Errorf("end %s: got %+v and %v, want an empty page", end, page, err)
			}
		})
	}
}
