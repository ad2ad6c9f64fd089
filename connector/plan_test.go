package connector_test

import (
	"crypto/sha256"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
)

// A planner holds nothing that could write: no adapter, no client that tells the marketplace, no
// store that takes anything.
func TestPlannerCannotWrite(t *testing.T) {
	writers := []string{
		"Publish",
		"Unpublish",
		"Report",
		"Settle",
		"LookAndReport",
		"RegisterWebhook",
		"Mark",
		"Begin",
		"Update",
		"PutPage",
		"SetMeta",
		"Acknowledge",
		"Claim",
	}
	planner := reflect.TypeFor[connector.Planner]()
	for i := range planner.NumField() {
		field := planner.Field(i)
		for _, typ := range []reflect.Type{field.Type, reflect.PointerTo(field.Type)} {
			for _, name := range writers {
				if _, ok := typ.MethodByName(name); ok {
					t.Errorf("Planner.%s has a method %s", field.Name, name)
				}
			}
		}
	}
}

func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})[0]
		others := b.Market.AddSound(4)
		plan := func(full bool) desk.Plan {
			t.Helper()
			time.Sleep(time.Second) // as before each run
			p, err := b.Connector().Planner(time.Minute).Plan(t.Context(), full)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		before := writes(b)
		if p := plan(false); len(p.Create) != 5 || len(p.Change)+len(p.Withdraw)+len(p.Held) != 0 {
			t.Errorf("on an empty store: %+v", p)
		}
		if diff := cmp.Diff(before, writes(b)); diff != "" {
			t.Errorf("the plan wrote: %s", diff)
		}
		b.Once(false)
		before = writes(b)
		if err := b.Market.Update(id,
			func(l *sandbox.Listing) { l.Variants[0].MSRP, l.Variants[0].Quantity = "22.00", 6 }); err != nil {
			t.Fatal(err)
		}
		b.Market.Remove(others[0])
		want := []publication.Change{
			{
				ID: id, Field: "price", Variant: "v1", Old: "20.00", New: "22.00", Title: "Watering can", Name: "M",
				Margin: new(120.0),
			},
			{ID: id, Field: "msrp", Variant: "v1", Old: "20.00", New: "22.00", Title: "Watering can", Name: "M"},
			{ID: id, Field: "quantity", Variant: "v1", Old: "5", New: "6", Title: "Watering can", Name: "M"},
		}
		if diff := cmp.Diff(want, plan(false).Change); diff != "" {
			t.Error(diff)
		}
		if p := plan(true); len(p.Withdraw) != 1 || p.Withdraw[0] != others[0] {
			t.Errorf("full: %+v", p)
		}
		if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Variants[0].MSRP = "99.00" }); err != nil {
			t.Fatal(err)
		}
		if p := plan(false); len(p.Held) != 1 || p.Held[0].ID != id || !strings.Contains(p.Held[0].Reason, "99.00") {
			t.Errorf("a price that jumps: %+v", p)
		}
		if diff := cmp.Diff(before, writes(b)); diff != "" {
			t.Errorf("the plan wrote: %s", diff)
		}
	})
}

// written is what a plan must leave as it is.
type written struct {
	Calls   int
	Reports int
	Store   [32]byte
}

func writes(b *harness.Bench) written {
	b.T.Helper()
	data, err := os.ReadFile(b.Path)
	if err != nil {
		b.T.Fatal(err)
	}
	return written{Calls: len(b.Shop.Since(0)), Reports: len(b.Market.Reports()), Store: sha256.Sum256(data)}
}
