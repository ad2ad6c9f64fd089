package schedule

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// leastBacklog is the least number of looks that are a backlog: fewer are read in full within
// seconds.
const leastBacklog = 20

// soon is how long a change may wait for points before it is part of a backlog.
const soon = 3 * time.Second

// Changes are the classes of what changed upstream.
const Changes store.ClassSet = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint

// PaidSoon is how many looks at changes may be due before they count as a backlog: as many as the
// marketplace's bucket soon pays for in full, and leastBacklog-1 at least.
func PaidSoon(ctx context.Context, market *marketplace.Reader) (most int, err error) {
	cost, err := market.ReadingCost(ctx)
	if err != nil {
		return 0, err
	}
	b := market.Budget()
	pays := (max(b.Remaining-market.Headroom(), 0) + b.RestoreRate*soon.Seconds()) / max(cost, 1)
	return max(int(min(pays, 1e6)), leastBacklog-1), nil
}

// BeginFigures reports whether more looks at changes are due than the marketplace's bucket pays for
// in full soon, so that a look reads the figures first. That look ends with [Schedule.EndFigures].
// Once there is a backlog it lasts until no change is due: else its last changes would be read in
// full before the prices and stock of all are right.
func (s *Schedule) BeginFigures(ctx context.Context, now time.Time) bool {
	was := s.claims.backlogged() || s.o.Scarce != nil && s.o.Scarce()
	most := 0
	if !was {
		paid, err := PaidSoon(ctx, s.o.Market)
		if err != nil {
			return false
		}
		most = paid
	}
	due, _, err := s.due(ctx, Any, store.DueQuery{
		Classes: Changes, To: store.At(now), Skip: s.claims.ids(), Limit: most + 1,
	})
	more := len(due) > most
	if err != nil || !more && !was {
		return false
	}
	s.claims.beginFigures(more)
	return true
}

// EndFigures ends a look by figures.
func (s *Schedule) EndFigures(ctx context.Context) {
	s.claims.endFigures()
	s.judgeBacklog(ctx)
	s.o.Due.Raise()
}

// GiveBack ends claims of a look by figures that were not looked at. They stay part of the backlog,
// even where no other change is due.
func (s *Schedule) GiveBack(ctx context.Context, unmade []Claim) {
	if len(unmade) > 0 {
		s.claims.keepBacklog()
	}
	for _, c := range unmade {
		s.End(ctx, c)
	}
}

// judgeBacklog ends the backlog once no change is due and no look by figures is under way.
func (s *Schedule) judgeBacklog(ctx context.Context) {
	due, _, err := s.due(ctx, Any, store.DueQuery{Classes: Changes, To: store.At(time.Now()), Limit: 1})
	if err == nil && len(due) == 0 {
		s.claims.endBacklog()
	}
}

// PersonWaits reports whether a person waits for a publication that is not being looked at, though
// it may be claimed with others whose looks are to come.
func (s *Schedule) PersonWaits(ctx context.Context, toCome []Claim) bool {
	claimed := slices.DeleteFunc(s.claims.ids(), func(id string) bool {
		return slices.ContainsFunc(toCome, func(c Claim) bool { return c.Mark.ID == id })
	})
	due, _, err := s.due(ctx, Any, store.DueQuery{
		Classes: store.ClassesOf(store.ClassAsked), To: store.At(time.Now()), Skip: claimed, Limit: 1,
	})
	return err == nil && len(due) > 0
}
