package cost

import (
	"math"
	"slices"
)

const mostPoints = 8 // of a line; what older ones told stands in the slopes

// A line is what answers told of the cost of one shape: the costs of some documents, and by how
// much the cost grows with each size. Two documents that differ in one size alone tell the slope of
// that size.
type line struct {
	points []costPoint
	slopes []float64 // by size; NaN: not known
}

type costPoint struct {
	sizes []float64
	cost  float64
}

// observe takes in the cost of a document. A server that contradicts what it said before has
// changed how it counts: nothing older is kept.
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

// solve finds the slopes that the points tell. It is false where they contradict each other, or a
// size makes a document cheaper.
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

// between compares two points. open counts the sizes in which they differ and whose slopes are not
// known; the last of them is size, and slope is what the known slopes leave unexplained per unit of
// it. With none open slope is what they leave unexplained.
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

// estimate is the cost of the document with these sizes. Where the points do not tell it, it is a
// bound that no document exceeds whose every size costs at most its term; no terms: nobody wants to
// know. A line without points knows nothing: infinity.
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
		// nothing has a negative price, so the cost grows no faster than the sizes
		least = min(least, cost, p.cost*ratio)
	}
	return least, false
}
