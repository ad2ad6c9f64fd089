package drift_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A slowShop tells of each of its listings after a time.
type slowShop struct {
	shopadapter.Adapter
	listings int
	after    time.Duration
}

func (s slowShop) Observe(
	ctx context.Context, _ shopadapter.Observation,
) iter.Seq2[shopadapter.Observed, error] {
	return func(yield func(shopadapter.Observed, error) bool) {
		for range s.listings {
			select {
			case <-time.After(s.after):
			case <-ctx.Done():
				yield(shopadapter.Observed{}, ctx.Err())
				return
			}
			if !yield(shopadapter.Observed{Images: -1}, nil) {
				return
			}
		}
	}
}

// A comparison takes as long as the shop goes on telling, and ends when it is silent.
func TestAComparisonEndsInSilence(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shop  slowShop
		want  bool // it was compared
		about time.Duration
	}{
		{"slow, and it goes on", slowShop{listings: 100, after: 50 * time.Second}, true, 5000 * time.Second},
		{"silent", slowShop{listings: 2, after: time.Hour}, false, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				f := drift.New(drift.Options{
					Shop: func() shopadapter.Adapter { return tt.shop }, Breaker: b.Breaker(breaker.Shop), Health: b.Health(),
					Store: b.Store, Log: b.Options().Logger, Settings: b.Settings(), Metrics: metrics.New(),
					Resynced: breaker.NewSignal(), Due: breaker.NewSignal(), Owed: func() {},
					Ready: func(context.Context) bool { return true },
				})
				begun := time.Now()
				f.Compare(t.Context(), true, time.Minute)
				if took := time.Since(begun); took != tt.about {
					t.Errorf("took %s, want %s", took, tt.about)
				}
				var last publication.Compared
				known, err := store.MetaJSON(t.Context(), b.Store, publication.MetaCompared, &last)
				if err != nil {
					t.Fatal(err)
				}
				if known != tt.want {
					t.Errorf("compared: %t, want %t", known, tt.want)
				}
			})
		})
	}
}
