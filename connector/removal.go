package connector

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// removalWindow is how far back removals count together.
const removalWindow = 24 * time.Hour

// removals remembers that there is something for the brake to judge.
type removals struct{ waiting atomic.Bool }

func (r *removals) found() { r.waiting.Store(true) }

// findAbsent asks the marketplace about each publication that a complete enumeration did not meet. Only one that it answers null for is gone;
// what it cannot answer for is left alone.
func (c *Connector) findAbsent(ctx context.Context, priority marketplace.Priority, enumeration store.Cursor) error {
	unseen, err := c.store.Unseen(func(r store.Record) bool {
		return !gone(r) && !after(r.ListedAt, enumeration.Started-1, time.Now())
	})
	if err != nil || len(unseen) == 0 {
		return err
	}
	looks, err := c.market.Look(ctx, priority, unseen, false)
	if err != nil {
		return fmt.Errorf("ask for absent publications: %w", err)
	}
	var absent []string
	for _, id := range unseen {
		if entry, answered := looks[id]; answered && entry == nil {
			absent = append(absent, id)
		}
	}
	return c.markAbsent(absent)
}

// markAbsent notes that entries are gone, all at once, so that a crash never has the brake judge a part of them: those on sale are left to the
// brake, the others are looked at and cleared away.
func (c *Connector) markAbsent(ids []string) error {
	now := store.At(time.Now())
	_, err := c.store.Update(func(_ *store.Report, s *store.Settlement) bool {
		r := &s.Record
		if r.Removal.Reason == removalAbsent {
			return false // known, and perhaps held
		}
		if !r.OnSale {
			s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: now}
			return true
		}
		r.Removal = store.Removal{Reason: removalAbsent, At: now, Begun: r.Removal.Begun}
		r.Problem, r.Holds = store.Problem{}, nil
		r.State = string(stateOf(*r))
		return true
	}, ids...)
	c.removals.found()
	c.bell.ring()
	return err
}

// judgeRemovals, called by whoever holds the sweep lock, lets the brake decide on all removals found since it last did, together with those it holds: a list that shrinks by drips while
// a mass removal waits for a person is part of the same removal.
func (c *Connector) judgeRemovals() error {
	if !c.removals.waiting.Swap(false) {
		return nil
	}
	now := time.Now()
	recent, err := c.store.RemovedSince(now.Add(-removalWindow))
	if err != nil {
		return err
	}
	var found []string
	onSale := 0
	for r, err := range c.store.Records("") {
		if err != nil {
			return err
		}
		switch {
		case !r.OnSale:
		case r.Removal.Go: // judged, and as good as done
			recent++
		case r.Removal.Reason != "":
			found = append(found, r.ID)
			onSale++
		default:
			onSale++
		}
	}
	if len(found) == 0 {
		return nil
	}
	held := c.brake.removesTooMuch(onSale, recent, len(found))
	reason := removalReason(len(found), recent, onSale)
	news, err := c.store.Update(func(_ *store.Report, s *store.Settlement) bool {
		r := &s.Record
		switch {
		case r.Removal.Reason == "" || r.Removal.Done || r.Removal.Go:
			return false
		case len(r.Holds) > 0 && r.Holds[0].Kind == holdRemoval:
			return false // held until a person approves it, or it is listed again
		case !held:
			letGo(s, now)
		default:
			r.Holds = []store.Hold{{Kind: holdRemoval, Reason: reason, Since: store.At(now)}}
		}
		r.State = string(stateOf(*r))
		return true
	}, found...)
	if err != nil {
		return err
	}
	if held && news > 0 {
		c.log.Warn("removals held until a person approves them", "held", len(found), "on_sale", onSale, "reason", reason)
	}
	c.bell.ring()
	return nil
}

// letGo has a removal carried out: the entry is read once more, and taken out if it is still gone.
func letGo(s *store.Settlement, now time.Time) {
	s.Record.Removal.Go = true
	s.Record.Holds = nil
	s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
}

func removalReason(found, recent, onSale int) string {
	return fmt.Sprintf("%d of %d products on sale would be taken out within a day", found+recent, onSale+recent)
}
