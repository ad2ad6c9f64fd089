package drift_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
)

// A front answers visitors.
type front struct{ status, visits atomic.Int64 }

func (f *front) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		f.visits.Add(1)
	}
	return &http.Response{StatusCode: int(f.status.Load()), Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// One page is seen a day, and status tells where it is not the product, until it is again.
func TestOnePageIsSeenADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f front
		f.status.Store(http.StatusNotFound)
		b, _, _, stop := drifting(t, 6, func(o *connector.Options) { o.Visitor = &http.Client{Transport: &f} })
		defer stop()
		tells := func() string {
			s, err := harness.StatusOf(b.Store)
			if err != nil {
				t.Fatal(err)
			}
			return s.Shop.Warning
		}
		time.Sleep(47 * time.Hour)
		if n := f.visits.Load(); n != 2 || !strings.Contains(tells(), "a page that is not there (404)") {
			t.Errorf("%d visits, and status tells %q, want 2 and the page", n, tells())
		}
		f.status.Store(http.StatusServiceUnavailable) // tells nothing
		time.Sleep(24 * time.Hour)
		if tells() == "" {
			t.Error("status tells nothing once the shop is busy, want the page")
		}
		f.status.Store(http.StatusOK)
		time.Sleep(24 * time.Hour)
		if got := tells(); got != "" {
			t.Errorf("status tells %q of a page that is mended", got)
		}
	})
}
