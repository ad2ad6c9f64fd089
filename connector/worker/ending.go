package worker

import "sync"

// An ending is the end of a lane's last look, which becomes durable while the lane goes on to the next: the ends of several looks share a write of the
// store with the beginnings of others. A lane has one at a time. The publication stays claimed for as long, and what a killed process leaves is what it
// leaves anywhere between the shop's answer and the store's.
type ending struct{ underWay sync.WaitGroup }

// begin makes an end once the one before it has been made.
func (e *ending) begin(end func()) {
	e.wait()
	e.underWay.Go(end)
}

func (e *ending) wait() { e.underWay.Wait() }
