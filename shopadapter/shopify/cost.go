package shopify

import "sync"

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
// estimate that grows with what it carries, and the ratio to what the last answer said corrects it.
type costs struct {
	mu     sync.Mutex
	ratios map[string]float64 // by operation
}

// points is the number to reserve for an operation whose estimate this is.
func (c *costs) points(operation string, estimate float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ratio, known := c.ratios[operation]; known {
		return estimate * ratio
	}
	return estimate
}

// learn takes in what an answer said the operation requested.
func (c *costs) learn(operation string, estimate, requested float64) {
	if !(requested > 0) || !(estimate > 0) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ratios[operation] = min(requested, costSingle) / estimate
}
