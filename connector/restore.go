package connector

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/store"
)

// restore takes up where the last process stopped: pauses that the other side set are kept,
// everything else that waits is due now. Nothing lies further ahead than it could have been put by
// a clock that was right.
func (c *Connector) restore(ctx context.Context) error {
	now := time.Now()
	if err := takeover.PutBack(ctx, c.o.Store, c.o.Logger, now); err != nil {
		return err
	}
	for _, b := range []*breaker.Breaker{c.shop.breaker, c.market.breaker} {
		if err := b.Restore(ctx, now); err != nil {
			return err
		}
	}
	for _, bring := range []func(context.Context, time.Time) error{c.advance, c.followRules, c.wake} {
		if err := bring(ctx, now); err != nil { // a full disk does not keep the worker from starting
			c.health.StoreFailed(err)
		}
	}
	return nil
}

// advance brings forward what a clock that has been set back since put off for too long.
func (c *Connector) advance(ctx context.Context, now time.Time) error {
	_, err := store.Advance(ctx, c.o.Store, store.At(now.Add(c.o.RefreshAfter)))
	return err
}

// wake makes due the publications that wait for another try. A look that the limit on webhooks puts
// off stays put off.
func (c *Connector) wake(ctx context.Context, now time.Time) error {
	_, err := store.Wake(ctx,
		c.o.Store,
		store.At(now),
		func(m store.Mark) bool { return publication.Wakes(m, store.At(now)) },
	)
	c.reporter.Wake(now)
	c.due.Raise()
	return err
}

// wakeAll makes due what waited for the store.
func (c *Connector) wakeAll(ctx context.Context) {
	if err := errors.Join(c.followRules(ctx, time.Now()), c.wake(ctx, time.Now())); err != nil {
		c.health.StoreFailed(err)
	}
}

// followRules makes due what other rules change than those of the last process.
func (c *Connector) followRules(ctx context.Context, now time.Time) error {
	f, err := rules.Follow(ctx, c.o.Store, c.settings().Rulebook(c.o.RuleSet), now)
	switch {
	case f.Publications == 0:
	case f.Unasked:
		c.o.Logger.Warn(
			"prices are made by other rules though no setting has changed: what they move is held until `pubsync "+
				"approve --kind rules`",
			"publications",
			f.Publications,
		)
	default:
		c.o.Logger.Info("rules have changed, publications follow", "publications", f.Publications, "settings", f.Set)
	}
	return err
}
