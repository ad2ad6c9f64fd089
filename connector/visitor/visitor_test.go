package visitor_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A front answers visitors.
type front struct {
	mu     sync.Mutex
	status int
	visits map[string]int
}

func (f *front) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.visits[r.URL.String()]++; f.status == 0 {
		f.status = http.StatusOK
	}
	return &http.Response{StatusCode: f.status, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func (f *front) answer(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
}

func (f *front) visited(address string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.visits[address]
}

// visiting is a bench whose products are visited.
func visiting(t *testing.T, strict bool) (*harness.Bench, *front) {
	t.Helper()
	f := &front{visits: map[string]int{}}
	b := harness.New(t, sandbox.Options{RestoreRate: 2000})
	b.Tune = func(o *connector.Options) {
		o.Visits = connector.Visits{Client: &http.Client{Transport: f}, Strict: strict}
	}
	return b, f
}

// A page is visited once after its report, and again after a retry. What a visitor sees in its place
// is in explain and status.
func TestPagesAreVisitedAfterTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, f := visiting(t, false)
		f.answer(http.StatusNotFound)
		id := b.Market.AddSound(1)[0]
		c, stop := b.Start()
		time.Sleep(time.Minute)
		r := b.Record(id)
		if r.Reported != store.StatusSuccess || r.State != store.StateLive {
			t.Errorf("reported %q and %s, want success and live", r.Reported, r.State)
		}
		const saw = "a page that is not there (404)"
		if r.Visit.URL != r.URL || r.Visit.Saw != saw {
			t.Errorf("recorded %+v, want %q", r.Visit, saw)
		}
		e, err := harness.Explain(b.Store, b.Settings().Rules, id)
		if err != nil || e.Shop.Visit == nil || e.Shop.Visit.Saw != saw {
			t.Errorf("explained as %+v, %v, want %q", e.Shop.Visit, err, saw)
		}
		s, err := harness.StatusOf(b.Store)
		if err != nil || len(s.WrongPages) != 1 || !strings.Contains(s.Shop.Warning, saw) {
			t.Errorf("status tells %+v, %q, %v, want one page", s.WrongPages, s.Shop.Warning, err)
		}
		time.Sleep(30 * time.Minute)       // sweeps and looks
		if n := f.visited(r.URL); n != 2 { // HEAD, then GET
			t.Errorf("%d requests, want 2", n)
		}
		f.answer(http.StatusOK)
		if _, err := c.Desk().Retry(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		if r = b.Record(id); r.Visit.Saw != "" || r.Visit.URL != r.URL {
			t.Errorf("after the retry %+v, want the product seen", r.Visit)
		}
		if s, err = harness.StatusOf(b.Store); err != nil || len(s.WrongPages) != 0 || s.Shop.Warning != "" {
			t.Errorf("status tells %+v, %q, %v, want nothing", s.WrongPages, s.Shop.Warning, err)
		}
		stop()
	})
}

// A page that shows something else is visited every hour until it is mended, also by another
// process.
func TestAPageThatIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, f := visiting(t, false)
		f.answer(http.StatusUnauthorized)
		id := b.Market.AddSound(1)[0]
		_, stop := b.Start()
		time.Sleep(10 * time.Minute)
		stop()
		f.answer(http.StatusOK)
		_, stop = b.Start()
		time.Sleep(10 * time.Minute)
		if got := b.Record(id).Visit.Saw; got == "" {
			t.Error("seen again within minutes, want an hour")
		}
		time.Sleep(time.Hour)
		stop()
		if got := b.Record(id).Visit.Saw; got != "" {
			t.Errorf("after an hour a visitor sees %s, want the product", got)
		}
		if s, err := harness.StatusOf(b.Store); err != nil || len(s.WrongPages) != 0 {
			t.Errorf("status tells %+v, %v, want nothing", s.WrongPages, err)
		}
	})
}

// With strict, the marketplace is told of a product once a visitor sees it. A run does not wait for
// a page that shows something else.
func TestTheReportWaitsForThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, f := visiting(t, true)
		f.answer(http.StatusNotFound)
		id := b.Market.AddSound(1)[0]
		begun := time.Now()
		b.Once(false)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("the run took %v, want it not to wait", took)
		}
		if r := b.Record(id); r.Reported != "" || r.Visit.Saw == "" {
			t.Errorf("reported %q after %+v, want it to wait", r.Reported, r.Visit)
		}
		_, stop := b.Start()
		time.Sleep(30 * time.Minute)
		if r := b.Record(id); r.Reported != "" {
			t.Errorf("reported %q, want it to wait", r.Reported)
		}
		f.answer(http.StatusOK)
		time.Sleep(time.Hour)
		stop()
		if r := b.Record(id); r.Reported != store.StatusSuccess {
			t.Errorf("reported %q once the product is seen, want success", r.Reported)
		}
	})
}

// A run is not prolonged by visits: what it leaves is visited by the next process.
func TestARunLeavesVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, f := visiting(t, false)
		ids := b.Market.AddSound(30)
		begun := time.Now()
		s := b.Once(false)
		if took := time.Since(begun); s.Created != 30 || took > 10*time.Second {
			t.Errorf("%+v after %v, want 30 created at once", s, took)
		}
		_, stop := b.Start()
		time.Sleep(10 * time.Minute)
		stop()
		for _, id := range ids {
			if n := f.visited(b.Record(id).URL); n != 1 {
				t.Errorf("%s: visited %d times, want once", id, n)
			}
		}
	})
}
