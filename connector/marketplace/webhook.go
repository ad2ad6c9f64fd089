package marketplace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A Webhook is a registration: what happens is posted to an address.
type Webhook struct {
	ID          string
	CallbackURL string
	Events      []string // upper case
	Active      bool
}

type wireWebhook struct {
	ID, CallbackURL wire.Text
	Events          []wire.Text
	Active          bool
}

func (w wireWebhook) webhook() Webhook {
	hook := Webhook{ID: string(w.ID), CallbackURL: string(w.CallbackURL), Active: w.Active}
	for _, e := range w.Events {
		hook.Events = append(hook.Events, strings.ToUpper(string(e)))
	}
	return hook
}

// SameEvent reports whether two names mean the same event: PUBLICATION_CREATED, PublicationCreated
// and publication.created do. A server may answer in another spelling than it was sent.
func SameEvent(a, b string) bool { return form.EventKey(a) == form.EventKey(b) }

// IsAboutEvents reports whether an error of RegisterWebhook objects to its events. It is wrong
// about a server that mentions events in every error.
func IsAboutEvents(err error, events []string) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Refused && e.Kind != Invalid {
		return false
	}
	return strings.Contains(strings.ToLower(e.Message), "event") || len(EventsNamed(err, events)) > 0
}

// EventsNamed is those of the events that an error names.
func EventsNamed(err error, events []string) (named []string) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return nil
	}
	words := strings.FieldsFunc(
		e.Message, func(c rune) bool { return c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) },
	)
	for _, event := range events {
		if slices.ContainsFunc(words, func(word string) bool { return SameEvent(word, event) }) {
			named = append(named, event)
		}
	}
	return named
}

// fewWebhooks is how many registrations are asked for first, since that is what the reservation is
// for. An account seldom has more.
const fewWebhooks = 20

// Webhooks lists all of the account's registrations. Where there are more than a few it asks for a
// hundred. Only behind these it uses the argument after, which the specification does not show for
// this list.
func (r *Reader) Webhooks(ctx context.Context) ([]Webhook, error) {
	const op = "list webhooks"
	ask := func(most int, after string) (*wire.Page[wireWebhook], error) {
		answer, err := r.conn.Run(ctx, Sweep, nil, func(f Forms) (client.Request, error) {
			first := r.conn.Costs.Fit(
				r.conn.Plan(), most, func(n int) document.Document { return webhooksDocument(f, n, after) },
			)
			doc := webhooksDocument(f, first, after)
			return client.Request{
				Op:     op,
				Doc:    doc,
				Vars:   document.Cursor(after),
				First:  first,
				Cursor: after != "",
			}, nil
		})
		if err != nil {
			return nil, err
		}
		var data struct{ Webhooks *wire.Page[wireWebhook] }
		if err := document.Unmarshal(answer.Data, &data); err != nil || data.Webhooks == nil {
			return nil, fault.Unreadable(op, err)
		}
		return data.Webhooks, nil
	}
	list, err := allPages(op, func(after string) (*wire.Page[wireWebhook], error) {
		if after == "" {
			if page, err := ask(fewWebhooks, ""); err != nil || !page.PageInfo.HasNextPage {
				return page, err
			}
		}
		return ask(cost.LargestPage, after)
	})
	if err != nil {
		return nil, err
	}
	all := make([]Webhook, len(list))
	for i, w := range list {
		all[i] = w.webhook()
	}
	return all, nil
}

func webhooksDocument(f Forms, first int, after string) document.Document {
	return f.Fit(
		document.Typed(
			document.Query, "Webhooks", document.Cursor(after),
			document.List[wireWebhook]("webhooks", first, after != ""),
		),
	)
}

// A webhookCreateInput is the input of the mutation webhookCreate.
type webhookCreateInput struct {
	Active      bool     `json:"active"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`

	name string // of the type, as this server has it
}

// GetGraphQLType is the name that the library declares the variable with.
func (in webhookCreateInput) GetGraphQLType() string { return in.name }

// A webhookCreatePayload is the answer to the mutation webhookCreate.
type webhookCreatePayload struct {
	Webhook    *wireWebhook
	UserErrors []userError
}

// RegisterWebhook has events posted to url, by their upper-case names. An address that the
// marketplace refuses is an error of kind [Refused]. An equal registration is not looked for.
func (c *Client) RegisterWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	const op = "register webhook"
	answer, err := c.conn.Run(ctx, Urgent, nil, func(f Forms) (client.Request, error) {
		in := webhookCreateInput{Active: true, CallbackURL: url, Events: []string{}, name: f.Input(form.WebhookInput)}
		for _, e := range events {
			in.Events = append(in.Events, f.Event(e))
		}
		vars := map[string]any{"in": in}
		create := [2]any{"webhookCreate(input:$in)", webhookCreatePayload{}}
		return client.Request{
			Op:   op,
			Doc:  document.Typed(document.Mutation, "RegisterWebhook", vars, create),
			Vars: vars,
		}, nil
	})
	if err != nil {
		return Webhook{}, err
	}
	var data struct{ WebhookCreate *webhookCreatePayload }
	if err := document.Unmarshal(answer.Data, &data); err != nil || data.WebhookCreate == nil {
		return Webhook{}, fault.Unreadable(op, err)
	}
	if err := c.refusal(op, data.WebhookCreate.UserErrors); err != nil {
		return Webhook{}, err
	}
	if data.WebhookCreate.Webhook == nil {
		return Webhook{}, fault.Unreadable(op, errors.New("neither a webhook nor an error"))
	}
	return data.WebhookCreate.Webhook.webhook(), nil
}

// A userError is what a mutation says of its input.
type userError struct {
	Field   []wire.Text
	Message wire.Text
}

func userErrors() document.Field {
	return document.Object("userErrors", "", document.Scalars("field", "message")...)
}

// refusal is the error of kind Refused that list comes to, nil for none.
func (r *Reader) refusal(op string, list []userError) *Error {
	if len(list) == 0 {
		return nil
	}
	var parts []string
	var said strings.Builder // the field between quotation marks, as errors have it
	for _, u := range list {
		message := cmp.Or(string(u.Message), "refused without a message")
		var path []string
		for _, f := range u.Field {
			path = append(path, string(f))
		}
		if len(path) > 0 {
			said.WriteString(`"` + path[len(path)-1] + `" `)
			message = strings.Join(path, ".") + ": " + message
		}
		said.WriteString(string(u.Message) + "\n")
		parts = append(parts, message)
	}
	return &Error{
		Op: op, Kind: Refused, Status: 200, Message: r.conn.Clean(strings.Join(parts, "; ")),
		Detail: fault.Detail{
			Absent: len(list) == 1 &&
				fault.SaysAbsent(string(list[0].Message), ""), Said: fault.Objection{Text: said.String()},
		},
	}
}
