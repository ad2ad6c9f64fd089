package shopify

import "sync"

// costs knows what each kind of request is charged for. Shopify says the requested cost only in its
// answer, and refuses a request for which the bucket does not hold it. So a request comes with an
// estimate that grows with what it carries, and the ratio to what the answers said corrects it.
type costs struct {
	mu      sync.Mutex
	ratios  map[string]float64 // by operation
	doubted map[string]float64 // what the last answer to an operation led to, where it is not believed
}

func newCosts() *costs { return &costs{ratios: map[string]float64{}, doubted: map[string]float64{}} }

// dearest is the factor by which the ratio may rise at once. A higher one needs a second answer in
// a row that says at least as much: one wrong answer must not have every request wait for a full
// bucket.
const dearest = 4.0

// points is the number to reserve for an operation whose estimate this is.
func (c *costs) points(operation string, estimate float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ratio, ok := c.ratios[operation]; ok {
		return estimate * ratio
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
	seen := min(requested, costSingle) / estimate
	old, known := c.ratios[operation]
	if !known {
		old = 1
	}
	doubted := c.doubted[operation]
	delete(c.doubted, operation)
	switch {
	case seen > dearest*old && !(doubted > 0 && doubted <= seen):
		c.doubted[operation] = seen
		return
	case known && seen < old:
		seen = old + (seen-old)/8
	}
	c.ratios[operation] = seen
}

// Shopify's own words on what an input costs (the schema's descriptions), in points.
const (
	costMutation  = 10.0
	costVariant   = 0.2
	costMetafield = 0.4
	costFile      = 1.9
)

// costSingle is the most that one request may cost, however full the bucket.
const costSingle = 1000.0
