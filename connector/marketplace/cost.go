package marketplace

import (
	"slices"
	"sync"
	"time"
)

const (
	cautiousQuery = 400.0 // points a query may cost before the server has said anything: the lowest limit known of any server
	largestPage   = 100   // the largest first that the specification shows
	mostRemember  = 2000  // documents whose cost is remembered
)

const (
	// dearest is how many times the worst model a document may be said to cost, and be believed at once. A higher cost needs a second answer in a row, about
	// the same document, that says the same.
	dearest = 10.0
	// lessons is how long what answers and refusals taught is kept. Then each of it is learned anew, for a refusal or two, which cost no points.
	lessons = time.Hour
)

// costs is what has been learned of how this server counts. All of it is forgotten after lessons.
type costs struct {
	mu       sync.Mutex
	since    time.Time          // when the first of it was learned; zero: nothing is
	bucket   float64            // points the bucket holds; 0: not known
	exact    map[string]float64 // requested cost by the document's text
	doubted  map[string]float64 // requested cost that the last answer to a document named, where it is not believed
	possible []model            // the models that agree with every answer so far; empty: none does
	factor   float64            // by how much the worst model was too low, at least 1
	refused  float64            // points that one query may cost, as a refusal taught; 0: none did
	largest  int                // first
}

func newCosts() *costs {
	c := &costs{}
	c.reset()
	return c
}

func (c *costs) reset() {
	c.since = time.Time{}
	c.exact, c.doubted, c.possible, c.factor = make(map[string]float64), make(map[string]float64), models(), 1
	c.refused, c.largest = 0, largestPage
}

// fresh forgets what was learned too long ago. Each method calls it first, with c.mu held.
func (c *costs) fresh() {
	if !c.since.IsZero() && time.Since(c.since) >= lessons {
		c.reset()
	}
}

// learned notes that something was. It is called with c.mu held.
func (c *costs) learned() {
	if c.since.IsZero() {
		c.since = time.Now()
	}
}

// estimate is the requested cost of d, never too low as far as is known.
func (c *costs) estimate(d document, text string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
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

// believe reports whether the server means it when it says that d costs requested, where the bucket holds limit.
func (c *costs) believe(d document, text string, requested, limit float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if !(requested > 0) {
		return false
	}
	if requested <= limit && requested <= dearest*models()[0].cost(d.body) || c.doubted[text] == requested {
		delete(c.doubted, text)
		return true
	}
	if len(c.doubted) >= mostRemember {
		clear(c.doubted)
	}
	c.doubted[text] = requested
	c.learned()
	return false
}

// observe takes in the requested cost that the server named for d, once it is believed. What one document costs beyond dearest is not expected of others.
func (c *costs) observe(d document, text string, requested float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if known, ok := c.exact[text]; ok && known == requested {
		return
	}
	c.learned()
	if len(c.exact) >= mostRemember {
		clear(c.exact)
	}
	c.exact[text] = requested
	c.possible = slices.DeleteFunc(c.possible, func(m model) bool { return m.cost(d.body) != requested })
	if len(c.possible) == 0 {
		c.factor = max(c.factor, min(requested/models()[0].cost(d.body), dearest))
	}
}

// adopt takes in the size of the bucket: what does not fit into it cannot be one query.
func (c *costs) adopt(limit float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bucket = limit
}

// lower takes in that a query of this cost was refused as too expensive. named is the limit that the refusal speaks of, 0 for none. It reports
// whether a smaller query can be planned.
func (c *costs) lower(cost, named float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	next := cost / 2
	if named >= cost/10 && named <= 0.75*cost { // nearer to cost it is the cost itself as the server counts it
		next = named
	}
	if next < 8 || c.refused > 0 && next >= c.refused {
		return next >= 8 // another request has lowered it further already
	}
	c.learned()
	c.refused = next
	return true
}

// shrink takes in that a page of size first was refused as too large. It reports whether a smaller one can be planned.
func (c *costs) shrink(first, named int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	next := first / 2
	if named > 0 && named < first {
		next = named
	}
	if next < 1 {
		return false
	}
	c.learned()
	c.largest = min(c.largest, next)
	return true
}

// fit is the largest n up to most for which the document costs at most budget, and at least 1. build must cost more the larger n is.
func (c *costs) fit(budget float64, most int, build func(n int) document) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
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
	c.fresh()
	return min(n, c.largest)
}

// query is the points one query may cost.
func (c *costs) query() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	ceiling := cautiousQuery
	if c.bucket > 0 {
		ceiling = c.bucket
	}
	if c.refused > 0 {
		ceiling = min(ceiling, c.refused)
	}
	return ceiling
}
