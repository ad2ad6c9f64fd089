package marketplace

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
)

const webhookFields = "id callbackUrl events active"

// Webhooks lists all of the account's registrations.
func (r *Reader) Webhooks(ctx context.Context) ([]Webhook, error) {
	hooks, err := all[Webhook](ctx, r, Sweep, "webhooks", scalars(webhookFields))
	for i := range hooks {
		hooks[i].upper()
	}
	return hooks, err
}

func (h *Webhook) upper() {
	for i, event := range h.Events {
		h.Events[i] = strings.ToUpper(event)
	}
}

// RegisterWebhook has events posted to url, by their upper-case names. An address that the
// marketplace refuses is an error of kind [Refused]. An equal registration is not looked for.
func (c *Client) RegisterWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	const op, root = "register webhook", "webhookCreate"
	answer, err := c.ask(ctx, Urgent, nil, func(d Dialect) request {
		return mutation(op, "RegisterWebhook", d.webhookInput, root,
			join(scalars(webhookFields).in("webhook"), userErrorFields()),
			map[string]any{"active": true, "callbackUrl": url, "events": events})
	})
	if err != nil {
		return Webhook{}, err
	}
	created, err := readAnswer[struct {
		Webhook    *Webhook
		UserErrors []userError
	}](answer, op, root)
	switch {
	case err != nil:
		return Webhook{}, err
	case len(created.UserErrors) > 0:
		return Webhook{}, c.refusal(op, created.UserErrors)
	case created.Webhook == nil:
		return Webhook{}, unreadable(op, errors.New("neither a webhook nor an error"))
	}
	created.Webhook.upper()
	return *created.Webhook, nil
}

// A userError is what a mutation says of its input.
type userError struct {
	Field   []string
	Message string
}

func userErrorFields() part { return scalars("field message").in("userErrors") }

func (r *Reader) refusal(op string, list []userError) *Error {
	var parts []string
	e := &Error{Op: op, Kind: Refused, Status: http.StatusOK}
	for _, u := range list {
		message := cmp.Or(u.Message, "refused without a message")
		if n := len(u.Field); n > 0 {
			e.said += `"` + u.Field[n-1] + `" ` // the field between quotation marks, as errors have it
			message = strings.Join(u.Field, ".") + ": " + message
		}
		e.said += u.Message + "\n"
		parts = append(parts, message)
	}
	e.Message = r.wire.Clean(strings.Join(parts, "; "))
	e.absent = len(list) == 1 && absentIn(list[0].Message, "")
	return e
}
