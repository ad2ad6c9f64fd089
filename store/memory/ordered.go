package memory

import "slices"

// An ordered set keeps its items in the order of compare. Removing the first item is cheap, since
// the due set is worked off from there.
type ordered[T any] struct {
	items   []T
	compare func(a, b T) int
}

func (o *ordered[T]) add(item T) {
	if i, found := slices.BinarySearchFunc(o.items, item, o.compare); !found {
		o.items = slices.Insert(o.items, i, item)
	}
}

func (o *ordered[T]) remove(item T) {
	i, found := slices.BinarySearchFunc(o.items, item, o.compare)
	switch {
	case !found:
	case i == 0:
		o.items = o.items[1:]
	default:
		o.items = slices.Delete(o.items, i, i+1)
	}
}

// from is the items that do not come before one.
func (o *ordered[T]) from(item T) []T {
	i, _ := slices.BinarySearchFunc(o.items, item, o.compare)
	return o.items[i:]
}
