package client

import (
	"context"
	"math"
	"sync/atomic"
)

// A Meter counts points that were charged. The zero Meter is at zero.
type Meter struct{ bits atomic.Uint64 } // of a float64

// Points is what it has counted.
func (m *Meter) Points() float64 { return math.Float64frombits(m.bits.Load()) }

func (m *Meter) spend(points float64) {
	for m != nil {
		old := m.bits.Load()
		if m.bits.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+points)) {
			return
		}
	}
}

type meterKey struct{}

// Metered is a context whose calls the meter counts: it shows what one piece of work costs.
func Metered(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// meterOf is the context's meter, nil when it has none.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}
