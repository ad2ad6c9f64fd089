package desk

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Trial is what rules would make of the list. It writes nothing and spends no points.
type Trial struct {
	Values       map[string]string // the settings in force
	Fault        string
	Publications int // on sale
	Variants     int
	Up, Down     int
	Held         int     // by the brake
	Without      int     // without a price
	Why          string  // for the first of those
	Costed       int     // with a price and a known cost
	MarginNow    float64 // of those on average, see publication.PriceRule.Margin
	MarginThen   float64
	Most         []Move // the furthest moves, one of each publication
}

// A Move is the furthest price move of one publication.
type Move struct {
	ID, Title, Variant string
	publication.Trial
}

const mostMoves = 10

// Try tries settings (variable -> value, "" is the default) in place of those in force.
func (l *Local) Try(ctx context.Context, set map[string]string) (t Trial, err error) {
	t.Values = maps.Collect(maps.All(l.Figures)) // the page adds to it
	tried, err := l.Read(set)
	if err != nil {
		t.Fault = err.Error()
		return t, nil
	}
	for r, failed := range store.Records(ctx, l.Store, store.Query{}) {
		if failed != nil {
			return t, failed
		}
		if r.Sale == store.OnSale {
			t.add(r, l.Rules.Price, tried)
		}
	}
	slices.SortStableFunc(t.Most, func(a, b Move) int { return cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)) })
	t.Most = t.Most[:min(len(t.Most), mostMoves)]
	t.MarginNow, t.MarginThen = tenth(t.MarginNow), tenth(t.MarginThen)
	return t, nil
}

func (t *Trial) add(r store.Record, before publication.PriceRule, after publication.Settings) {
	t.Publications++
	furthest := Move{ID: r.ID, Title: r.Title}
	for _, v := range r.Variants {
		tried, ok, err := after.Brake.Try(after.Rules, r, v)
		if !ok {
			continue
		}
		t.Variants++
		if err != nil {
			t.Without++
			t.Why = cmp.Or(t.Why, err.Error())
			continue
		}
		was, known := before.Margin(tried.Old, tried.Cost)
		if will, still := after.Price.Margin(tried.New, tried.Cost); known && still {
			t.Costed++
			t.MarginNow += (was - t.MarginNow) / float64(t.Costed)
			t.MarginThen += (will - t.MarginThen) / float64(t.Costed)
		}
		switch {
		case tried.Percent > 0:
			t.Up++
		case tried.Percent < 0:
			t.Down++
		}
		if tried.Held {
			t.Held++
		}
		if math.Abs(tried.Percent) > math.Abs(furthest.Percent) {
			furthest.Variant, furthest.Trial = v.Title, tried
		}
	}
	if furthest.Percent != 0 {
		t.Most = append(t.Most, furthest)
	}
}

func tenth(percent float64) float64 { return math.Round(percent*10) / 10 }
