package desk

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Trial is what rules would make of the list. It writes nothing and spends no points.
type Trial struct {
	Values       map[string]string `json:"values"` // the settings in force
	Fault        string            `json:"fault,omitempty"`
	Of           int               `json:"of"`           // publications on sale
	Publications int               `json:"publications"` // of these, those tried, from all over the list
	Variants     int               `json:"variants"`
	Up           int               `json:"up"`
	Down         int               `json:"down"`
	Held         int               `json:"held"`          // by the brake
	Without      int               `json:"without"`       // without a price
	Why          string            `json:"why,omitempty"` // for the first of those
	Margins      []MarginBar       `json:"margins"`
	Most         []Move            `json:"most"` // the furthest moves, one of each publication
}

// A MarginBar counts prices with margins from From percent up to the next bar's.
type MarginBar struct {
	From   *float64 `json:"from,omitempty"` // nil: below the next bar's
	Before int      `json:"before"`
	After  int      `json:"after"`
}

// A Move is the furthest price move of one publication.
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
	mostTried = 2000 // publications, or up to twice as many
	mostMoves = 10
)

// marginBars are the lower bounds of all bars but the first, in percent.
var marginBars = []float64{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}

// Try tries settings (variable -> value, "" is the default) in place of those in force. One trial runs at a time.
func (l *Local) Try(ctx context.Context, set map[string]string) (t Trial, err error) {
	t.Values = maps.Collect(maps.All(l.Figures)) // never null
	rules, brake, err := l.Read(set)
	if err != nil {
		t.Fault = err.Error()
		return t, nil
	}
	l.trying.Lock()
	defer l.trying.Unlock()
	t.Margins, t.Most = make([]MarginBar, len(marginBars)+1), []Move{}
	for i, from := range marginBars {
		t.Margins[i+1].From = &from
	}
	backlog, err := l.Store.Backlog(ctx, store.At(time.Now()))
	if err != nil {
		return t, err
	}
	t.Of = backlog.OnSale
	every, met := max(1, t.Of/mostTried), 0
	for r, failed := range store.Records(ctx, l.Store, store.Query{}) {
		if failed != nil {
			return t, failed
		}
		if r.Sale != store.OnSale {
			continue
		}
		if met++; met%every == 0 {
			t.add(r, l.Rules.Price, rules.Price, brake)
		}
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
		case tried.Percent == 0:
			continue
		case tried.Percent > 0:
			t.Up++
		default:
			t.Down++
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

func barOf(margin float64) (at int) {
	for margin = math.Round(margin*10) / 10; at < len(marginBars) && marginBars[at] <= margin; {
		at++
	}
	return at
}
