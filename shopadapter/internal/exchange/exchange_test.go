package exchange_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

var limits = jsonlimit.Limits{Bytes: 1 << 10, Elements: 100, Depth: 10}

// ask makes one GraphQL request of a server that behaves as told.
func ask(ctx context.Context, t *testing.T, serve http.HandlerFunc) (*exchange.Exchange, error) {
	t.Helper()
	server := httptest.NewServer(serve)
	defer server.Close()
	client := exchange.Client(&http.Client{}, func(h http.Header) { h.Set("X-Token", "s3cret") })
	recorded, x := exchange.Record(ctx, limits)
	_, _, err := graphql.NewClient(server.URL, client).ExecRawWithExtensions(recorded, `{ shop { id } }`, nil)
	return x, err
}

func TestWholeAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
	}{
		{"data", 200, `{"data":{"shop":{"id":"1"}}}`},
		{"an error", 200, `{"errors":[{"message":"no"}]}`},
		{"a failure", 503, `<p>maintenance`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			requests := 0
			x, err := ask(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
				requests++
				if r.Header.Get("X-Token") != "s3cret" || r.Method != http.MethodPost {
					t.Errorf("%s with the token %q", r.Method, r.Header.Get("X-Token"))
				}
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			if x.Status != tt.status || string(x.Body) != tt.body || x.Header.Get("Retry-After") != "7" ||
				x.Excess != nil ||
				requests != 1 {
				t.Errorf("%d requests, %+v, body %q", requests, x, x.Body)
			}
			if lost := x.Lost(t.Context(), err, strings.Clone); lost != nil {
				t.Errorf("lost: %v", lost)
			}
		})
	}
}

func TestLost(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve http.HandlerFunc
		says  string
	}{
		{
			"too long", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat(" ", 2<<10)) },
			"cannot be used: the answer is longer than 1 KiB",
		},
		{
			"too deep", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("[", 20)) },
			"deeper than 10",
		},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"data":`)
		}, "broke off"},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached: " +
			"EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := ask(t.Context(), t, tt.serve)
			e := shopadapter.Explain(x.Lost(t.Context(), err, strings.Clone))
			if e == nil || e.Kind != shopadapter.Transient || e.ShopWide || !strings.Contains(e.Message, tt.says) ||
				strings.Contains(e.Message, "127.0.0.1") {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestStoppedIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := ask(ctx, t, func(http.ResponseWriter, *http.Request) {})
	if lost := x.Lost(ctx, err, strings.Clone); !errors.Is(lost, context.Canceled) ||
		shopadapter.Explain(lost).Message != "" {
		t.Errorf("%v", lost)
	}
}

func TestOtherRequestsPass(t *testing.T) {
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "as it is") }),
	)
	defer server.Close()
	resp, err := exchange.Client(&http.Client{}, nil).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "as it is" {
		t.Errorf("%q, %v", body, err)
	}
}
