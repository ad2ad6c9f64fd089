package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

func TestLag(t *testing.T) {
	now := time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)
	changed := &marketplace.Publication{UpdatedAt: "2026-11-03T09:59:30Z"}
	listed := store.Record{ListedAt: store.At(now.Add(-time.Minute))}
	for _, tt := range []struct {
		name string
		d    Decision
		want time.Duration
		ok   bool
	}{
		{"a change", Decision{Result: Updated, pub: changed}, 30 * time.Second, true},
		{"a new entry", Decision{Result: Created, pub: changed, rec: listed}, time.Minute, true},
		{"the same content", Decision{
			Result: Updated, pub: changed, start: store.Record{UpdatedAt: changed.UpdatedAt},
		}, 0, false},
		{"other rules", Decision{Result: Updated, pub: changed, repriced: true}, 0, false},
		{"nothing written", Decision{Result: Unchanged, pub: changed}, 0, false},
		{"gone", Decision{Result: Withdrawn}, 0, false},
		{"no time", Decision{Result: Updated, pub: &marketplace.Publication{UpdatedAt: "7"}}, 0, false},
		{
			"a clock that is ahead",
			Decision{Result: Updated, pub: &marketplace.Publication{UpdatedAt: "2026-11-03T11:00:00Z"}},
			0, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := tt.d.Lag(now)
			if ok != tt.ok {
				t.Fatalf("known %t, want %t", ok, tt.ok)
			}
			if ok && got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
