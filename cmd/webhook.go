package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/registration"
)

type webhookCommand struct {
	List     webhookListCommand     `cmd:"" help:"The marketplace's registrations for this account."`
	Register webhookRegisterCommand `cmd:"" help:"Registers PUBSYNC_WEBHOOK_URL unless it is registered and active."`
}

type webhookListCommand struct{ jsonFlag }

type webhookLine struct {
	ID          string   `json:"id"`
	CallbackURL string   `json:"callbackUrl"`
	Events      []string `json:"events"`
	Active      bool     `json:"active"`
	Ours        bool     `json:"ours"`
}

func (w *webhookListCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.setup(config.ToAsk)
	if err != nil {
		return err
	}
	market, err := c.AskMarketplace(ctx, log)
	if err != nil {
		return errors.Join(err, market.Close())
	}
	hooks, err := market.Webhooks(ctx)
	if err = errors.Join(err, market.Close()); err != nil {
		return &exit.Error{Code: desk.ExitMarketplace, Err: err}
	}
	lines := []webhookLine{}
	var rows [][]string
	for _, h := range hooks {
		l := webhookLine{
			ID:          h.ID,
			CallbackURL: c.Redact(h.CallbackURL),
			Events:      h.Events,
			Active:      h.Active,
			Ours:        c.WebhookURL.String() != "" && registration.SameCallback(h.CallbackURL, c.WebhookURL.String()),
		}
		lines = append(lines, l)
		rows = append(rows, []string{l.ID, l.CallbackURL, strings.Join(l.Events, ","), yesNo(l.Active), yesNo(l.Ours)})
	}
	if w.JSON {
		return a.printJSON(map[string]any{"webhooks": lines})
	}
	return say.Table(a.stdout, []string{"ID", "ADDRESS", "EVENTS", "ACTIVE", "OURS"}, rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

type webhookRegisterCommand struct{ jsonFlag }

func (w *webhookRegisterCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.setup(config.ToAsk)
	if err != nil {
		return err
	}
	if c.WebhookURL.String() == "" {
		return exit.Usage("PUBSYNC_WEBHOOK_URL is not set")
	}
	market, err := c.AskMarketplace(ctx, log)
	if err != nil {
		return errors.Join(err, market.Close())
	}
	r, err := registration.Ensure(ctx, market, c.WebhookURL.String(), c.WebhookEvents)
	if err = errors.Join(err, market.Close()); err != nil {
		code := desk.ExitMarketplace
		if marketplace.KindOf(err) == marketplace.Refused {
			code = desk.ExitUsage
		}
		return &exit.Error{Code: code, Err: err}
	}
	for _, event := range r.Unknown {
		log.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
	}
	word := "is registered and active already"
	hooks := r.Kept
	if len(r.Made) > 0 {
		hooks, word = r.Made, "registered"
		if len(r.Off) > 0 {
			word = "registered, but not switched on: do that in the marketplace's admin"
		}
	}
	var events []string
	for _, h := range hooks {
		events = append(events, h.Events...)
	}
	if w.JSON {
		return a.printJSON(map[string]any{
			"id": hooks[0].ID, "callbackUrl": c.Redact(c.WebhookURL.String()), "registered": len(r.Made) > 0, "events": events,
			"unknownEvents": orEmpty(r.Unknown),
			"superfluous":   ids(r.Superfluous),
		})
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s (webhook %s)\n", c.Redact(c.WebhookURL.String()), word,
		say.Plain(strings.Join(ids(hooks), ", ")))
	if err == nil && len(r.Superfluous) > 0 {
		_, err = fmt.Fprintln(a.stdout, c.Redact(say.Superfluous(r.Superfluous)))
	}
	return err
}

// orEmpty is a list that is never nil.
func orEmpty(list []string) []string { return append([]string{}, list...) }

// ids is the ids of registrations, never nil.
func ids(hooks []marketplace.Webhook) []string {
	out := make([]string, len(hooks))
	for i, h := range hooks {
		out[i] = h.ID
	}
	return out
}
