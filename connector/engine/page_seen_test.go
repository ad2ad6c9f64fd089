package engine_test

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
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A front answers visitors.
type front struct{ status, visits atomic.Int64 }

func (f *front) RoundTrip(r *http.Request) (*http.Response, error) {
	f.visits.Add(1)
	return &http.Response{StatusCode: int(f.status.Load()), Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// One page is seen a day, and status tells where it is not the product, until it is again; a busy shop tells nothing.
func TestOnePageIsSeenADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f front
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Shop.Can(shoptest.Abilities{Lists: true})
		b.Tune = func(o *connector.Options) {
			o.Sweep, o.Resync, o.Visitor = harness.Every(time.Hour), harness.Every(time.Hour), &http.Client{Transport: &f}
		}
		b.Market.AddSound(2)
		b.Once(false)
		_, stop := b.Start()
		defer stop()
		for _, day := range []struct {
			status int
			tells  string
		}{
			{http.StatusNotFound, "a page that is not there (404)"},
			{http.StatusServiceUnavailable, "a page that is not there (404)"},
			{http.StatusOK, ""},
		} {
			f.status.Store(int64(day.status))
			visits := f.visits.Load()
			time.Sleep(24 * time.Hour)
			s, err := harness.Desk(b.Store).Status(t.Context())
			if n := f.visits.Load() - visits; n != 1 || s.Shop.Warning != "" != (day.tells != "") ||
				!strings.Contains(s.Shop.Warning, day.tells) || err != nil {
				t.Errorf("answered %d: %d visits, and status tells %q, %v, want 1 and %q",
					day.status, n, s.Shop.Warning, err, day.tells)
			}
		}
	})
}
