package woocommerce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
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
	f.Work = func(kind string) { time.Sleep(each[kind]) }
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

// The answer to a batch does not come in time, and the shop goes on creating while it is asked
// again. A real one was left with 115 variations of 60 by a caller that asked at once.
func TestTimeOutHalfWayThroughABatch(t *testing.T) {
	for _, forget := range []bool{false, true} {
		t.Run(fmt.Sprint("hints lost: ", forget), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeShop(t)
				f.laborious(map[string]time.Duration{
					"item": 150 * time.Millisecond, "create": 60 * time.Millisecond, "list": 40 * time.Millisecond,
				})
				var times atomic.Int32
				times.Store(8) // of every request for a while the answer is not awaited
				a := f.connect(t, realPatience(), impatient(4*time.Second, &times))
				p := sample("half", 120)
				l := insist(t, a, refOf(p), p, shopadapter.AllFields, forget)
				if broken := f.inconsistent(p); broken != "" {
					t.Fatal(broken)
				}
				// The same when it is changed, and when that is taken back while it is under way.
				q := laws.Revise(p, 1)
				q.Images = nil
				times.Store(5)
				ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State}
				l, _ = a.Publish(t.Context(), ref, q, shopadapter.AllFields)
				ref.State = l.State
				insist(t, a, ref, p, shopadapter.AllFields, forget)
				f.Running.Wait()
				f.wantConsistent(t, p)
				for sku, times := range f.Made {
					if times != 1 {
						t.Errorf("variation %s was made %d times, want once", sku, times)
					}
				}
			})
		})
	}
}

// meanwhile does something just before the next request that writes.
func (f *fakeShop) meanwhile(do func()) {
	f.Before = func(req *http.Request, _ int) error {
		if req.Method != http.MethodGet {
			f.Before = nil
			do()
		}
		return nil
	}
}

// What the merchant deletes between look and write is told as gone by the next call, or made again by
// the same one.
func TestDeletedMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants int
		deletes  int // the place of a variation; -1: the product
		wanted   int // variants
	}{
		{"the product", 1, -1, 1},
		{"a product with variations", 3, -1, 3},
		{"a variation that changes", 3, 1, 3},
		{"a variation that is to go", 3, 2, 2},
	} {
		f, a := opened(t)
		p := sample("meanwhile", tt.variants)
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		id := f.Find(l.ID).ID
		if tt.deletes >= 0 {
			id = f.Children(id)[tt.deletes]
		}
		f.meanwhile(func() {
			for _, one := range append(f.Children(id), id) {
				f.Erase(one)
			}
		})
		p = restocked(p, 1)
		p.Variants = p.Variants[:tt.wanted]
		_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if tt.deletes >= 0 {
			if broken := f.inconsistent(p); err != nil || broken != "" {
				t.Errorf("%s: got %v: %s", tt.name, err, broken)
			}
			continue
		}
		e := shopadapter.Explain(err)
		_, again := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if e == nil || e.Kind != shopadapter.Transient || !errors.Is(again, shopadapter.ErrGone) {
			t.Errorf("%s: got %v and then %v, want a transient error and ErrGone", tt.name, err, again)
		}
	}
}

// A shop on shared hosting has four requests at a time.
func TestFourRequestsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a := opened(t)
		var now, most atomic.Int32
		f.Before = func(*http.Request, int) error {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		}
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() { _, _ = a.product(t.Context(), 1) })
		}
		if all.Wait(); most.Load() != 4 {
			t.Errorf("%d requests at a time, want 4", most.Load())
		}
	})
}

// Two callers that do not know of one another left doubles. The next look removes them.
func TestDoublesAreRemoved(t *testing.T) {
	f, a := opened(t)
	p := sample("doubled", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	for _, id := range l.ShopIDs() {
		double := *f.Find(shopadapter.ListingID(id))
		f.add(&double)
	}
	must(t, a, ref, p, shopadapter.NoFields)
	f.wantConsistent(t, p)
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
	f, a := opened(t)
	p := sample("orphan", 1)
	f.Lookup[strings.ToLower(p.Variants[0].SKU)] = 9
	_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient ||
		!strings.Contains(e.Error(), "Regenerate") {
		t.Errorf("got %v, want a transient error that says Regenerate", err)
	}
}

// PHP that dies in the middle of a write leaves a product or a variation half made: a row alone, one
// with its SKU, or a whole one. Calling again comes to one listing with one of each variant, of which
// none was on sale before it was whole.
func TestPHPDies(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, at := range []string{
			"product row", "product sku", "product whole", "variation row", "variation sku", "variation whole",
			"simple update row", "simple update sku", "simple update whole",
			"variable update row", "variable update sku", "variable update whole",
			"variation update row", "variation update sku", "variation update whole",
		} {
			for _, live := range []bool{false, true} {
				f, a := opened(t)
				p := sample("dead", n)
				ref := refOf(p)
				if live {
					ref, _ = must(t, a, ref, p, shopadapter.AllFields)
					p = restocked(p, 1)
					p.Title = "Another title"
					if n > 1 {
						p.Variants = append(p.Variants, variantOf(p, "fourth", "Pink", "50 cm"))
					}
				}
				died := false
				f.Dies = func(where string) bool { // f.Mu is held
					if died || where != at {
						return false
					}
					died = true
					return true
				}
				l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
				if (err != nil) != died {
					t.Errorf("%d variants, %s, live %t: got %v, want an error: %t", n, at, live, err, died)
				}
				if choices, err := f.Visits(t.Context(), l.ID); err == nil {
					for _, c := range choices {
						if c.SKU != "" && (c.Price == "" || c.Price == "0") {
							t.Errorf("%d variants, %s, live %t: %s can be bought for nothing", n, at, live, c.SKU)
						}
					}
				}
				must(t, a, ref, p, shopadapter.AllFields)
				if broken := f.inconsistent(p); broken != "" {
					t.Errorf("%d variants, %s, live %t: %s", n, at, live, broken)
				}
				f.seen(t, p.ID)
			}
		}
	}
}

// Reading any answer of a shop neither fails nor makes something up.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"id":15,"type":"variable","status":"publish","manage_stock":"parent","stock_quantity":null,"variations":[16,17],` +
			`"meta_data":[{"id":62,"key":"_pubsync","value":"{}"}]}`,
		`{"create":[{"id":0,"error":{"code":"product_invalid_sku","data":{"status":400,"resource_id":66}}}],` +
			`"delete":[{"id":{"id":9},"error":{"data":[]}}]}`,
		`{"code":"rest_invalid_param","message":"x","data":{"params":{"a":"b"},"status":400}}`,
		`[{"id":"12","meta_data":{"1":{"key":"_pubsync","value":{"a":1}}}}]`,
		`{"id":1e400,"images":{"10":{"id":2},"9":{"id":1}},"attributes":[null]}`, `{"create":[null,5,"x"]}`, `<html>`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p product
		if json.Unmarshal(trimmed(data), &p) == nil {
			new(note).marksOfImages(p.Images)
			if owned(p, "publication") &&
				!strings.Contains(string(data), "publication") {
				t.Errorf("%s counts as ours, want the merchant's", data)
			}
		}
		var all list[product]
		var batch map[string]list[batchItem]
		var one fault
		var outer struct {
			Create []json.RawMessage `json:"create"`
		}
		if err := json.Unmarshal(data, &all); err != nil && json.Valid(data) {
			t.Errorf("a list of products ends in %v, want no error", err)
		}
		if json.Unmarshal(data, &outer) == nil && json.Unmarshal(data, &batch) == nil &&
			len(batch["create"]) != len(outer.Create) {
			t.Errorf("%d items were read, want %d", len(batch["create"]), len(outer.Create))
		}
		object(data, &one)
	})
}
