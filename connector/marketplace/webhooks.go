package marketplace

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// IsAboutEvents reports whether an error of RegisterWebhook objects to its events. It is wrong
// about a server that mentions events in every error.
func IsAboutEvents(err error, events []string) bool {
	kind := KindOf(err)
	return (kind == Refused || kind == Invalid) && len(EventsNamed(err, append([]string{"event"}, events...))) > 0
}

// EventsNamed is those of the events that an error names.
func EventsNamed(err error, events []string) []string {
	said := strings.ToUpper(about(err).Message)
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool {
		return !strings.Contains(said, strings.ToUpper(event))
	})
}

const webhookFields = "id callbackUrl events active"

// Webhooks lists all of the account's registrations.
func (r *Reader) Webhooks(ctx context.Context) ([]Webhook, error) {
	const few = 20
	type data struct{ Webhooks *pageOf[Webhook] }
	hooks, err := all(ctx, r, Sweep, "list webhooks", "Webhooks", webhookFields, few,
		func(d *data) *pageOf[Webhook] { return d.Webhooks })
	for i := range hooks {
		hooks[i].Events = upper(hooks[i].Events)
	}
	return hooks, err
}

func upper(words []string) []string {
	for i, w := range words {
		words[i] = strings.ToUpper(w)
	}
	return words
}

// RegisterWebhook has events posted to url, by their upper-case names. An address that the
// marketplace refuses is an error of kind [Refused]. An equal registration is not looked for.
func (c *Client) RegisterWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	const op = "register webhook"
	var data struct {
		WebhookCreate *struct {
			Webhook    *Webhook
			UserErrors []userError
		}
	}
	if _, err := c.ask(ctx, Urgent, nil, &data, func(d Dialect) (request, error) {
		return request{
			op: op, name: "RegisterWebhook",
			text: "mutation RegisterWebhook($in:" + d.webhookInput + "!){webhookCreate(input:$in){webhook{" +
				webhookFields + "} " + userErrorFields + "}}",
			vars: map[string]any{"in": map[string]any{"active": true, "callbackUrl": url, "events": events}},
		}, nil
	}); err != nil {
		return Webhook{}, err
	}
	created := data.WebhookCreate
	if created == nil {
		return Webhook{}, unreadable(op, nil)
	}
	if err := c.refusal(op, created.UserErrors); err != nil {
		return Webhook{}, err
	}
	if created.Webhook == nil {
		return Webhook{}, unreadable(op, errors.New("neither a webhook nor an error"))
	}
	created.Webhook.Events = upper(created.Webhook.Events)
	return *created.Webhook, nil
}

// A userError is what a mutation says of its input.
type userError struct {
	Field   []string
	Message string
}

const userErrorFields = "userErrors{field message}"

// refusal is the error of kind Refused that a list comes to, nil for none.
func (r *Reader) refusal(op string, list []userError) *Error {
	if len(list) == 0 {
		return nil
	}
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
