package quota

import (
	"context"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Gaps remembers when webhooks last led to a look at each publication. The next such look is put
// off, never dropped.
type Gaps struct {
	mu       sync.Mutex
	signed   map[string]time.Time
	unsigned map[string]time.Time
	pruned   time.Time
}

func NewGaps() *Gaps {
	return &Gaps{signed: map[string]time.Time{}, unsigned: map[string]time.Time{}}
}

// Next is the earliest time at which a webhook of this kind may lead to a look.
func (g *Gaps) Next(id string, signed bool, now time.Time) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	last, gap := g.signed[id], publication.SignedGap
	if !signed {
		last, gap = g.unsigned[id], publication.UnsignedGap
	}
	// The time that is left counts by the monotonic clock, and from now on: the wall clock may have been
	// set back since the last look.
	if left := last.Add(gap).Sub(now); !last.IsZero() && left > 0 {
		return now.Add(left)
	}
	return now
}

// PutOff is the time to which a look must be put off, zero where it need not. It puts off looks
// that only webhooks ask for, with or without the remainder of a change, and all looks of
// ClassHint.
func (g *Gaps) PutOff(m store.Mark, now time.Time) time.Time {
	if m.Class != store.ClassHint && m.Cause&^(store.CauseSigned|store.CauseUnsigned|store.CauseRemainder) != 0 {
		return time.Time{}
	}
	if at := g.Next(m.ID, m.Class != store.ClassHint, now); at.After(now) {
		return at.Add(time.Millisecond) // the store cuts times to milliseconds, which would be too soon
	}
	return time.Time{}
}

func (g *Gaps) Begin(m store.Mark, now time.Time) {
	if m.Cause&store.CauseSigned != 0 {
		g.begin(m.ID, true, now)
	}
	if m.Cause&store.CauseUnsigned != 0 {
		g.begin(m.ID, false, now)
	}
}

func (g *Gaps) begin(id string, signed bool, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if signed {
		g.signed[id] = now
	} else {
		g.unsigned[id] = now
	}
	g.prune(now)
}

// Forget drops the looks that put nothing off any more. Begin does that too; Forget is for times
// without looks.
func (g *Gaps) Forget(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prune(now)
}

func (g *Gaps) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.signed) + len(g.unsigned)
}

// prune drops old looks once a minute. The caller holds mu.
func (g *Gaps) prune(now time.Time) {
	if now.Sub(g.pruned) > publication.UnsignedGap {
		g.pruned = now
		g.signed = since(g.signed, now.Add(-publication.SignedGap))
		g.unsigned = since(g.unsigned, now.Add(-publication.UnsignedGap))
	}
}

// since is a new map of the entries not before least: an emptied map would keep its memory.
func since(m map[string]time.Time, least time.Time) map[string]time.Time {
	kept := map[string]time.Time{}
	for id, at := range m {
		if !at.Before(least) {
			kept[id] = at
		}
	}
	return kept
}

// Run drops old looks until ctx ends.
func (g *Gaps) Run(ctx context.Context) {
	ticker := time.NewTicker(publication.UnsignedGap)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			g.Forget(now)
		}
	}
}
