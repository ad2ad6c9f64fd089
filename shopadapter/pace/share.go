package pace

import (
	"container/heap"
	"context"
	"slices"
)

// MostUrgent is the priority that goes before every other, whoever's request has it.
const MostUrgent = 0

// A Share is one of several clients of this process that draw on the bucket of a Pacer. Each has a
// line of its own. What is most urgent of all of them is granted first. Else the share is next that
// was charged the least points since it began to wait, so that a long line of one keeps no other
// waiting. A share that did not wait for a while has no claim to the points of that time.
type Share struct {
	p     *Pacer
	queue line
	spent float64 // points charged and granted, counted from what p.virtual was when it last came to wait
}

// Share is a further client of the Pacer. Its Snapshot is that of all.
func (p *Pacer) Share() *Share { return &Share{p: p} }

// Pacer is the book of all shares.
func (s *Share) Pacer() *Pacer { return s.p }

// Reserve is [Pacer.Reserve] in the line of this share.
func (s *Share) Reserve(ctx context.Context, cost float64, priority int) (*Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !positive(cost) {
		cost = 0
	}
	w := &waiter{share: s, cost: cost, priority: priority, ready: make(chan struct{})}

	p := s.p
	p.mu.Lock()
	now := p.now()
	w.seq, w.since = p.seq, now
	p.seq++
	s.enter(w)
	p.dispatch(now)
	p.mu.Unlock()

	select {
	case <-w.ready: // looked at first, so that a grant never loses to a context that ends at the same moment
		return w.granted, w.err
	default:
	}
	select {
	case <-w.ready:
		return w.granted, w.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case w.index >= 0:
		s.leave(w)
		p.dispatch(p.now()) // the next in line may fit
	case w.granted != nil:
		w.granted.giveBack()
	}
	return nil, ctx.Err()
}

// enter puts a request in line. p.mu is held.
func (s *Share) enter(w *waiter) {
	if len(s.queue) == 0 {
		s.spent = max(s.spent, s.p.virtual)
		s.p.active = append(s.p.active, s)
	}
	heap.Push(&s.queue, w)
}

// leave takes a request out of line. p.mu is held.
func (s *Share) leave(w *waiter) {
	heap.Remove(&s.queue, w.index)
	if len(s.queue) == 0 {
		s.p.active = slices.DeleteFunc(s.p.active, func(a *Share) bool { return a == s })
	}
}

// grant counts a request that is granted, until its end says what it was charged. p.mu is held.
func (s *Share) grant(w *waiter) {
	if w.priority > MostUrgent {
		s.p.virtual = max(s.p.virtual, s.spent)
	}
	s.spent += w.cost
}

// first is the request that is granted next, nil where none waits. p.mu is held.
func (p *Pacer) first() (first *waiter) {
	for _, s := range p.active {
		if w := s.queue[0]; first == nil || w.before(first) {
			first = w
		}
	}
	return first
}

// before orders the first requests of two lines.
func (w *waiter) before(other *waiter) bool {
	urgent, too := w.priority <= MostUrgent, other.priority <= MostUrgent
	switch {
	case urgent != too:
		return urgent
	case !urgent && w.share.spent != other.share.spent:
		return w.share.spent < other.share.spent
	default:
		return w.seq < other.seq
	}
}
