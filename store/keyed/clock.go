package keyed

import "github.com/pubsync/pubsync/store"

// The marks of an account may be made and read by several processes, whose clocks need not agree. So
// the times of marks are kept by the store's clock, and are given and told by the process's own.

// stored is a time of this process by the store's clock. The times that stand for none and for never
// stay.
func (tx *Tx) stored(i store.Instant) store.Instant { return moved(i, tx.ahead.Milliseconds()) }

// told is a time of the store by this process's clock.
func (tx *Tx) told(i store.Instant) store.Instant { return moved(i, -tx.ahead.Milliseconds()) }

func moved(i store.Instant, by int64) store.Instant {
	if by == 0 || i <= 0 || i >= store.Latest/2 {
		return i
	}
	return max(i+store.Instant(by), 1)
}
