package shopify

import (
	"cmp"
	"sync"
)

// Shopify's own words on what an input costs (the schema's descriptions), in points.
const (
	costMutation  = 10.0
	costVariant   = 0.2
	costMetafield = 0.4
	costFile      = 1.9
	costSingle    = 1000.0 // the most that one request may cost, however full the bucket
)

// costs knows what each kind of request is charged for. Shopify says the requested cost only in its
// answer, and refuses a request for which the bucket does not hold it. So a request comes with an
// estimate that grows with what it carries, and the ratio to what the answers said corrects it.
type costs struct {
	mu     sync.Mutex
	ratios map[string]ratio // by operation
}

type ratio struct {
	is      float64 // 0: no answer was believed yet
	doubted float64 // what the last answer led to, where it is not believed
}

func newCosts() *costs { return &costs{ratios: map[string]ratio{}} }

// dearest is the factor by which the ratio may rise at once. A higher one needs a second answer in
// a row that says at least as much: one wrong answer must not have every request wait for a full
// bucket.
const dearest = 4.0

// points is the number to reserve for an operation whose estimate this is.
func (c *costs) points(operation string, estimate float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.ratios[operation]; r.is > 0 {
		return estimate * r.is
	}
	return estimate
}

// learn takes in what an answer said the operation requested. It rises at once and falls slowly:
// too little is a refusal, too much a short wait.
func (c *costs) learn(operation string, estimate, requested float64) {
	if !(requested > 0) || !(estimate > 0) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, r := min(requested, costSingle)/estimate, c.ratios[operation]
	switch said := r.doubted > 0 && r.doubted <= seen; {
	case seen > dearest*cmp.Or(r.is, 1) && !said:
		r.doubted = seen
	case seen < r.is:
		r = ratio{is: r.is + (seen-r.is)/8}
	default:
		r = ratio{is: seen}
	}
	c.ratios[operation] = r
}
