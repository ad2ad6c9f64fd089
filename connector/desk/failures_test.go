package desk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
)

func TestCause(t *testing.T) {
	problem := func(state store.State, message string) store.Record {
		return store.Record{State: state, Problem: store.Problem{Kind: store.ProblemRejected, Message: message}}
	}
	for _, tt := range []struct {
		name    string
		r       store.Record
		want    string
		refused string // why the report is
	}{
		{
			"numbers", problem(store.StateRejected, "the title has 312 characters, 255 fit"),
			"the title has … characters, … fit", "",
		},
		{"quotes", problem(store.StateBlocked, `category "Lamps & Co" is not known`), "category … is not known", ""},
		{"an address", problem(store.StatePending, "GET https://shop.example/a/b: no route"), "GET … no route", ""},
		{"an id", problem(store.StatePending, "product p00000011rfswuc is locked"), "product … is locked", ""},
		{"a price", problem(store.StateRejected, "1,234.50 is too much"), "… is too much", ""},
		{"a time", problem(store.StatePending, "after 2026-11-24T10:00:00Z: no"), "after …: no", ""},
		{"no trouble", store.Record{State: store.StateLive}, "", ""},
		{
			"a report",
			store.Record{State: store.StateLive},
			"report refused: listing … is locked", "listing 7 is locked",
		},
		{
			"a variant", store.Record{
				State:    store.StatePartial,
				Variants: []store.Variant{{Title: "Red"}, {Title: "40 × 28 cm", Refused: "it has no msrp"}},
			}, "without a variant: it has no msrp", "",
		},
		{
			"a picture",
			store.Record{State: store.StatePartial, Pictures: store.Pictures{Missing: []store.Picture{{Reason: "404"}}}},
			"without a picture: …", "",
		},
		{"held", store.Record{State: store.StateHeld, Holds: []store.Hold{{Kind: store.HoldPrice, Reason: "far"}}}, "", ""},
		{"long", problem(store.StateRejected, strings.Repeat("ä", 400)), strings.Repeat("ä", longestCause/2) + "…", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := causeOf(store.Entry{Record: tt.r, Owed: &store.Report{Refused: tt.refused}}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// troubled is publications in trouble, of which two share their cause.
func troubled() []store.Record {
	rejected := func(id, message string) store.Record {
		return store.Record{
			ID: id, Title: "Lamp " + id, State: store.StateRejected,
			Problem: store.Problem{Kind: store.ProblemRejected, Message: message},
		}
	}
	return []store.Record{
		rejected("1", "the title has 300 characters"), rejected("2", "the price is too high"),
		rejected("3", "the title has 412 characters"),
		{ID: "4", State: store.StateLive, Title: "Chair"},
	}
}

func TestFailuresInGroups(t *testing.T) {
	o := newOffice(t, troubled()...)
	c, _ := o.client(t)
	got, err := o.local.Failures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	titles := FailureName{State: store.StateRejected, Cause: "the title has … characters"}
	want := Failures{Groups: []Failure{
		{FailureName: titles, Publications: 2, ID: "1", Title: "Lamp 1", Tried: true},
		{
			FailureName:  FailureName{State: store.StateRejected, Cause: "the price is too high"},
			Publications: 1, ID: "2", Title: "Lamp 2", Tried: true,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	list, err := c.Publications(t.Context(), Query{Cause: titles.Cause, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := listedIDs(list); got != "1 3" {
		t.Errorf("of the cause %q, want 1 3", got)
	}
}
