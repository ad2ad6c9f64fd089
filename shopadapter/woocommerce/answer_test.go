package woocommerce

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// unfolding is a small packed text that becomes sixteen megabytes: head, the piece again and again,
// and tail.
func unfolding(t *testing.T, head, piece, tail string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, head)
	for range 16 << 20 / (len(piece) << 10) {
		_, _ = io.WriteString(w, strings.Repeat(piece, 1<<10))
	}
	_, _ = io.WriteString(w, tail)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A small answer that unfolds takes no more than a few megabytes, to any request, and is tried
// again later. What else may unfold is known to package wire.
func TestAnswersThatUnfold(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes megabytes")
	}
	p := sample("bomb", 3)
	publish := func(change func(*shopadapter.Product), changed shopadapter.Fields) func(
		context.Context, *adapter, shopadapter.Ref) error {
		return func(ctx context.Context, a *adapter, ref shopadapter.Ref) error {
			q := sample("bomb", 3)
			change(&q)
			_, err := a.Publish(ctx, ref, q, changed)
			return err
		}
	}
	for what, call := range map[string]func(context.Context, *adapter, shopadapter.Ref) error{
		"a look":  publish(func(*shopadapter.Product) {}, shopadapter.FieldTitle),
		"a batch": publish(func(q *shopadapter.Product) { q.Variants[0].Price = "7.00" }, shopadapter.FieldPrice),
		"a list": func(ctx context.Context, a *adapter, _ shopadapter.Ref) error {
			for _, err := range a.List(ctx, shopadapter.Query{}) {
				return err
			}
			return nil
		},
		"a check": func(ctx context.Context, a *adapter, _ shopadapter.Ref) error {
			_, err := a.Check(ctx)
			return err
		},
	} {
		for name, bomb := range map[string][]byte{
			"images": unfolding(t, `{"id":1,"images":[{}`, `,{}`, `]}`), "a list": unfolding(t, `[{}`, `,{}`, `]`),
			"params of a refusal": unfolding(t, `{"code":"x","data":{"params":{"a":""`, `,"a":""`, `}}}`),
		} {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
				f := newFakeShop(t)
				armed := false
				a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
					if !armed {
						return next.RoundTrip(req)
					}
					r, err := gzip.NewReader(bytes.NewReader(bomb))
					resp := page(req, status)
					resp.Body = io.NopCloser(r)
					return resp, err
				}))
				ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
				armed = true
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := call(t.Context(), a, ref)
				runtime.ReadMemStats(&after)
				if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient {
					t.Errorf("%s, %s, %d: %v is not transient", what, name, status, err)
				}
				if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 8 {
					t.Errorf("%s, %s, %d: %d MiB were allocated, want 8 at most", what, name, status, took)
				}
			}
		}
	}
}
