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
	if packed.Len() > 64<<10 {
		t.Fatalf("it has %d bytes packed, want %d at most", packed.Len(), 64<<10)
	}
	return packed.Bytes()
}

// A small answer that unfolds takes no more than a few megabytes, to any request, and is tried
// again later.
func TestAnswersThatUnfold(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes megabytes")
	}
	p := sample("bomb", 3)
	calls := map[string]func(ctx context.Context, a *adapter, ref shopadapter.Ref) error{
		"a look": func(ctx context.Context, a *adapter, ref shopadapter.Ref) error {
			_, err := a.Publish(ctx, ref, p, shopadapter.FieldTitle)
			return err
		},
		"a batch": func(ctx context.Context, a *adapter, ref shopadapter.Ref) error {
			q := p
			q.Variants = append([]shopadapter.Variant(nil), p.Variants...)
			q.Variants[0].Price = "7.00"
			_, err := a.Publish(ctx, ref, q, shopadapter.FieldPrice)
			return err
		},
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
	}
	bombs := map[string][]byte{
		"empty objects":        unfolding(t, `{"errors":[{}`, `,{}`, `]}`),
		"a list of them":       unfolding(t, `[{}`, `,{}`, `]`),
		"images":               unfolding(t, `{"id":1,"images":[{}`, `,{}`, `]}`),
		"created":              unfolding(t, `{"create":[],"update":[{}`, `,{}`, `]}`),
		"params of a refusal":  unfolding(t, `{"code":"x","message":"x","data":{"params":{"a":""`, `,"a":""`, `}}}`),
		"lists in one another": unfolding(t, ``, `[`, ``),
		"one long text":        unfolding(t, `{"name":"`, `aaaaaaaa`, `"}`),
		"numbers":              unfolding(t, `{"id":1,"variations":[1`, `,1`, `]}`),
		"a page":               unfolding(t, `<p>`, `<b>`, ``),
	}
	for what, call := range calls {
		for name, bomb := range bombs {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
				f := newFakeShop(t)
				armed := false
				a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
					if !armed {
						return next.RoundTrip(req)
					}
					r, err := gzip.NewReader(bytes.NewReader(bomb))
					if err != nil {
						return nil, err
					}
					resp := page(req, status)
					resp.Body = io.NopCloser(r)
					return resp, nil
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
				most := uint64(8)
				if name == "one long text" || name == "a page" {
					most = 40 // in all, while the buffer grows to what a list of a hundred descriptions may take
				}
				if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > most {
					t.Errorf("%s, %s, %d: %d MiB were allocated, want %d at most", what, name, status, took, most)
				}
			}
		}
	}
}
