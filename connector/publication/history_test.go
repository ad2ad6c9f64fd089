package publication

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A look settles what it has found into a record that others may have written to meanwhile: no line
// of theirs is lost, and none comes twice.
func TestLinesWrittenDuringALook(t *testing.T) {
	created, again := store.Event{At: 10, What: "created"}, store.Event{At: 40, What: "created"}
	reported, refused, updated := store.Event{
		At:   20,
		What: "reported success",
	}, store.Event{
		At:   30,
		What: "report refused: no",
	}, store.Event{
		At:   25,
		What: "updated price",
	}
	list := func(events ...store.Event) []store.Event { return events }
	for name, tt := range map[string]struct{ start, cur, own, want []store.Event }{
		"nothing meanwhile": {list(created), list(created), list(created, updated), list(created, updated)},
		"a line before its own": {
			list(created), list(created, reported), list(created, updated),
			list(created, reported, updated),
		},
		"lines on both sides": {
			list(created), list(created, reported, refused), list(created, updated),
			list(created, reported, updated, refused),
		},
		"the first lines":        {nil, list(reported), list(created), list(created, reported)},
		"the same line, earlier": {list(created), list(created), list(again), list(again)},
		"the same line, later":   {nil, list(again), list(created), list(again)},
	} {
		t.Run(name, func(t *testing.T) {
			r, before := store.Record{History: tt.own}, slices.Clone(tt.own)
			carryHistory(store.Record{History: tt.start}, store.Record{History: tt.cur}, &r)
			if !slices.Equal(r.History, tt.want) || !slices.Equal(tt.own, before) {
				t.Errorf("%v, and what was handed in %v; want %v", r.History, tt.own, tt.want)
			}
		})
	}
}

// A price that a brake held says who approved it though a later look carries it out, which figure of
// the supplier's moved it, and what it was before.
func TestHistoryOfAHeldPrice(t *testing.T) {
	by := withFirst(t)
	by.Brake.PricePercent = decimal.NewFromInt(50)
	by = NewDecider(by.Settings)
	dearer := func(msrp string) *marketplace.Publication {
		return bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = msrp })
	}
	_, r := look(by, store.Record{ID: "p1"}, dearer("20.00"))
	_, r = look(by, r, dearer("21.00"))
	_, r = look(by, r, dearer("50.00"))
	s := store.Settlement{Record: r}
	Approve(&s, Choice{}, store.ClassSweep, "anna", tableNow)
	_, r = look(by, s.Record, dearer("50.00"))
	var told []string
	for _, e := range r.History {
		told = append(told, Tell(e, r))
	}
	want := []string{
		"created; price of v1 20.00",
		"price of v1 20.00 -> 21.00: the supplier's msrp rose",
		"held: price of v1 21.00 -> 50.00",
		"approved by anna: price of v1 21.00 -> 50.00",
		"price of v1 21.00 -> 50.00: the supplier's msrp rose; approved by anna",
		"state held -> live",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.ApprovedBy != "" {
		t.Errorf("approved by %q is kept, want it forgotten once the price is written", r.ApprovedBy)
	}
}

// Each change says what moved from what to what.
func TestHistoryOfAWrite(t *testing.T) {
	by := withFirst(t)
	_, made := look(by, store.Record{ID: "p1"}, bench(func(*marketplace.Publication) {}))
	for _, tt := range []struct {
		name   string
		change func(*marketplace.Publication)
		want   []string
	}{
		{"a title", func(p *marketplace.Publication) {
			p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
		}, []string{"title Bench -> Long bench: the supplier changed it"}},
		{
			"stock", func(p *marketplace.Publication) { *p.Listing.Variants[0].Quantity += 3 },
			[]string{"stock of v1 5 -> 8: the supplier's stock moved"},
		},
		{
			"a cost that moves no price", func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "12.00" },
			[]string{"price of v1 stays 20.00: the supplier's cost rose"},
		},
		{
			"a cost above the price", func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "25.00" },
			[]string{"price of v1 20.00 -> 25.00: the supplier's cost rose"},
		},
		{
			"another variant", second("10.00", "20.00"),
			[]string{"variant v2 added: the supplier changed it", "price of v2 20.00"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, r := look(by, made, bench(tt.change))
			var told []string
			for _, e := range News(made, r) {
				told = append(told, Tell(e, r))
			}
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
