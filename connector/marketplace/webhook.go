package marketplace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// A Webhook is a registration: what happens is posted to an address.
type Webhook struct {
	ID          string
	CallbackURL string
	Events      []string // upper case
	Active      bool
}

type wireWebhook struct {
	ID, CallbackURL text
	Events          []text
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
// and publication.created do. A server that answers with another spelling than it was sent still
// has the registration.
func SameEvent(a, b string) bool { return eventKey(a) == eventKey(b) }

// eventKey is an event's name without what its spellings differ in.
func eventKey(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, name)
}

// IsAboutEvents reports whether an error of RegisterWebhook objects to its events. It may be wrong
// about a server that speaks of events whatever is amiss.
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
		e.Message,
		func(c rune) bool { return c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) },
	)
	for _, event := range events {
		if slices.ContainsFunc(words, func(word string) bool { return SameEvent(word, event) }) {
			named = append(named, event)
		}
	}
	return named
}

// fewWebhooks is how many registrations are asked for first: an account seldom has more. What is
// asked costs as if there were as many.
const fewWebhooks = 20

// Webhooks lists the account's registrations, all of them. Where there are more than a few a
// hundred are asked for at once: of the argument after the specification says nothing for this
// list.
func (r *Reader) Webhooks(ctx context.Context) ([]Webhook, error) {
	const op = "list webhooks"
	ask := func(most int, after string) (*wirePage[wireWebhook], error) {
		answer, err := r.run(ctx, Sweep, nil, func(f Forms) (request, error) {
			first := r.costs.fit(r.plan(), most, func(n int) document { return webhooksDocument(f, n, after) })
			doc := webhooksDocument(f, first, after)
			return request{op: op, doc: doc, vars: cursor(after), first: first, cursor: after != ""}, nil
		})
		if err != nil {
			return nil, err
		}
		var data struct{ Webhooks *wirePage[wireWebhook] }
		if err := unmarshal(answer.data, &data); err != nil || data.Webhooks == nil {
			return nil, unreadable(op, err)
		}
		return data.Webhooks, nil
	}
	list, err := allPages(op, func(after string) (*wirePage[wireWebhook], error) {
		if after == "" {
			if page, err := ask(fewWebhooks, ""); err != nil || !page.PageInfo.HasNextPage {
				return page, err
			}
		}
		return ask(largestPage, after)
	}, func(w wireWebhook) string { return string(w.ID) })
	if err != nil {
		return nil, err
	}
	all := make([]Webhook, len(list))
	for i, w := range list {
		all[i] = w.webhook()
	}
	return all, nil
}

func webhooksDocument(f Forms, first int, after string) document {
	return f.fit(typed(query, "Webhooks", cursor(after), list[wireWebhook]("webhooks", first, after != "")))
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
// marketplace does not take is an error of kind [Refused]. It does not look for an equal
// registration first.
func (c *Client) RegisterWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	const op = "register webhook"
	answer, err := c.run(ctx, Urgent, nil, func(f Forms) (request, error) {
		in := webhookCreateInput{Active: true, CallbackURL: url, Events: []string{}, name: f.input(webhookInput)}
		for _, e := range events {
			in.Events = append(in.Events, f.event(e))
		}
		vars := map[string]any{"in": in}
		create := [2]any{"webhookCreate(input:$in)", webhookCreatePayload{}}
		return request{op: op, doc: typed(mutation, "RegisterWebhook", vars, create), vars: vars}, nil
	})
	if err != nil {
		return Webhook{}, err
	}
	var data struct{ WebhookCreate *webhookCreatePayload }
	if err := unmarshal(answer.data, &data); err != nil || data.WebhookCreate == nil {
		return Webhook{}, unreadable(op, err)
	}
	if err := c.refusal(op, data.WebhookCreate.UserErrors); err != nil {
		return Webhook{}, err
	}
	if data.WebhookCreate.Webhook == nil {
		return Webhook{}, unreadable(op, errors.New("neither a webhook nor an error"))
	}
	return data.WebhookCreate.Webhook.webhook(), nil
}

// A userError is what a mutation says of its input.
type userError struct {
	Field   []text
	Message text
}

func userErrors() field { return object("userErrors", "", scalars("field", "message")...) }

// refusal is the error of kind Refused that list comes to, nil for none.
func (r *Reader) refusal(op string, list []userError) error {
	if len(list) == 0 {
		return nil
	}
	var parts []string
	var said strings.Builder // the field between quotation marks, as errors have it
	for _, u := range list {
		message := or(string(u.Message), "refused without a message")
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
		Op: op, Kind: Refused, Status: 200, Message: clean(strings.Join(parts, "; "), r.credential.secrets()...),
		absent: len(list) == 1 && saysAbsent(string(list[0].Message), ""), said: objection{text: said.String()},
	}
}
