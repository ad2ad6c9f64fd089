package cost

import (
	"math"
	"slices"
)

const mostPoints = 8 // of a line; the slopes keep what older points told

// A line is the cost of the documents of one shape: some documents with their costs, and a slope
// for each size, by which the cost grows when the size grows by one. Two documents that differ in
// one size alone tell its slope.
type line struct {
	points []costPoint
	slopes []float64 // by size; NaN: not known
}

type costPoint struct {
	sizes []float64
	cost  float64
}

// observe records the cost of a document. Where it contradicts earlier ones, the server has changed
// how it counts, and they are dropped.
func (l *line) observe(sizes []float64, cost float64) {
	if known, exact := l.estimate(sizes, nil); exact {
		if math.Abs(known-cost) < 1e-6 {
			return
		}
		*l = line{}
	}
	if l.slopes == nil {
		l.slopes = slices.Repeat([]float64{math.NaN()}, len(sizes))
	}
	if len(l.points) >= mostPoints {
		l.points = slices.Delete(l.points, 0, 1)
	}
	l.points = append(l.points, costPoint{slices.Clone(sizes), cost})
	if !l.solve() {
		*l = line{points: l.points[len(l.points)-1:], slopes: slices.Repeat([]float64{math.NaN()}, len(sizes))}
	}
}

// solve computes the slopes that the points tell. It returns false where points contradict each
// other, or a slope is negative.
func (l *line) solve() bool {
	for found := true; found; {
		found = false
		for i, a := range l.points {
			for _, b := range l.points[:i] {
				size, slope, open := l.between(a, b)
				switch {
				case open > 1:
				case open == 0:
					if math.Abs(slope) > 1e-6 {
						return false
					}
				case slope < 0:
					return false
				default:
					l.slopes[size], found = slope, true
				}
			}
		}
	}
	return true
}

// between compares two points. open counts the sizes that differ and have no slope yet. With one
// open, size is that one, and slope is its slope. With none open, slope is the part of the
// difference in cost that the known slopes do not explain.
func (l *line) between(a, b costPoint) (size int, slope float64, open int) {
	rest, apart := a.cost-b.cost, 1.0
	for i, slope := range l.slopes {
		switch d := a.sizes[i] - b.sizes[i]; {
		case d == 0:
		case math.IsNaN(slope):
			size, apart = i, d
			open++
		default:
			rest -= slope * d
		}
	}
	return size, rest / apart, open
}

// estimate is the cost of the document with these sizes; exact where the points tell it. Else it is
// an upper bound, provided that one more of each size costs at most its term. terms may be nil
// where only an exact cost is of use. Without points the bound is infinite.
func (l *line) estimate(sizes, terms []float64) (cost float64, exact bool) {
	least := math.Inf(1)
	for _, p := range l.points {
		cost, ratio, exact := p.cost, 1.0, true
		for i, slope := range l.slopes {
			d := sizes[i] - p.sizes[i]
			switch {
			case d == 0:
				continue
			case !math.IsNaN(slope):
				cost += slope * d
			default:
				exact = false
				if d > 0 && terms != nil {
					cost += terms[i] * d
				}
			}
			ratio = max(ratio, sizes[i]/p.sizes[i])
		}
		if exact {
			return max(cost, 0), true
		}
		// no field has a negative price, so the cost grows no faster than the sizes
		least = min(least, cost, p.cost*ratio)
	}
	return least, false
}
