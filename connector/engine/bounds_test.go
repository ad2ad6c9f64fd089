package engine_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// An entry whose id is too long to be kept is passed over, and told of. The other entries do not wait for it.
func TestEntriesThatAreTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.Logger = slog.New(slog.NewTextHandler(&said, nil)) }
		good := b.Market.AddSound(3)
		long := strings.Repeat("x", publication.MaxIdent+1)
		b.Market.Add(sandbox.Publication{ID: long})
		b.Once(false)
		b.Once(true)
		for _, id := range good {
			if got := b.State(id); got != store.StateLive {
				t.Errorf("%s is %s, want %s", id, got, store.StateLive)
			}
		}
		if r := b.Entry(long).Record; r.State != "" {
			t.Errorf("the one whose own id is too long: %.500v, want no record", r)
		}
		if !strings.Contains(said.String(), "passed over") || strings.Contains(said.String(), long) {
			t.Errorf("got the log %.2000q, want it told of without the long id", said.String())
		}
	})
}

// The log tells that a price is held, also where the same look writes the stock.
func TestTheLogTellsOfAHeldPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.Logger = slog.New(slog.NewTextHandler(&said, nil)) }
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		b.Update(id, func(l *sandbox.Listing) { l.Variants[0].MSRP, l.Variants[0].Quantity = "999.00", 1 })
		b.Once(false)
		if got := said.String(); !strings.Contains(got, `change="held: price of `) {
			t.Errorf("got %s, want the held price told", got)
		}
	})
}
