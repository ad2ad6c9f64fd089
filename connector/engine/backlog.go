package engine

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A backlog is more due changes than the marketplace's bucket pays for soon. During one, prices and stock
// come first: a look reads the figures of several changes, and writes them. The remainder of each change
// is read once nothing more urgent is due.
const (
	leastBacklog = 20              // fewer looks are read in full within seconds
	soon         = 3 * time.Second // how long a change may wait for points before it is part of a backlog
)

// upstream are the classes of what changed upstream.
const upstream store.ClassSet = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint

// paidSoon is how many looks at changes may be due before they count as a backlog: as many as the
// marketplace's bucket soon pays for in full, and leastBacklog-1 at least.
func paidSoon(ctx context.Context, market *marketplace.Reader) (most int, err error) {
	cost, err := market.ReadingCost(ctx)
	if err != nil {
		return 0, err
	}
	b := market.Budget()
	pays := (max(b.Remaining-market.Headroom(), 0) + b.RestoreRate*soon.Seconds()) / max(cost, 1)
	return max(int(min(pays, 1e6)), leastBacklog-1), nil
}

func (x *Engine) backlogged() (is bool) {
	x.locked(func() { is = x.backlog })
	return is
}

// figuresFirst reports whether the figures of a backlog are being read and written: full runs, remainders and
// refreshes wait for them.
func (x *Engine) figuresFirst() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := x.figuring > 0
	for _, class := range x.looking {
		first = first || x.backlog && upstream.Has(class)
	}
	return first
}

// beginFigures reports whether there is a backlog, so that a look reads the figures first. That look ends
// with endFigures. Once there is a backlog it lasts until no change is due: else its last changes would be
// read in full before the prices and stock of all are right.
func (x *Engine) beginFigures(ctx context.Context) bool {
	was := x.backlogged() || x.Scarce != nil && x.Scarce()
	most := 0
	if !was {
		paid, err := paidSoon(ctx, x.Market)
		if err != nil {
			return false
		}
		most = paid
	}
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{Classes: upstream, Skip: x.claimedIDs(), Limit: most + 1})
	more := len(due) > most
	if err != nil || !more && !was {
		return false
	}
	x.locked(func() { x.backlog, x.figuring = more, x.figuring+1 })
	return true
}

// endFigures ends a look by figures. The claims that were not looked at stay part of the backlog, even
// where no other change is due.
func (x *Engine) endFigures(ctx context.Context, unmade []claim) {
	x.giveBack(ctx, unmade)
	x.locked(func() { x.figuring-- })
	x.judgeBacklog(ctx)
	x.due.Raise()
}

func (x *Engine) giveBack(ctx context.Context, unmade []claim) {
	if len(unmade) > 0 {
		x.locked(func() { x.backlog = true })
	}
	for _, c := range unmade {
		x.end(ctx, c)
	}
}

// judgeBacklog ends the backlog once no change is due and no look by figures is under way.
func (x *Engine) judgeBacklog(ctx context.Context) {
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{Classes: upstream, Limit: 1})
	if err == nil && len(due) == 0 {
		x.locked(func() { x.backlog = x.backlog && x.figuring > 0 })
	}
}

// personWaits reports whether a person waits for a publication that is not being looked at, though it may
// be claimed with others whose looks are to come.
func (x *Engine) personWaits(ctx context.Context, toCome []claim) bool {
	claimed := slices.DeleteFunc(x.claimedIDs(), func(id string) bool {
		return slices.ContainsFunc(toCome, func(c claim) bool { return c.mark.ID == id })
	})
	due, _, err := x.dueIn(ctx, queueAny, store.DueQuery{
		Classes: store.ClassesOf(store.ClassAsked), Skip: claimed, Limit: 1,
	})
	return err == nil && len(due) > 0
}
