package engine

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A slowShop answers each of the requests of a check after a time.
type slowShop struct {
	shopadapter.Adapter
	client   *http.Client
	requests int
}

func (s slowShop) Check(ctx context.Context) (shopadapter.Info, error) {
	return shopadapter.Info{Currency: "USD"}, s.ask(ctx, s.requests)
}

func (s slowShop) ask(ctx context.Context, requests int) error {
	for range requests {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://shop.example.com/", nil)
		if err != nil {
			return err
		}
		resp, err := s.client.Do(r)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

type answersAfter time.Duration

func (d answersAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(time.Duration(d)):
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// Each request of a check has a deadline of its own: a shop that answers each of five within it is
// slow, and not down.
func TestEachRequestOfACheckHasItsOwnDeadline(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		passes bool
		took   time.Duration
	}{
		{"a slow shop", 20 * time.Second, true, 100 * time.Second},
		{"a shop that does not answer", time.Hour, false, checkRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := slowEngine(t, tt.after, "")
				begun := time.Now()
				if err := x.check(t.Context()); (err == nil) != tt.passes {
					t.Errorf("got %v, want it to pass: %t", err, tt.passes)
				}
				if took := time.Since(begun); took != tt.took {
					t.Errorf("got it after %s, want %s", took, tt.took)
				}
			})
		})
	}
}

// slowEngine has a shop whose currency is USD, and whose check makes five requests.
func slowEngine(t *testing.T, after time.Duration, currency string) *Engine {
	t.Helper()
	options, err := shopadapter.Options{HTTPClient: &http.Client{Transport: answersAfter(after)}}.
		Complete("slow", &struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	x := New(Options{Store: newStore(t), Shop: slowShop{client: options.HTTPClient, requests: 5}, Concurrency: 1})
	x.Currency = currency
	return x
}

// A write waits for a slow shop to tell its currency: one in another currency is refused. A shop
// that does not answer holds it for one request.
func TestEachRequestOfAQuestionBeforeAWriteHasItsOwnDeadline(t *testing.T) {
	for _, tt := range []struct {
		name     string
		after    time.Duration
		currency string // of the marketplace
		writes   int    // at a time
		refused  bool
		took     time.Duration
	}{
		{"a slow shop in another currency", 20 * time.Second, "EUR", 1, true, 100 * time.Second},
		{"a slow shop, asked once for four", 20 * time.Second, "USD", 4, false, 100 * time.Second},
		{"a shop that does not answer", time.Hour, "EUR", 1, false, checkRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := slowEngine(t, tt.after, tt.currency)
				begun := time.Now()
				var writes sync.WaitGroup
				for range tt.writes {
					writes.Go(func() {
						if err := x.beforeWrite(t.Context()); (err != nil) != tt.refused {
							t.Errorf("got %v, want the write refused: %t", err, tt.refused)
						}
					})
				}
				writes.Wait()
				if took := time.Since(begun); took != tt.took {
					t.Errorf("the write waited for %s, want %s", took, tt.took)
				}
			})
		})
	}
}
