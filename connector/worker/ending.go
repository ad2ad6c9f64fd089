package worker

import "sync"

// An ending makes the ends of a lane's looks durable, one at a time, while the lane goes on to the next look: the ends of several looks share a write of the
// store with the beginnings of others. The publication stays claimed for as long, and what a killed process leaves is what it leaves anywhere between the
// shop's answer and the store's.
type ending struct {
	ends chan func()
	made sync.WaitGroup
}

// newEnding starts an ending. Stop ends it.
func newEnding() *ending {
	e := &ending{ends: make(chan func())}
	e.made.Go(func() { // one for all ends: a goroutine for each would grow its stack anew
		for end := range e.ends {
			end()
		}
	})
	return e
}

// begin makes an end once the one before it has been made.
func (e *ending) begin(end func()) { e.ends <- end }

// stop returns once the last end has been made.
func (e *ending) stop() {
	close(e.ends)
	e.made.Wait()
}
