package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	c, log, err := a.config(toAsk)
	if err != nil {
		return err
	}
	market := c.openMarketplace(log)
	hooks, err := market.Webhooks(ctx)
	if err = errors.Join(err, market.Close()); err != nil {
		return &exitError{code: desk.ExitMarketplace, err: err}
	}
	lines := []webhookLine{}
	var rows [][]string
	for _, h := range hooks {
		l := webhookLine{ID: h.ID, CallbackURL: h.CallbackURL, Events: h.Events, Active: h.Active, Ours: c.WebhookURL != "" && registration.SameCallback(h.CallbackURL, c.WebhookURL)}
		lines = append(lines, l)
		rows = append(rows, []string{l.ID, l.CallbackURL, strings.Join(l.Events, ","), yesNo(l.Active), yesNo(l.Ours)})
	}
	if w.JSON {
		return a.printJSON(map[string]any{"webhooks": lines})
	}
	return table(a.stdout, []string{"ID", "ADDRESS", "EVENTS", "ACTIVE", "OURS"}, rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

type webhookRegisterCommand struct{ jsonFlag }

func (w *webhookRegisterCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.config(toAsk)
	if err != nil {
		return err
	}
	if c.WebhookURL == "" {
		return usage("PUBSYNC_WEBHOOK_URL is not set")
	}
	market := c.openMarketplace(log)
	found, made, err := registration.Ensure(ctx, market, c.WebhookURL)
	if err = errors.Join(err, market.Close()); err != nil {
		code := desk.ExitMarketplace
		if marketplace.KindOf(err) == marketplace.Refused {
			code = desk.ExitUsage
		}
		return &exitError{code: code, err: err}
	}
	var hook marketplace.Webhook
	word := "is registered and active already"
	if made != nil {
		hook, word = *made, "registered"
		if !hook.Active {
			word = "registered, but not switched on: do that in the marketplace's admin"
		}
	} else {
		hook = found.Kept[0]
	}
	if w.JSON {
		return a.printJSON(map[string]any{
			"id": hook.ID, "callbackUrl": c.WebhookURL, "registered": made != nil, "events": hook.Events, "superfluous": ids(found.Superfluous),
		})
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s (webhook %s)\n", c.WebhookURL, word, plain(hook.ID))
	if err == nil && len(found.Superfluous) > 0 {
		_, err = fmt.Fprintln(a.stdout, superfluous(found.Superfluous))
	}
	return err
}

// ids is the ids of registrations, never nil.
func ids(hooks []marketplace.Webhook) []string {
	out := make([]string, len(hooks))
	for i, h := range hooks {
		out[i] = h.ID
	}
	return out
}

// superfluous says what to do about registrations that deliver once more what another one delivers.
func superfluous(hooks []marketplace.Webhook) string {
	var parts []string
	for _, h := range hooks {
		parts = append(parts, fmt.Sprintf("%s (%s)", plain(h.ID), plain(h.CallbackURL)))
	}
	return "superfluous, remove in the marketplace's admin: " + strings.Join(parts, ", ")
}
