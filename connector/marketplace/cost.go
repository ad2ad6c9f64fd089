package marketplace

import (
	"slices"
	"sync"
)

const (
	cautiousQuery = 400.0 // points a query may cost before the server has said anything: the lowest limit known of any server
	largestPage   = 100   // the largest first that the specification shows
	mostRemember  = 2000  // documents whose cost is remembered
)

// costs is what has been learned of how this server counts.
type costs struct {
	mu       sync.Mutex
	exact    map[string]float64 // requested cost by the document's text
	possible []model            // the models that agree with every answer so far; empty: none does
	factor   float64            // by how much the worst model was too low, at least 1
	ceiling  float64            // points one query may cost
	refused  bool               // the ceiling was lowered by a refusal, and no bucket size raises it again
	largest  int                // first
}

func newCosts() *costs {
	return &costs{exact: make(map[string]float64), possible: models(), factor: 1, ceiling: cautiousQuery, largest: largestPage}
}

// estimate is the requested cost of d, never too low as far as is known.
func (c *costs) estimate(d document, text string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost, ok := c.exact[text]; ok {
		return cost
	}
	return c.reckon(d)
}

func (c *costs) reckon(d document) float64 {
	possible := c.possible
	if len(possible) == 0 {
		possible = models()[:1]
	}
	worst := 0.0
	for _, m := range possible {
		worst = max(worst, m.cost(d.body))
	}
	return worst * c.factor
}

// observe takes in the requested cost that the server named for d.
func (c *costs) observe(d document, text string, requested float64) {
	if !(requested > 0) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.exact[text]; ok && known == requested {
		return
	}
	if len(c.exact) >= mostRemember {
		clear(c.exact)
	}
	c.exact[text] = requested
	c.possible = slices.DeleteFunc(c.possible, func(m model) bool { return m.cost(d.body) != requested })
	if len(c.possible) == 0 {
		c.factor = max(c.factor, requested/models()[0].cost(d.body))
	}
}

// adopt takes in the size of the bucket: what does not fit into it cannot be one query.
func (c *costs) adopt(limit float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.refused || limit < c.ceiling {
		c.ceiling = limit
	}
}

// lower takes in that a query of this cost was refused as too expensive. named is the limit that the refusal speaks of, 0 for none. It reports
// whether a smaller query can be planned.
func (c *costs) lower(cost, named float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := cost / 2
	if named >= cost/10 && named <= 0.75*cost { // nearer to cost it is the cost itself as the server counts it
		next = named
	}
	if next < 8 || next >= c.ceiling && c.refused {
		return next >= 8 // another request has lowered it further already
	}
	c.ceiling, c.refused = next, true
	return true
}

// shrink takes in that a page of size first was refused as too large. It reports whether a smaller one can be planned.
func (c *costs) shrink(first, named int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := first / 2
	if named > 0 && named < first {
		next = named
	}
	if next < 1 {
		return false
	}
	c.largest = min(c.largest, next)
	return true
}

// fit is the largest n up to most for which the document costs at most budget, and at least 1. build must cost more the larger n is.
func (c *costs) fit(budget float64, most int, build func(n int) document) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	low, high := 1, max(min(most, c.largest), 1)
	if c.reckon(build(high)) <= budget {
		return high // as nearly always
	}
	for high = max(high-1, 1); low < high; {
		n := (low + high + 1) / 2
		if c.reckon(build(n)) <= budget {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// page is n, or the largest first that the server allows.
func (c *costs) page(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return min(n, c.largest)
}

// query is the points one query may cost.
func (c *costs) query() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ceiling
}
