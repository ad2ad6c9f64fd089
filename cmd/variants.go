package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

// variantsLine says in one line whether productVariants is followed, and why.
func variantsLine(v desk.Variants, now time.Time) string {
	switch v.Mode {
	case publication.VariantsOff:
		return "productVariants is not followed: PUBSYNC_SWEEP_VARIANTS is off"
	case "":
		return "productVariants has not been asked for yet"
	default:
	}
	line := fmt.Sprintf("productVariants is followed (%s)", v.Mode)
	if !v.Followed {
		line = fmt.Sprintf("productVariants is not followed (%s)", v.Mode)
	}
	line += ": " + whatVariants(v.Found)
	if v.Message != "" {
		line += ": " + v.Message
	}
	if v.Found != "" {
		line += ", found " + ago(v.At)
	}
	if v.Again.After(now) {
		line += ", asked again " + v.Again.Local().Format(time.DateTime)
	}
	return line
}

// whatVariants is a finding in words.
func whatVariants(f publication.VariantFinding) string {
	switch f {
	case publication.VariantsOurs:
		return "it holds your listings"
	case publication.VariantsOthers:
		return "it holds none of your listings"
	case publication.VariantsNone:
		return "it is empty"
	case publication.VariantsRefused:
		return "the token may not read it"
	case publication.VariantsUnoffered:
		return "the marketplace does not offer it"
	case publication.VariantsFailing:
		return "it cannot be read"
	default:
		return "it is not known yet whether it holds your listings"
	}
}

// checkVariants asks whether the token may read productVariants, and says what the worker found of
// it. That it may not is a fault only where the setting asks for it.
func (c *setup) checkVariants(ctx context.Context, market *marketplace.Client, log *slog.Logger) (string, error) {
	mode := publication.VariantMode(c.SweepVariants)
	if mode == publication.VariantsOff {
		return variantsLine(desk.Variants{Mode: mode}, time.Now()), nil
	}
	_, err := market.Variants(ctx, marketplace.Urgent, "", 1)
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
	if c.storeMissing() {
		return "the token may read productVariants; the first runs find out whether it holds your listings", nil
	}
	d, err := c.openDesk(log, toRead)
	if err != nil {
		return "the token may read productVariants", nil //nolint:nilerr // that is the store's finding
	}
	status, err := d.Status(ctx)
	if err = errors.Join(err, d.Close()); err != nil {
		return "the token may read productVariants", nil //nolint:nilerr // that is the store's finding
	}
	return "the token may read productVariants; " + whatVariants(status.Variants.Found), nil
}
