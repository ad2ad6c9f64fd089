package keyed

import "github.com/pubsync/pubsync/store"

// dueKeys is the keys of the due set that a mark has.
func dueKeys(m store.Mark) []string {
	keys := []string{dueKey(m)}
	if m.Hint != 0 {
		keys = append(keys, dueKey(m.As(store.ClassHint)))
	}
	return keys
}
