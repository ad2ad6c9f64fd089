package shopadapter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A slowShop answers each request after a time, and ends the answer after another.
type slowShop struct{ head, body time.Duration }

func (s slowShop) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := sleep(r.Context(), s.head); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(slowBody{r.Context(), s.body}), Request: r}, nil
}

type slowBody struct {
	ctx  context.Context
	last time.Duration
}

func (b slowBody) Read([]byte) (int, error) {
	if err := sleep(b.ctx, b.last); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Each request has the time of its own, whatever those before it took, and a request that takes
// longer ends with what is wrong.
func TestEachRequest(t *testing.T) {
	const limit = 30 * time.Second
	for _, tt := range []struct {
		name    string
		shop    slowShop
		limited bool
		fails   bool
	}{
		{"slow, five times", slowShop{head: 20 * time.Second, body: 5 * time.Second}, true, false},
		{"no answer", slowShop{head: time.Hour}, true, true},
		{"half an answer", slowShop{head: 20 * time.Second, body: 20 * time.Second}, true, true},
		{"no limit", slowShop{head: time.Hour}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := Options{HTTPClient: &http.Client{Transport: tt.shop}}.whole().whole().HTTPClient
				ctx := t.Context()
				if tt.limited {
					ctx = EachRequest(ctx, limit)
				}
				for range 5 {
					err := get(ctx, client)
					if (err != nil) != tt.fails {
						t.Fatalf("got %v, want an error: %t", err, tt.fails)
					}
					if err != nil && (!errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "within 30s")) {
						t.Errorf("got %v, want a deadline of 30s that was exceeded", err)
					}
				}
			})
		})
	}
}

func get(ctx context.Context, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://shop.example.com/", nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
