package pace

import "time"

// A waiter is one request in line. Its fields are guarded by the Pacer's mutex until ready is
// closed.
type waiter struct {
	cost     float64
	priority int
	since    time.Time
	seq      uint64
	index    int // in the line, -1 outside it
	ready    chan struct{}
	granted  *Reservation
	err      error
}

// A line is a heap of waiters: most urgent first, then first come.
type line []*waiter

func (l line) Len() int { return len(l) }

func (l line) Less(i, j int) bool {
	if l[i].priority != l[j].priority {
		return l[i].priority < l[j].priority
	}
	return l[i].seq < l[j].seq
}

func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

func (l *line) Push(x any) {
	w := x.(*waiter)
	w.index = len(*l)
	*l = append(*l, w)
}

func (l *line) Pop() any {
	last := len(*l) - 1
	w := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	w.index = -1
	return w
}
