package sandbox

import (
	"container/list"
	"sync"
)

// A cache keeps the values used last, up to a number of them.
type cache[V any] struct {
	mu    sync.Mutex
	limit int
	order *list.List // of *cached[V], the latest in front
	byKey map[string]*list.Element
}

type cached[V any] struct {
	key   string
	value V
}

func newCache[V any](limit int) *cache[V] {
	return &cache[V]{limit: limit, order: list.New(), byKey: make(map[string]*list.Element)}
}

func (c *cache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[V]).value, true
}

func (c *cache[V]) put(key string, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		e.Value.(*cached[V]).value = value
		c.order.MoveToFront(e)
		return
	}
	c.byKey[key] = c.order.PushFront(&cached[V]{key, value})
	for c.order.Len() > c.limit {
		last := c.order.Back()
		delete(c.byKey, last.Value.(*cached[V]).key)
		c.order.Remove(last)
	}
}
