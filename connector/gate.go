package connector

import (
	"sync"
	"time"
)

const (
	// gateDistinct is how many different publications must fail again, or gateOnce fail at all, before it is the other side that fails, not they.
	gateDistinct = 3
	gateOnce     = 8
	gateMost     = 5 * time.Minute // the longest pause that nobody asked for
	gateLeast    = 200 * time.Millisecond
	gateFirst    = 500 * time.Millisecond // the first pauses: what failed is to be tried again within two seconds
	gateShort    = 2                      // of them
	gateEarly    = 2 * time.Second        // what a pause may last however short the trouble is
	gateFirm     = 24 * time.Hour         // the longest Retry-After that is believed: a wrong date must not shut a shop for years
)

// A gate stands before one of the two other sides, the shop or the marketplace. While it is shut nothing is sent there. It is a circuit
// breaker: shut by a refusal that concerns everything, by the other side's own Retry-After, or by failures of different publications in a row;
// opened by time, after which one success keeps it open and one failure shuts it for longer.
type gate struct {
	mu       sync.Mutex
	until    time.Time // zero: open
	firm     bool      // set by a Retry-After: nobody but time ends it
	refused  bool      // credentials or address refused: only a check, a person or time for a new try ends it
	since    time.Time // of the trouble as a whole
	reason   string
	attempts int            // pauses in a row
	failing  map[string]int // publications that failed since the last success, and how often
	probing  bool           // one is let through to see whether the trouble is over
	wide     int            // failures since then that were about no single publication
	changed  chan struct{}  // closed and replaced whenever the gate moves
	most     func() time.Duration
	checked  bool // a refusal stays until release: somebody checks the other side
}

// newGate is an open gate. most is the longest pause that nobody asked for, now: it is shorter while somebody waits for a run.
func newGate(most func() time.Duration) *gate {
	return &gate{failing: map[string]int{}, changed: make(chan struct{}), most: most}
}

// trouble is what a gate says of itself.
type trouble struct {
	Shut    bool
	Until   time.Time
	Firm    bool
	Refused bool
	Since   time.Time
	Reason  string
}

// wait is how long to sleep before a shut gate is looked at again: it moves when a check that takes its time opens it.
func (t trouble) wait(now time.Time) time.Duration {
	if d := t.Until.Sub(now); d > 0 {
		return d
	}
	return idleWait
}

func (g *gate) look(now time.Time) trouble {
	g.mu.Lock()
	defer g.mu.Unlock()
	return trouble{Shut: now.Before(g.until) || g.checked && g.refused, Until: g.until, Firm: g.firm, Refused: g.refused, Since: g.since, Reason: g.reason}
}

// moved is closed when the gate opens or shuts.
func (g *gate) moved() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

func (g *gate) broadcast() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// succeeded opens the gate for good. It reports whether it had been in trouble, so that this is said once.
func (g *gate) succeeded(now time.Time) (was bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (g.firm || g.refused) && now.Before(g.until) {
		return false // the last answers to what was sent before it shut
	}
	was = !g.since.IsZero()
	clear(g.failing)
	g.wide = 0
	g.attempts, g.since, g.reason, g.firm, g.refused = 0, time.Time{}, "", false, false
	if !g.until.IsZero() {
		g.until = time.Time{}
		g.broadcast()
	}
	return was
}

// enter lets one through at a time while it is not known that the trouble is over, else everybody. Whoever was let in leaves, and says whether it did
// something: only then is it the next one's turn, or the two would wake each other for ever.
func (g *gate) enter() (leave func(did bool), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.attempts == 0 {
		return func(bool) {}, true
	}
	if g.probing {
		return nil, false
	}
	g.probing = true
	return func(did bool) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.probing = false
		if did {
			g.broadcast()
		}
	}, true
}

// failed counts a failure of one publication; enough different ones in a row shut the gate. A failure that is about no single one, a sweep's say, has
// the id "" and counts each time. It reports whether this is news.
func (g *gate) failed(id, reason string, now time.Time) (news bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if id == "" {
		g.wide++
	} else {
		g.failing[id]++
	}
	again := 0 // those for which a retry did not help
	for _, n := range g.failing {
		if n > 1 {
			again++
		}
	}
	switch {
	case g.attempts > 0: // it was shut, was tried, and fails still
	case again+g.wide >= gateDistinct, len(g.failing) >= gateOnce:
	default:
		return false
	}
	return g.shut(reason, now, 0, false)
}

// refuse shuts the gate because everything is refused, or for as long as the other side says. It reports whether this is news.
func (g *gate) refuse(reason string, now time.Time, retryAfter time.Duration, refused bool) (news bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut(reason, now, retryAfter, refused)
}

func (g *gate) shut(reason string, now time.Time, retryAfter time.Duration, refused bool) (news bool) {
	news = g.since.IsZero()
	if news {
		g.since = now
	}
	g.reason = reason
	g.refused = g.refused || refused
	defer g.broadcast() // also when only the reason is new: a refusal is to be checked
	switch {
	case retryAfter > 0:
		until := now.Add(min(retryAfter, gateFirm))
		if g.firm && until.Before(g.until) {
			return news
		}
		g.until, g.firm = until, true
	case now.Before(g.until):
		return news // the others that were under way when it shut
	default:
		g.attempts++
		// No longer than the trouble has lasted: by chance a few short pauses may lead to a long one, and a short outage would cost a long wait.
		pause := max(gateLeast, min(backoff(g.attempts, g.most()), max(gateEarly, now.Sub(g.since))))
		if g.attempts <= gateShort {
			pause = min(pause, gateFirst)
		}
		g.until, g.firm = now.Add(pause), false
	}
	return news
}

// release ends a pause that was not set by a Retry-After: a person asks for it, or the shop's check passes. A Retry-After whose time has come
// holds nothing any more: what else was refused meanwhile is released.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.until.IsZero() || g.firm && time.Now().Before(g.until) {
		return
	}
	g.until, g.firm, g.refused = time.Time{}, false, false
	g.broadcast()
}

// restore shuts the gate until a time that the other side set before a restart.
func (g *gate) restore(until time.Time, reason string, now time.Time) {
	if until.After(now) {
		g.refuse(reason, now, until.Sub(now), false)
	}
}
