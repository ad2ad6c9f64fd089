package publication

import (
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// Sums are the totals of changes of prices.
type Sums struct {
	Changes int
	Up      int // prices that would rise
	Down    int // prices that would fall

	old, now, largest decimal.Decimal
}

// Add counts one change. Of one that is no price, only that it is one.
func (s *Sums) Add(h store.Hold) {
	s.Changes++
	after, err := decimal.NewFromString(h.New)
	if err != nil {
		return
	}
	s.now = s.now.Add(after)
	before, err := decimal.NewFromString(h.Old)
	if err != nil {
		return
	}
	s.old = s.old.Add(before)
	switch {
	case after.GreaterThan(before):
		s.Up++
	case after.LessThan(before):
		s.Down++
	}
	if before.IsPositive() {
		s.largest = decimal.Max(s.largest, after.Sub(before).Abs().Shift(2).Div(before))
	}
}

// Old is the sum of the prices as they are, "" where none has one.
func (s *Sums) Old() string { return sumText(s.old, 2) }

// New is the sum of the prices as they would be, "" where there are none.
func (s *Sums) New() string { return sumText(s.now, 2) }

// Largest is the largest move in whole percent of the price before, "" where none has one.
func (s *Sums) Largest() string { return sumText(s.largest, 0) }

func sumText(sum decimal.Decimal, places int32) string {
	if !sum.IsPositive() {
		return ""
	}
	return sum.StringFixed(places)
}
