package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/registration"
)

func (x *examination) checkWebhook(ctx context.Context) (string, error) {
	if x.WebhookURL.String() == "" {
		return "none: changes are found by sweeps alone", nil
	}
	found, err := registration.Find(ctx, x.market, x.WebhookURL.String(), x.WebhookEvents)
	more := ""
	if len(found.Unknown) > 0 {
		more = "\nleft out, the marketplace does not know it: " + strings.Join(found.Unknown, ", ")
	}
	if len(found.Superfluous) > 0 {
		more += "\n" + x.Redact(say.Superfluous(found.Superfluous))
	}
	switch {
	case err != nil:
		return "", err
	case len(found.Missing) > 0:
		return "", fmt.Errorf("%s is not registered for %s: pubsync run registers it, or pubsync webhook register; "+
			"an event that the marketplace does not know is to be taken out of PUBSYNC_WEBHOOK_EVENTS%s",
			x.Redact(x.WebhookURL.String()), strings.Join(found.Missing, ", "), more)
	}
	return fmt.Sprintf("%s is registered and active%s", x.Redact(x.WebhookURL.String()), more), nil
}

// manyRefused is the number of refused deliveries in a row from which the check fails.
const manyRefused = 5

// checkDeliveries says why webhooks were refused, as the worker knows it. A store that cannot be
// read is the finding of the store's check.
func (x *examination) checkDeliveries(ctx context.Context) (string, error) {
	const none = "no webhook that was refused is known"
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return none, nil //nolint:nilerr // see above
	}
	status, err := d.Status(ctx)
	if err = errors.Join(err, d.Close()); err != nil {
		return none, nil //nolint:nilerr // see above
	}
	said, r := none, status.Webhook
	if f := r.Refused; f != nil {
		said = fmt.Sprintf("%d in a row were refused, the last one %s: %s", f.InARow, say.Ago(f.Last), f.Says)
	}
	if r.Refused != nil && r.Refused.InARow >= manyRefused {
		return "", errors.New(said)
	}
	return said, nil
}
