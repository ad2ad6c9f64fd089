package look

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A carrier carries decisions out in the shop.
type carrier struct {
	store       store.Store
	shop        func() shopadapter.Adapter
	breaker     *breaker.Breaker // before the shop
	calls       *call.Calls
	health      *health.Health
	log         *slog.Logger
	beforeWrite func(context.Context) error
	info        func(context.Context) shopadapter.Info
	observer    Observer
}

// left is why carrying out ended.
type left struct {
	why   why
	until time.Time // of paused: the end of the pause
}

type why int

const (
	done       why = iota // the decision is to be settled
	needsWhole            // the shop needs the whole product, not figures alone
	paused                // the shop was not called: it has asked for a pause
	stopped               // the process is being stopped
	unkept                // the store is in trouble: the mark stays as it is
)

// carryOut carries out the steps of a decision, and of those that follow from it, up to the one
// that ends the look.
func (c *carrier) carryOut(ctx context.Context, d publication.Decision) (publication.Decision, left) {
	for d.Step != publication.Settle {
		if d.Step == publication.Reread {
			c.undo(ctx, d)
			return d, left{why: needsWhole}
		}
		if d.Step == publication.Compare {
			facts, err := c.facts(ctx, d)
			if err != nil {
				c.health.StoreFailed(err)
				return d, left{why: unkept}
			}
			d = d.Compared(facts)
			continue
		}
		attempted, err := c.attempt(ctx, d)
		o := publication.Outcome{}
		switch {
		case err != nil && d.Step == publication.Unpublish:
			return d, left{why: unkept}
		case err != nil:
			o.Err = shopadapter.Retry("store cannot be written: %w", err)
		default:
			o = c.call(ctx, attempted)
		}
		if o.Err != nil && ctx.Err() != nil {
			return d, left{why: stopped}
		}
		if p, ok := errors.AsType[*call.PausedError](o.Err); ok {
			return d, left{why: paused, until: p.Until}
		}
		if c.observer != nil && o.Err == nil {
			c.observer.Sent(attempted)
		}
		d = attempted.Concluded(o, time.Now())
	}
	return d, left{why: done}
}

// observeTimeout bounds the question for one listing.
const observeTimeout = time.Minute

// facts finds out what a comparison needs.
func (c *carrier) facts(ctx context.Context, d publication.Decision) (f publication.Facts, err error) {
	id := d.ID()
	order, wishes := d.Wishes()
	if f.SKUs, err = store.PreviewSKUs(ctx, c.store, publication.ClaimSKUs(id, order, wishes)); err != nil {
		return f, err
	}
	if f.Observed, err = c.observed(ctx, d); err != nil {
		f.Err = c.calls.Diagnosed(ctx, err)
	}
	return f, nil
}

// observed is what stands in the shop of a listing that a person asked for; nil where it is not to
// be observed, or the shop tells nothing.
func (c *carrier) observed(ctx context.Context, d publication.Decision) (*publication.Observation, error) {
	if !d.Observable() {
		return nil, nil //nolint:nilnil // nothing is to be found out
	}
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	found := &publication.Observation{Absent: true}
	err := c.health.Guard(func() error {
		for seen, err := range c.shop().List(ctx, shopadapter.Query{Refs: []shopadapter.Ref{d.Ref()}}) {
			if err != nil {
				return err
			}
			if string(seen.Ref.Publication) == d.ID() && (found.Absent || !found.OnSale) {
				*found = publication.Observation{Listing: seen.Listing, Prices: c.info(ctx).Prices}
			}
		}
		return ctx.Err()
	}, "publication", d.ID())
	switch {
	case errors.Is(err, shopadapter.ErrNoList):
		return nil, nil //nolint:nilnil // as above
	case err != nil:
		return nil, err
	}
	return found, nil
}

// attempt records durably what is about to be sent to the shop.
func (c *carrier) attempt(ctx context.Context, d publication.Decision) (publication.Decision, error) {
	a, ok := d.Attempt()
	if !ok {
		return d, nil
	}
	skus, err := c.store.Begin(ctx, a)
	if err != nil {
		c.health.StoreFailed(err)
		return d, err
	}
	return d.Attempted(skus), nil
}

// undo removes the attempt of a call that was not made, since the shop needs the whole product.
func (c *carrier) undo(ctx context.Context, d publication.Decision) {
	if _, err := store.Update(context.WithoutCancel(ctx), c.store, func(_ *store.Report, s *store.Settlement) bool {
		d.Undo(&s.Record)
		return true
	}, d.ID()); err != nil {
		c.health.StoreFailed(err)
	}
}

// restocks reports whether the shop accepts figures alone.
func (c *carrier) restocks(ctx context.Context) bool {
	return c.info(ctx).Figures
}

// Planned marks the shop of a plan. It shows new figures of what the record holds without another
// reading, whatever the real shop accepts: a plan with other rules costs no points.
type Planned interface{ Planned() }

// reprices reports whether figures of the record are enough for the shop.
func (c *carrier) reprices(ctx context.Context) bool {
	_, planned := c.shop().(Planned)
	return planned || c.restocks(ctx)
}

// paused reports whether the shop cannot be used now.
func (c *carrier) paused() bool { return c.breaker.Status(time.Now()).Open }
