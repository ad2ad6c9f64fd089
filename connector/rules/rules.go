// Package rules makes publications due when the merchant's rules for them change.
//
// A change that would move prices though no setting has changed is held: a fact of the store says so of
// that very set of rules, and later what a person decided. The fact is written before the first
// publication is told, and says when each has been: whatever ends the process in between, the next start
// goes on with the same decision.
package rules

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Followed is the result of a change of the rules.
type Followed struct {
	publication.Revision
	Publications int // that are due because of it
}

// Follow compares the present rules, and the settings of prices and stock that the merchant set,
// with those in the store, and makes the publications due that they change. The new rules are
// stored once all marks are durable: after an interruption the next start does it again.
func Follow(
	ctx context.Context, s store.Store, p *publication.Settings, set map[string]string,
	writes map[string]publication.Writing, at time.Time,
) (f Followed, err error) {
	now := p.Rulebook(set, writes)
	before, known, err := publication.MetaRules.Get(ctx, s)
	if err != nil {
		return f, err
	}
	change, err := standing(ctx, s, now)
	if err != nil {
		return f, err
	}
	if known && now.Same(before) {
		_, err := carryOut(ctx, s, change, at)
		return f, err
	}
	f.Revision = now.Revise(before, known)
	if f.Prices {
		if f.Held, err = judge(ctx, s, p, now, f.Unasked, change, at); err != nil {
			return f, err
		}
	}
	if f.Figures || f.Content {
		f.Publications, err = store.ChangeAll(ctx, s, store.Query{}, func(e *store.Entry) bool { return f.Follow(e, at) })
		if err != nil {
			return f, err
		}
	}
	if f.Publications > 0 {
		err = s.SetMeta(ctx, publication.MetaFollowed, strconv.Itoa(f.Publications))
	}
	return f, errors.Join(err, publication.MetaRules.Set(ctx, s, now))
}

// standing is what the store knows of a change of the prices of a book, the zero RulesChange where
// that is nothing. It forgets a change to other rules.
func standing(ctx context.Context, s store.Store, b publication.Rulebook) (c publication.RulesChange, err error) {
	c, known, err := publication.MetaRuling.Get(ctx, s)
	if err != nil || !known || c.Prices == b.Prices {
		return c, err
	}
	return publication.RulesChange{}, s.SetMeta(ctx, string(publication.MetaRuling), "")
}

// judge decides whether a change of prices is held, and records that it is. What was held by a start
// that was interrupted is held still.
func judge(
	ctx context.Context, s store.Store, p *publication.Settings, b publication.Rulebook, unasked bool,
	stood publication.RulesChange, at time.Time,
) (held bool, err error) {
	if stood.Pending() {
		return true, nil
	}
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return false, err
		}
		if unasked && p.Moves(r) {
			c := publication.RulesChange{Prices: b.Prices, Ruling: publication.RulingHeld, At: at.UTC()}
			return true, publication.MetaRuling.Set(ctx, s, c)
		}
	}
	return false, s.SetMeta(ctx, string(publication.MetaRuling), "")
}

// Decide records what a person says of the change of prices that is held, and tells each publication. It
// returns how many it concerned; known is false where no change is held. by names the person.
func Decide(
	ctx context.Context, s store.Store, verdict publication.Ruling, by string, at time.Time,
) (n int, known bool, err error) {
	c, known, err := publication.MetaRuling.Get(ctx, s)
	if err != nil || !known || !c.Pending() && c.Told {
		return 0, false, err
	}
	if c.Pending() {
		c.Ruling, c.By, c.At = verdict, by, at.UTC()
		if err := publication.MetaRuling.Set(ctx, s, c); err != nil {
			return 0, true, err
		}
	}
	n, err = carryOut(ctx, s, c, at)
	return n, true, err
}

// carryOut tells each publication of a decision, and records that all know it.
func carryOut(ctx context.Context, s store.Store, c publication.RulesChange, at time.Time) (n int, err error) {
	if c.Ruling == "" || c.Pending() || c.Told {
		return 0, nil
	}
	chosen := publication.Choice{Group: string(store.HoldRules)}
	if n, err = store.ChangeAll(ctx, s, store.Query{Key: store.KeyHold(store.HoldRules)}, func(e *store.Entry) bool {
		if c.Ruling == publication.RulingDeclined {
			return publication.Decline(e, chosen, publication.Together(e.Record), c.By, at)
		}
		return publication.Approve(e, chosen, publication.Together(e.Record), c.By, at)
	}); err != nil {
		return n, err
	}
	c.Told = true
	return n, publication.MetaRuling.Set(ctx, s, c)
}

// Rewrite has groups of every listing written again, at the priority of refreshes. It returns how
// many listings follow.
func Rewrite(ctx context.Context, s store.Store, groups shopadapter.Fields, at time.Time) (n int, err error) {
	v := publication.Revision{Content: true, Written: groups}
	return store.ChangeAll(ctx, s, store.Query{}, func(e *store.Entry) bool { return v.Follow(e, at) })
}

// Ruling is where a change of the rules of prices stands that is held, "" where none is.
func Ruling(ctx context.Context, s store.Store) (publication.Ruling, error) {
	c, known, err := publication.MetaRuling.Get(ctx, s)
	if err != nil || !known || c.Ruling == publication.RulingApproved {
		return "", err
	}
	return c.Ruling, nil
}
