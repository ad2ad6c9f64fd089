package woocommerce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// realPatience is the one that Open takes: the clock of these tests is turned by them.
func realPatience() patience { return patience{step: 2 * time.Second, steps: 15} }

// laborious makes each operation take its time, as PHP does.
func (f *fakeShop) laborious(each map[string]time.Duration) {
	f.Work = func(kind string, items int) { time.Sleep(each[kind]) }
}

// impatient gives up on a request after a while; the shop goes on.
func impatient(after time.Duration, times *atomic.Int32) func(http.RoundTripper) http.RoundTripper {
	return around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if times.Add(-1) < 0 {
			return next.RoundTrip(req)
		}
		ctx, cancel := context.WithTimeout(req.Context(), after)
		defer cancel()
		return next.RoundTrip(req.WithContext(ctx))
	})
}

// insist calls until it works, a moment after each failure, as the connector does.
func insist(
	t *testing.T, a *adapter, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields, forget bool,
) shopadapter.Listing {
	t.Helper()
	for range 30 {
		l, err := a.Publish(t.Context(), ref, p, changed)
		if err == nil {
			return l
		}
		if e := shopadapter.Explain(err); e.Kind != shopadapter.Transient {
			t.Fatalf("%v is %s, want a transient error", err, e.Kind)
		}
		if l.ID != "" && !forget {
			ref.Listing, ref.State = l.ID, l.State
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatal("got no call without an error, want one")
	return shopadapter.Listing{}
}

// The answer to a batch does not come in time, and the shop goes on creating while it is asked
// again. A real one was left with 115 variations of 60 by a caller that asked at once.
func TestTimeOutHalfWayThroughABatch(t *testing.T) {
	for _, forget := range []bool{false, true} {
		for _, variants := range []int{60, 120} {
			t.Run(fmt.Sprintf("%d variants, hints lost: %t", variants, forget), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFakeShop(t)
					f.laborious(
						map[string]time.Duration{
							"item": 150 * time.Millisecond, "create": 60 * time.Millisecond, "list": 40 * time.Millisecond,
						},
					)
					var times atomic.Int32
					times.Store(8) // of every request for a while the answer is not awaited
					a := f.connect(t, realPatience(), impatient(4*time.Second, &times))
					p := sample("half", variants)
					l := insist(t, a, refOf(p), p, shopadapter.AllFields, forget)
					if broken := f.inconsistent(p); broken != "" {
						t.Fatal(broken)
					}
					// The same when it is changed.
					q := laws.Revise(p, 1)
					q.Images = nil
					q.Variants = append(q.Variants[1:], p.Variants[0])
					q.Variants[variants-1].ID, q.Variants[variants-1].SKU = "new", "LAMP-NEW"
					times.Store(5)
					insist(t, a, shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}, q, shopadapter.AllFields, forget)
					f.Running.Wait()
					f.wantConsistent(t, q)
					for sku, times := range f.Made {
						if times != 1 {
							t.Errorf("variation %s was made %d times, want once", sku, times)
						}
					}
				})
			})
		}
	}
}

// A change is taken back while the shop is still carrying it out for a caller that gave up waiting.
// The last word is the last one.
func TestChangeTakenBackWhileUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.laborious(map[string]time.Duration{"item": 150 * time.Millisecond})
		var times atomic.Int32
		a := f.connect(t, realPatience(), impatient(4*time.Second, &times))
		p := sample("back", 60)
		times.Store(0)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		q := laws.Revise(p, 1)
		times.Store(3)
		l, err := a.Publish(t.Context(), ref, q, shopadapter.FieldPrice)
		if err == nil {
			t.Fatal("got no error, want one: it is not answered in time")
		}
		ref.State = l.State
		insist(t, a, ref, p, shopadapter.FieldPrice, false)
		f.Running.Wait()
		f.wantConsistent(t, p)
	})
}

// A shop so slow that it seems to stand still goes on making what is being made anew. What was made
// twice is removed before the call ends.
func TestShopThatSeemsToStandStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.laborious(map[string]time.Duration{"item": 5 * time.Second})
		var times atomic.Int32
		a := f.connect(t, realPatience(), impatient(4*time.Second, &times), "PRICES", "gross")
		p := sample("still", 4)
		times.Store(8)
		insist(t, a, refOf(p), p, shopadapter.AllFields, false)
		twice := 0
		for _, n := range f.Made {
			twice += n - 1
		}
		if broken := f.inconsistent(p); broken != "" || twice == 0 {
			t.Errorf("%d were made twice, want some, and none left: %s", twice, broken)
		}
	})
}

// Two callers that do not know of one another left doubles. The next look removes them.
func TestDoublesAreRemoved(t *testing.T) {
	f, a := opened(t)
	p := sample("doubled", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	for _, id := range l.ShopIDs() {
		original := *f.Find(shopadapter.ListingID(id))
		f.NextPost++
		original.ID = f.NextPost
		f.Posts[original.ID] = &original
	}
	must(t, a, ref, p, shopadapter.NoFields)
	f.wantConsistent(t, p)
}

// A picture takes longer than anybody waits. It is loaded once all the same.
func TestSlowPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.laborious(map[string]time.Duration{"picture": 6 * time.Second, "create": 60 * time.Millisecond})
		var times atomic.Int32
		a := f.connect(t, realPatience(), impatient(5*time.Second, &times))
		p := sample("slow", 1)
		p.Images = pictureURLs(1, 2)
		times.Store(3)
		insist(t, a, refOf(p), p, shopadapter.AllFields, false)
		if s := f.seen(t, p.ID); len(s.Images) != 2 || f.Uploads() != 2 || !s.OnSale {
			t.Errorf("%d pictures after %d uploads, on sale %t, want 2 after 2 and true", len(s.Images), f.Uploads(), s.OnSale)
		}
	})
}

// While a creation of the past is under way its SKU is taken, and nothing shows it.
func TestCreationUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.laborious(map[string]time.Duration{"create": 7 * time.Second})
		var times atomic.Int32
		times.Store(4)
		a := f.connect(t, realPatience(), impatient(time.Second, &times), "PRICES", "gross")
		p := sample("underway", 3)
		p.Category = shopadapter.Category{}
		if _, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields); err == nil {
			t.Fatal("got no error, want one: it is not answered in time")
		}
		insist(t, a, refOf(p), p, shopadapter.AllFields, false)
		f.Running.Wait()
		if broken := f.inconsistent(p); broken != "" || len(f.Lookup) != 4 {
			t.Errorf("%d SKUs in the lookup table, want 4: %s", len(f.Lookup), broken)
		}
	})
}

// A row of the lookup table that belongs to no product is nothing the adapter can mend, and the
// message says what can.
func TestOrphanInTheLookupTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		a := f.connect(t, realPatience(), nil)
		p := sample("orphan", 1)
		f.Lookup[strings.ToLower(p.Variants[0].SKU)] = 9
		_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient ||
			!strings.Contains(e.Error(), "Regenerate") {
			t.Errorf("got %v, want a transient error that says Regenerate", err)
		}
	})
}

// page is an answer in the shop's place.
func page(req *http.Request, status int, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"text/html"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: req,
		Body: io.NopCloser(bytes.NewReader([]byte("<!doctype html><h1>" + http.StatusText(status) + "</h1>"))),
	}
}
