// Package series keeps what happened in each hour of the last seven days: points spent, the backlog,
// states, webhooks, and how long changes took. It is what the dashboard draws.
//
// A point of an hour is a fact of the store, in one of 168 that are used again in turn. So the
// series is bounded and outlives the process. Each point is written at most once a minute.
package series

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Hours is how many hours are kept.
const Hours = 7 * 24

// A Point is one hour.
type Point struct {
	At       time.Time           `json:"at"`                 // when the hour began
	Spent    float64             `json:"spent"`              // points
	Restored float64             `json:"restored"`           // points that the marketplace gave meanwhile
	Due      int                 `json:"due"`                // publications that were due, at the worst moment
	States   map[store.State]int `json:"states,omitempty"`   // publications at the end of it
	Webhooks int                 `json:"webhooks,omitempty"` // accepted
	// changes that reached the shop, by how long they took: one more than there are Bounds, the last
	// for those that took longer
	Lags []int `json:"lags,omitempty"`
}

// Bounds is up to how many seconds the changes of each of [Point.Lags] took.
func Bounds() []float64 { return []float64{1, 2, 5, 10, 30, 60, 300, 1800, 3600, 6 * 3600} }

// slot is the fact that holds the point of an hour.
func slot(at time.Time) string { return fmt.Sprintf("series.%d", at.Unix()/3600%Hours) }

// Last is the points of the last seven days that a store has, the oldest first.
func Last(ctx context.Context, s store.FactReader, now time.Time) ([]Point, error) {
	points := []Point{}
	hour := now.UTC().Truncate(time.Hour)
	for ago := Hours - 1; ago >= 0; ago-- {
		p, ok, err := pointOf(ctx, s, hour.Add(-time.Duration(ago)*time.Hour))
		if err != nil {
			return points, err
		}
		if ok {
			points = append(points, p)
		}
	}
	return points, nil
}

// pointOf is the point of an hour. ok is false where the store has none of it.
func pointOf(ctx context.Context, s store.FactReader, hour time.Time) (p Point, ok bool, err error) {
	ok, err = store.MetaJSON(ctx, s, slot(hour), &p)
	if !ok || err != nil || !p.At.Equal(hour) {
		return Point{At: hour}, false, err
	}
	return p, true, nil
}
