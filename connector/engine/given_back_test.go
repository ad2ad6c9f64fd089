package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A giver is a shop that gives products back to the merchant in place of deleting them.
type giver struct{ shopadapter.Adapter }

func (g giver) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if how != shopadapter.Delete {
		return g.Adapter.Unpublish(ctx, ref, how)
	}
	_, err := g.Adapter.Unpublish(ctx, ref, shopadapter.TakeOffline)
	return "product #7 was your own and is a draft now", err
}

// explain shows in the history that a shop gave a product back in place of deleting it.
func TestWhatWasGivenBackIsTold(t *testing.T) {
	for _, tt := range []struct {
		how  publication.OnRemoved
		want bool
	}{{publication.RemovedDelete, true}, {publication.RemovedUnpublish, false}} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Tune = func(o *connector.Options) { o.OnRemoved, o.Shop = tt.how, giver{b.Shop.Adapter()} }
			ids := b.Market.AddSound(5)
			b.Once(false)
			b.Market.Remove(ids[0])
			b.Once(true)
			e, history := b.Entry(ids[0]), b.History(ids[0])
			if !e.Known || b.State(ids[0]) != store.StateWithdrawn {
				t.Fatalf("state %s, %t, want ok true and state %v", b.State(ids[0]), e.Known, store.StateWithdrawn)
			}
			told := slices.ContainsFunc(
				history,
				func(e store.Event) bool { return strings.Contains(e.What, "product #7 was your own") },
			)
			if told != tt.want {
				t.Errorf("%s: told %t, history %v, want %v", tt.how, told, history, tt.want)
			}
		})
	}
}
