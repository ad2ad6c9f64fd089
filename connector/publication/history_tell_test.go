package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestTell(t *testing.T) {
	r := store.Record{Variants: []store.Variant{{ID: "v1", Title: "Red / S"}, {ID: "v2", Title: "Red / M"}, {ID: "v3"}}}
	price := func(id, old, now string) store.Move { return store.Move{Variant: id, Old: old, New: now} }
	many := make([]store.Move, 50)
	for i := range many {
		many[i] = price("v1", "1.00", "2.00")
	}
	for _, tt := range []struct {
		name  string
		event store.Event
		moves []store.Move
		want  string
	}{
		{"of an earlier version", store.Event{What: "updated price"}, nil, "updated price"},
		{
			"a price that was approved",
			store.Event{Kind: store.EventPrice, Why: store.WhyMSRPRose, By: "anna"},
			[]store.Move{price("v1", "34.95", "38.45")},
			"price of Red / S 34.95 -> 38.45: the supplier's msrp rose; approved by anna",
		},
		{
			"prices that moved alike are one",
			store.Event{Kind: store.EventPrice, Why: store.WhyRules},
			[]store.Move{price("v1", "1.00", "2.00"), price("v3", "3.00", "4.00"), price("v2", "1.00", "2.00")},
			"price of Red / S, Red / M 1.00 -> 2.00, price of v3 3.00 -> 4.00: the rules have changed",
		},
		{
			"more than are kept",
			store.Event{Kind: store.EventPrice},
			many,
			"price of Red / S, Red / S, Red / S and 37 more 1.00 -> 2.00, and of 10 more",
		},
		{
			"moves that differ",
			store.Event{Kind: store.EventPrice, Why: store.WhyRules},
			[]store.Move{
				price("v1", "1.00", "2.00"), price("v2", "1.00", "3.00"), price("v3", "1.00", "4.00"), price("v4", "1.00", "5.00"),
				price("v5", "1.00", "6.00"), price("v6", "1.00", "6.00"),
			},
			"price of Red / S 1.00 -> 2.00, price of Red / M 1.00 -> 3.00, price of v3 1.00 -> 4.00, and of 3 more: " +
				"the rules have changed",
		},
		{"a retry", store.Event{Kind: store.EventRetried, By: "anna"}, nil, "retried by anna"},
		{
			"a retry of nobody known",
			store.Event{Kind: store.EventRetried, What: "with the supplier's texts"},
			nil,
			"retried, with the supplier's texts",
		},
		{
			"stock",
			store.Event{Kind: store.EventStock, Why: store.WhyOffered},
			[]store.Move{price("v2", "3", "0")},
			"stock of Red / M 3 -> 0: the supplier's stock moved",
		},
		{
			"a title",
			store.Event{Kind: store.EventTitle, Why: store.WhySupplier},
			[]store.Move{{Old: "Vase", New: "Blue vase"}},
			"title Vase -> Blue vase: the supplier changed it",
		},
		{
			"variants",
			store.Event{Kind: store.EventVariants},
			[]store.Move{price("v1", "", "Red / S"), price("v2", "Red / M", ""), price("v3", "A", "B")},
			"variant Red / S added, variant Red / M removed, variant A -> B",
		},
		{
			"a state with its reason",
			store.Event{Kind: store.EventState, What: "absent"},
			[]store.Move{{Old: "live", New: "withdrawn"}},
			"state live -> withdrawn: absent",
		},
		{
			"an approval",
			store.Event{Kind: store.EventApproved, What: "price", By: "anna"},
			[]store.Move{price("v1", "34.95", "80.00")},
			"approved by anna: price of Red / S 34.95 -> 80.00",
		},
		{
			"a removal that was declined",
			store.Event{Kind: store.EventDeclined, What: "removal", By: "the dashboard"},
			nil, "declined by the dashboard: the removal",
		},
		{
			"a first price that is held",
			store.Event{Kind: store.EventHeld, What: "first-price"},
			[]store.Move{price("v1", "", "80.00")},
			"held: price of Red / S 80.00",
		},
		{
			"further groups",
			store.Event{Kind: store.EventWritten, What: "description, images", Why: store.WhySupplier},
			nil, "updated description, images: the supplier changed it",
		},
		{
			"a listing that was made",
			store.Event{Kind: store.EventCreated},
			[]store.Move{price("v1", "", "34.95")},
			"created; price of Red / S 34.95",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.event.Moved, tt.event.More = store.PackMoves(tt.moves)
			if got := Tell(tt.event, r); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
