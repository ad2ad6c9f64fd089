package sandbox

import "sync"

// A cache keeps values that are dear to make, up to a number of them: then it begins anew.
type cache[V any] struct {
	mu     sync.Mutex
	most   int
	values map[string]V
}

// get is the value of a key, made where it is not there. Two callers may make it at a time.
func (c *cache[V]) get(key string, value func() V) V {
	c.mu.Lock()
	v, ok := c.values[key]
	c.mu.Unlock()
	if ok {
		return v
	}
	v = value()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.values) >= c.most || c.values == nil {
		c.values = map[string]V{}
	}
	c.values[key] = v
	return v
}
