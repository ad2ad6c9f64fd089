package registration

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// eventPublicationCreated is the event the worker registers for.
const eventPublicationCreated = "PUBLICATION_CREATED"

// webhookEvents are the events that the worker registers for.
func webhookEvents() []string { return []string{eventPublicationCreated} }

// Find reads the marketplace's registrations, and sorts them by their use for url and the worker's events.
func Find(ctx context.Context, market *marketplace.Client, url string) (Found, error) {
	hooks, err := market.Webhooks(ctx)
	return judge(hooks, url, "", webhookEvents()), err
}

// Ensure registers url for those of the worker's events that no active registration of the address covers. made is nil where nothing was missing. The
// registrations are read just before, so that a lost answer leads to no second one.
func Ensure(ctx context.Context, market *marketplace.Client, url string) (found Found, made *marketplace.Webhook, err error) {
	return registerAs(ctx, market, url, ownWebhook{}, webhookEvents())
}

func registerAs(
	ctx context.Context, market *marketplace.Client, url string, own ownWebhook, events []string,
) (found Found, made *marketplace.Webhook, err error) {
	hooks, err := market.Webhooks(ctx)
	if err != nil {
		return found, nil, err
	}
	found = judge(hooks, url, own.ID, events)
	if len(found.Missing) == 0 {
		return found, nil, nil
	}
	if own.Off && slices.ContainsFunc(hooks, func(h marketplace.Webhook) bool { return h.ID == own.ID && !h.Active }) {
		return found, nil, switchedOff(own.ID) // another one would be made as this one was
	}
	h, err := market.RegisterWebhook(ctx, url, found.Missing)
	if err != nil {
		return found, nil, err
	}
	return found, &h, nil
}

// switchedOff is the error of a registration that the marketplace made without switching it on.
func switchedOff(id string) error {
	return &marketplace.Error{
		Op: "register webhook", Kind: marketplace.Refused,
		Message: "the marketplace has made webhook " + id + " and not switched it on: switch it on in its admin",
	}
}
