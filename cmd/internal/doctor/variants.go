package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

// checkVariants asks whether the token may read productVariants, and says what the worker found
// there. A token that may not is a fault only if the setting is on.
func (x *examination) checkVariants(ctx context.Context) (string, error) {
	mode := x.SweepVariants
	if mode == publication.VariantsOff {
		return say.Variants(desk.Variants{Mode: mode}, time.Now()), nil
	}
	_, err := x.market.Variants(ctx, marketplace.Urgent, "", 1)
	switch kind := marketplace.KindOf(err); {
	case err == nil:
	case mode == publication.VariantsOn:
		return "", fmt.Errorf("%w: set PUBSYNC_SWEEP_VARIANTS to auto, or take a token that may read products", err)
	case errors.Is(err, marketplace.ErrNoVariants), kind == marketplace.Invalid:
		return "the marketplace does not offer productVariants: a price that moves no updatedAt is seen after " +
			"PUBSYNC_REFRESH_AFTER", nil
	case kind == marketplace.Unauthorized:
		return "the token may not read productVariants: a price that moves no updatedAt is seen after " +
			"PUBSYNC_REFRESH_AFTER", nil
	default:
		return "", err
	}
	if x.StoreMissing() {
		return "the token may read productVariants; the first runs find out whether it holds your listings", nil
	}
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return "the token may read productVariants", nil //nolint:nilerr // that is the store's finding
	}
	status, err := d.Status(ctx)
	if err = errors.Join(err, d.Close()); err != nil {
		return "the token may read productVariants", nil //nolint:nilerr // that is the store's finding
	}
	return "the token may read productVariants; " + say.VariantFinding(status.Variants.Found), nil
}
