package desk

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Trial is what rules would make of the list as it is: nothing is written, no point is spent.
type Trial struct {
	Of           int `json:"of"`           // publications of the list that are on sale
	Publications int `json:"publications"` // of these, that it was tried on: at most mostTried, from all over the list
	Variants     int `json:"variants"`     // their prices
	Up           int `json:"up"`
	Down         int `json:"down"`
	Held         int `json:"held"`    // that the brake would hold
	Without      int `json:"without"` // that the rules make no price for
	// why, of the first of those
	Why string `json:"why,omitempty"`

	Margins []MarginBar `json:"margins"`
	Most    []Move      `json:"most"` // the publications that move most, each with its furthest price
}

// A MarginBar counts the prices with a margin of From percent up to the next bar's.
type MarginBar struct {
	From   *float64 `json:"from,omitempty"` // nil: all that is less than the next bar's
	Before int      `json:"before"`
	After  int      `json:"after"`
}

type Move struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Variant string  `json:"variant,omitempty"`
	Old     string  `json:"old"`
	New     string  `json:"new"`
	Percent float64 `json:"percent"`
	Held    bool    `json:"held,omitempty"`
}

const (
	mostTried = 2000 // publications of a trial
	mostMoves = 10
)

// marginBars are the lower bounds of the bars but the first, in percent.
var marginBars = []float64{0, 10, 20, 30, 40, 50, 75, 100, 150, 200}

func (l *Local) Try(ctx context.Context, rules publication.Rules, brake publication.Brake) (Trial, error) {
	t := Trial{Margins: make([]MarginBar, len(marginBars)+1), Most: []Move{}}
	for i, from := range marginBars {
		t.Margins[i+1].From = &from
	}
	ids, err := l.onSale.Of(struct{}{}, memoFresh, func() ([]string, error) {
		return l.in(ctx, store.StateLive, store.StatePartial, store.StateHeld)
	})
	if err != nil {
		return t, err
	}
	t.Of = len(ids)
	some := min(len(ids), mostTried)
	for i := range some {
		had, err := l.Store.Get(ctx, ids[i*len(ids)/some])
		if err != nil {
			return t, err
		}
		t.add(had.Record, l.Rules.Price, rules.Price, brake)
	}
	slices.SortStableFunc(t.Most, func(a, b Move) int { return cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)) })
	t.Most = t.Most[:min(len(t.Most), mostMoves)]
	return t, nil
}

func (t *Trial) add(r store.Record, before, after publication.PriceRule, brake publication.Brake) {
	t.Publications++
	var furthest *Move
	for _, v := range r.Variants {
		tried, ok, err := brake.Try(after, r, v)
		if !ok {
			continue
		}
		t.Variants++
		if margin, known := before.Margin(tried.Old, tried.Cost); known {
			t.Margins[barOf(margin)].Before++
		}
		if err != nil {
			t.Without++
			t.Why = cmp.Or(t.Why, err.Error())
			continue
		}
		if margin, known := after.Margin(tried.New, tried.Cost); known {
			t.Margins[barOf(margin)].After++
		}
		switch {
		case tried.Percent > 0:
			t.Up++
		case tried.Percent < 0:
			t.Down++
		default:
			continue
		}
		if tried.Held {
			t.Held++
		}
		if furthest == nil || math.Abs(tried.Percent) > math.Abs(furthest.Percent) {
			furthest = &Move{
				ID: r.ID, Title: r.Title, Variant: v.Title, Old: tried.Old, New: tried.New,
				Percent: math.Round(tried.Percent*10) / 10, Held: tried.Held,
			}
		}
	}
	if furthest != nil {
		t.Most = append(t.Most, *furthest)
	}
}

func barOf(margin float64) int {
	at, exact := slices.BinarySearch(marginBars, math.Round(margin*10)/10)
	if exact {
		at++
	}
	return at
}
