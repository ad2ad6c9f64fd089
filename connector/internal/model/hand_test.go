package model

import (
	"os"
	"testing"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// putBack puts a copy of the store, made before, in its place.
func putBack(b *harness.Bench, saved []byte) {
	b.T.Helper()
	if err := b.Store.Close(); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(b.Path, saved, 0o600); err != nil {
		b.T.Fatal(err)
	}
	b.Open()
	if err := b.Store.SetMeta(b.T.Context(), engine.MetaCopied, "2026-11-01T08:00:00Z"); err != nil {
		b.T.Fatal(err)
	}
}

// lose drops the store, as a disk that died would.
func lose(b *harness.Bench) {
	b.T.Helper()
	if err := b.Store.Close(); err != nil {
		b.T.Fatal(err)
	}
	if err := os.Remove(b.Path); err != nil {
		b.T.Fatal(err)
	}
	b.Open()
}

// reprice has the suppliers change their prices by a little.
func reprice(b *harness.Bench, ids []string, how ...sandbox.Change) {
	b.T.Helper()
	for _, id := range ids {
		if err := b.Market.Supply(id, []string{"cost=10.00", "msrp=21.00"}, how...); err != nil {
			b.T.Fatal(err)
		}
	}
}

// oddShapes has the marketplace give all that is not essential in another shape, and change one
// price at the same time.
func oddShapes(b *harness.Bench, ids ...string) {
	b.Market.Inject(sandbox.Fault{
		Kind: sandbox.OddShape, Probability: 1, On: []sandbox.Kind{sandbox.KindContent},
		Fields: []string{"images", "category", "dropshippingShippingDetails", "dropshippingReturns", "ean"},
	})
	reprice(b, ids)
}

// schedule is a schedule in cron's words.
func schedule(t *testing.T, spec string) cron.Schedule {
	t.Helper()
	s, err := cron.ParseStandard(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
