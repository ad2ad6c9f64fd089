package probe

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter"
)

// A slowShop answers each of the requests of a check after a time.
type slowShop struct {
	shopadapter.Adapter
	client   *http.Client
	requests int
}

func (s slowShop) Check(ctx context.Context) error {
	for range s.requests {
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
				var shop slowShop
				options, err := shopadapter.Options{HTTPClient: &http.Client{Transport: answersAfter(tt.after)}}.
					Complete("slow", &struct{}{})
				if err != nil {
					t.Fatal(err)
				}
				shop.client, shop.requests = options.HTTPClient, 5
				log := slog.New(slog.DiscardHandler)
				keep := func(s string) string { return s }
				p := New(Options{
					Shop: func() shopadapter.Adapter { return shop }, Health: health.New(log, keep, nil), Log: log,
				})
				begun := time.Now()
				if err := p.Check(t.Context()); (err == nil) != tt.passes {
					t.Errorf("got %v, want it to pass: %t", err, tt.passes)
				}
				if took := time.Since(begun); took != tt.took {
					t.Errorf("got it after %s, want %s", took, tt.took)
				}
			})
		})
	}
}
