package connector_test

import (
	"bytes"
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
	"github.com/pubsync/pubsync/shopadapter"
)

// A half deaf transport answers every second request that asks for the country of origin with an error.
type halfDeaf struct {
	next   http.RoundTripper
	answer string // "" lets all through
	asked  atomic.Int64
}

func (f *halfDeaf) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if f.answer != "" && strings.Contains(string(body), "madeIn") {
		if f.asked.Add(1)%2 == 1 {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f.answer)), Request: r,
			}, nil
		}
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return f.next.RoundTrip(r)
}

// A marketplace that refuses brand and details half of the time, or says that its schema lacks one of
// them, clears nothing of what stands in the shop; stock follows all the while.
func TestDetailsThatAreRefusedHalfOfTheTime(t *testing.T) {
	for name, answer := range map[string]string{
		"denied":  harness.Objection("access denied for field product on type Listing"),
		"lacking": harness.Objection("Cannot query field \"madeIn\" on type \"ProductVariant\"."),
	} {
		for mode, o := range map[string]sandbox.Options{"introspected": {}, "assumed": {NoIntrospection: true}} {
			t.Run(name+", "+mode, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := harness.New(t, o)
					f := &halfDeaf{next: b.Market.Transport()}
					b.Tune = func(o *connector.Options) { o.Marketplace = harness.Client(f) }
					id := b.Market.Add(sandbox.Publication{Listing: sandbox.Named("planter").Listing})[0]
					b.Once(false)
					made, _ := b.Shop.Get(id)
					if made.Brand == "" || made.Variants[0].Weight == "" {
						t.Fatalf("made with brand %q and weight %q, want both", made.Brand, made.Variants[0].Weight)
					}
					calls := len(b.Shop.Since(0))
					f.answer = answer
					for n := range 8 {
						b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = 20 + n })
						b.Once(true)
						time.Sleep(20 * time.Minute)
					}
					f.answer = ""
					time.Sleep(2 * time.Hour)
					b.Once(true)
					for _, call := range b.Shop.Since(calls) {
						if call.Changed.Any(shopadapter.FieldBrand | shopadapter.FieldDetails) {
							t.Errorf("written: got %s, want neither brand nor details", call.Changed)
						}
					}
					if now, _ := b.Shop.Get(id); now.Variants[0].Quantity != 27 {
						t.Errorf("quantity: got %d, want 27", now.Variants[0].Quantity)
					}
				})
			})
		}
	}
}
