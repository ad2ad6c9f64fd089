package look

import (
	"context"
	"errors"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// call carries out the step of a decision in the shop.
func (c *carrier) call(ctx context.Context, d publication.Decision) publication.Outcome {
	switch d.Step {
	case publication.Unpublish:
		return c.unpublish(ctx, d)
	case publication.Restock:
		return c.restock(ctx, d)
	default:
		return c.write(ctx, d, func(ctx context.Context) (shopadapter.Listing, error) {
			return c.shop().Publish(ctx, d.Ref(), d.Sends(), d.Changed)
		})
	}
}

// restock writes the figures of a product's variants.
func (c *carrier) restock(ctx context.Context, d publication.Decision) publication.Outcome {
	whole := false
	o := c.write(ctx, d, func(ctx context.Context) (shopadapter.Listing, error) {
		l, err := c.shop().Publish(ctx, d.Ref(), d.Sends().OnlyFigures(), d.Changed)
		if whole = errors.Is(err, shopadapter.ErrWhole); whole {
			return shopadapter.Listing{}, nil // nothing is wrong with the shop
		}
		return l, err
	})
	if whole {
		o.Err = shopadapter.ErrWhole
	}
	return o
}

// write makes a call that writes to the shop. It refuses an answer that cannot be kept, and cuts
// the texts of one that can.
func (c *carrier) write(
	ctx context.Context, d publication.Decision, call func(context.Context) (shopadapter.Listing, error),
) (o publication.Outcome) {
	o.Err = c.calls.Do(ctx, d.ID(), func(ctx context.Context) (err error) {
		if c.beforeWrite != nil {
			if err := c.beforeWrite(ctx); err != nil {
				return err
			}
		}
		o.Listing, err = call(ctx)
		secret := func(s string) bool { return c.health.Redact(s) != s }
		if unkeepable := publication.Unkeepable(o.Listing, secret); unkeepable != nil {
			o.Listing, err = shopadapter.Listing{}, unkeepable
		}
		return err
	})
	refused := make(map[string]string, len(o.Listing.Refused))
	for variant, why := range o.Listing.Refused {
		refused[variant] = c.health.Line(why)
	}
	missing := make([]shopadapter.Picture, len(o.Listing.Missing))
	for i, p := range o.Listing.Missing {
		missing[i] = shopadapter.Picture{URL: c.health.Line(p.URL), Reason: c.health.Line(p.Reason), Later: p.Later}
	}
	o.Listing.Refused, o.Listing.Missing = refused, missing
	return o
}

// unpublish takes the listing out of sale. It logs what the shop did instead of what was asked for.
func (c *carrier) unpublish(ctx context.Context, d publication.Decision) (o publication.Outcome) {
	o.Err = c.calls.Do(ctx, d.ID(), func(ctx context.Context) (err error) {
		o.Instead, err = c.shop().Unpublish(ctx, d.Ref(), d.Removal)
		return err
	})
	if o.Instead = c.health.Line(o.Instead); o.Err == nil && o.Instead != "" {
		c.log.Info("listing left the shop in another way than was asked for", "publication", d.ID(), "instead", o.Instead)
	}
	return o
}
