package desk

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/series"
)

// Series is what happened in the hours of the last seven days, the oldest first. An hour in which no
// process ran is missing.
type Series struct {
	Hours []series.Point `json:"hours"`
	// up to how many seconds the changes took that a point's lags count
	Bounds []float64 `json:"lagBounds"`
}

// Series is what happened in each hour of the last seven days.
func (l *Local) Series(ctx context.Context) (Series, error) {
	points, err := series.Last(ctx, l.Store, time.Now())
	return Series{Hours: points, Bounds: series.Bounds()}, err
}
