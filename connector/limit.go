package connector

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

const (
	signedGap   = 10 * time.Second // between two looks at one publication that signed webhooks led to
	unsignedGap = time.Minute      // and unsigned ones
	hintShare   = 0.10             // of the restore rate, for all looks that unsigned webhooks lead to
)

// looks remembers when webhooks last led to a look at each publication, so that the next one is put off, never dropped.
type looks struct {
	mu       sync.Mutex
	signed   map[string]time.Time
	unsigned map[string]time.Time
	pruned   time.Time
}

func newLooks() *looks {
	return &looks{signed: map[string]time.Time{}, unsigned: map[string]time.Time{}}
}

func (l *looks) note(id string, signed bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if signed {
		l.signed[id] = now
	} else {
		l.unsigned[id] = now
	}
	if now.Sub(l.pruned) > unsignedGap {
		l.pruned = now
		prune(l.signed, now.Add(-signedGap))
		prune(l.unsigned, now.Add(-unsignedGap))
	}
}

func prune(m map[string]time.Time, before time.Time) {
	for id, at := range m {
		if at.Before(before) {
			delete(m, id)
		}
	}
}

// when is the earliest time at which a webhook of this kind may lead to a look.
func (l *looks) when(id string, signed bool, now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, gap := l.signed[id], signedGap
	if !signed {
		last, gap = l.unsigned[id], unsignedGap
	}
	if at := last.Add(gap); !last.IsZero() && at.After(now) {
		return at
	}
	return now
}

// kinds is the kinds of webhook, signed or not, among the causes of a mark.
func kinds(m store.Mark) (signed []bool) {
	if m.Cause&store.CauseSigned != 0 {
		signed = append(signed, true)
	}
	if m.Cause&store.CauseUnsigned != 0 {
		signed = append(signed, false)
	}
	return signed
}

// tooSoon is the time to which a look must be put off that webhooks alone ask for; the zero time when it need not.
func (l *looks) tooSoon(m store.Mark, now time.Time) (putOff time.Time) {
	if m.Cause&^(store.CauseSigned|store.CauseUnsigned) != 0 {
		return putOff
	}
	for _, signed := range kinds(m) {
		if at := l.when(m.ID, signed, now); putOff.IsZero() || at.Before(putOff) {
			putOff = at
		}
	}
	if putOff.After(now) {
		return putOff.Add(time.Millisecond) // the store keeps milliseconds: at the one it would be cut to it is too soon still
	}
	return time.Time{}
}

// begin notes that a look begins.
func (l *looks) begin(m store.Mark, now time.Time) {
	for _, signed := range kinds(m) {
		l.note(m.ID, signed, now)
	}
}

// hints is the budget of all looks that unsigned webhooks lead to: a share of the restore rate, with one look always allowed. What a look cost
// above it is paid off before the next.
type hints struct {
	mu    sync.Mutex
	free  time.Time // when the last look is paid off
	taken bool      // a look is under way, whose cost is not known yet
}

func (h *hints) open(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.taken && !now.Before(h.free)
}

// take is called by whoever begins a look that only an unsigned webhook led to, end when it has ended: one at a time.
func (h *hints) take() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = true
}

func (h *hints) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = false
}

// until is how long the budget is overdrawn, 0 when it is not.
func (h *hints) until(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(h.free.Sub(now), 0)
}

// wait is how long to wait for the budget: most while a look is under way, whose end rings.
func (h *hints) wait(now time.Time, most time.Duration) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken {
		return most
	}
	return min(max(h.free.Sub(now), time.Millisecond), most)
}

// spend charges points at a restore rate in points per second.
func (h *hints) spend(points, restoreRate float64, now time.Time) {
	if restoreRate <= 0 || points <= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.free.Before(now) {
		h.free = now
	}
	seconds := min(points/(restoreRate*hintShare), (24 * time.Hour).Seconds())
	h.free = h.free.Add(time.Duration(seconds * float64(time.Second)))
}
