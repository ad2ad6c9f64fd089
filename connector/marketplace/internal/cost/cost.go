// Package cost estimates what a document costs at this marketplace, and plans the sizes of pages by
// that. It knows the models within the specification, what the answers to other documents told
// ([Learned]), and how long the listings are that were read ([Extent]).
package cost

import (
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

const (
	// points a query may cost before the server has said anything: the lowest limit known of any
	// server
	cautiousQuery = 400.0
	mostRemember  = 2000 // documents whose cost is remembered

	// LargestPage is the largest first that the specification shows.
	LargestPage = 100
)

const (
	// plausible is the most that a document may cost, as a multiple of the worst model's price, for
	// one answer to be believed. A higher cost needs two answers in a row that say the same.
	plausible = 10.0
	// kept is how long anything is kept that answers and refusals taught. To learn it anew takes a
	// refusal or two, which cost no points.
	kept = time.Hour
	// margin is by how much more a document may cost than is reckoned, while no answer tells.
	margin = 1.5
	// marginShare bounds a reservation with a margin, as a share of the bucket, so that no request
	// waits for a full bucket.
	marginShare = 0.6
)

// Learned is what the answers of a server taught about its costs. All of it is forgotten after
// an hour.
//
// An estimate is the cost that an answer gave for the very document; else what the answers to other
// documents of its shape tell; else the price of the worst model that no answer has ruled out.
type Learned struct {
	mu      sync.Mutex
	since   time.Time          // when the first of it was learned; zero: nothing is
	bucket  float64            // points the bucket holds; 0: not known
	exact   map[string]float64 // requested cost by the document's text
	suspect map[string]float64 // implausible cost that the last answer named, by the document's text
	lines   map[string]*line   // by the key of the shape
	kinds   map[string]*tariff // by the kind of document: a server may count mutations in another way
	refused float64            // points that one query may cost, as a refusal taught; 0: none did
	largest int                // first
}

// A tariff is how a server counts the documents of one kind.
type tariff struct {
	possible []model // the models that agree with every answer so far; empty: none does
	factor   float64 // by how much the worst model was too low, at least 1
}

// New is what is known before the first answer.
func New() *Learned {
	c := &Learned{}
	c.reset()
	return c
}

func (c *Learned) reset() {
	c.since = time.Time{}
	c.exact, c.suspect, c.lines = make(map[string]float64), make(map[string]float64), make(map[string]*line)
	c.kinds = map[string]*tariff{
		document.Query:    {ways(document.Query), 1},
		document.Mutation: {ways(document.Mutation), 1},
	}
	c.refused, c.largest = 0, LargestPage
}

// fresh forgets everything once the hour is over. Each method calls it first, with c.mu held.
func (c *Learned) fresh() {
	if !c.since.IsZero() && time.Since(c.since) >= kept {
		c.reset()
	}
}

// learned starts the hour after which all is forgotten. It is called with c.mu held.
func (c *Learned) learned() {
	if c.since.IsZero() {
		c.since = time.Now()
	}
}

// Estimate is the requested cost of d, never too low as far as is known.
func (c *Learned) Estimate(d document.Document, text string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if cost, ok := c.exact[text]; ok {
		return cost
	}
	cost, _ := c.reckon(d)
	return cost
}

// Reserve is the points to reserve for d: its estimate, with a margin where no answer confirms it.
// So one request finds out what a document costs, and none is refused for want of points.
func (c *Learned) Reserve(d document.Document, text string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if cost, ok := c.exact[text]; ok {
		return cost
	}
	cost, most := c.reckon(d)
	return max(cost, min(most, marginShare*c.bucket))
}

// reckon is what d is expected to cost, and the most that it may cost.
func (c *Learned) reckon(d document.Document) (cost, most float64) {
	s := d.Shape()
	l := c.lines[s.Key]
	if l != nil {
		if cost, exact := l.estimate(s.Sizes, nil); exact {
			return cost, cost
		}
	}
	known, all := c.kinds[d.Kind], ways(d.Kind)
	possible := known.possible
	if len(possible) == 0 {
		possible = all[:1]
	}
	for _, m := range possible {
		cost = max(cost, m.price(d)*known.factor)
	}
	if l == nil {
		return cost, margin * known.factor * all[0].price(d)
	}
	terms := possible[0].terms(d)
	for i := range terms {
		terms[i] *= margin * known.factor
	}
	most, _ = l.estimate(s.Sizes, terms)
	if len(known.possible) > 0 {
		cost = min(cost, most)
		return cost, cost
	}
	return min(margin*cost, most), most
}

// Believe reports whether the server means it when it says that d costs requested, where the bucket
// holds limit.
func (c *Learned) Believe(d document.Document, text string, requested, limit float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if !(requested > 0) {
		return false
	}
	if requested <= limit && requested <= plausible*ways(d.Kind)[0].price(d) || c.suspect[text] == requested {
		delete(c.suspect, text)
		return true
	}
	if len(c.suspect) >= mostRemember {
		clear(c.suspect)
	}
	c.suspect[text] = requested
	c.learned()
	return false
}

// Observe records the requested cost that the server named for d, once it is believed. A cost that
// is not plausible counts for d alone.
func (c *Learned) Observe(d document.Document, text string, requested float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	if known, ok := c.exact[text]; ok && known == requested || !(requested > 0) {
		return
	}
	c.learned()
	if len(c.exact) >= mostRemember {
		clear(c.exact)
	}
	c.exact[text] = requested
	s := d.Shape()
	if c.lines[s.Key] == nil {
		if len(c.lines) >= mostRemember {
			clear(c.lines)
		}
		c.lines[s.Key] = new(line)
	}
	c.lines[s.Key].observe(s.Sizes, requested)
	t := c.kinds[d.Kind]
	t.possible = slices.DeleteFunc(t.possible, func(m model) bool { return m.price(d) != requested })
	if len(t.possible) == 0 {
		t.factor = max(t.factor, min(requested/ways(d.Kind)[0].price(d), plausible))
	}
}

// Adopt records the size of the bucket, which no query may exceed.
func (c *Learned) Adopt(limit float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bucket = limit
}

// Lower records that a query of this cost was refused as too expensive. named is the limit in the
// text of the refusal, 0 for none. It reports whether a smaller query can be planned.
func (c *Learned) Lower(cost, named float64) bool {
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

// Shrink records that a page of size first was refused as too large. It reports whether a smaller
// one can be planned.
func (c *Learned) Shrink(first, named int) bool {
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

// Fit is the largest n up to most for which the documents cost at most budget together, and at
// least 1. Each must cost more the larger n is.
func (c *Learned) Fit(budget float64, most int, build ...func(n int) document.Document) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	low, high := 1, max(min(most, c.largest), 1)
	fits := func(n int) bool {
		sum := 0.0
		for _, b := range build {
			cost, _ := c.reckon(b(n))
			sum += cost
		}
		return sum <= budget
	}
	if fits(high) {
		return high // as nearly always
	}
	for high = max(high-1, 1); low < high; {
		if n := (low + high + 1) / 2; fits(n) {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// Page is n, or the largest first that the server allows.
func (c *Learned) Page(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fresh()
	return min(n, c.largest)
}

// Query is the points one query may cost.
func (c *Learned) Query() float64 {
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
