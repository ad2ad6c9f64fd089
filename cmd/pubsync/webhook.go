package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace"
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
		return &exitError{code: connector.ExitMarketplace, err: err}
	}
	lines := []webhookLine{}
	var rows [][]string
	for _, h := range hooks {
		l := webhookLine{ID: h.ID, CallbackURL: h.CallbackURL, Events: h.Events, Active: h.Active, Ours: h.CallbackURL == c.WebhookURL}
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
	hook, made, err := connector.Register(ctx, market, c.WebhookURL)
	if err = errors.Join(err, market.Close()); err != nil {
		code := connector.ExitMarketplace
		if marketplace.KindOf(err) == marketplace.Refused {
			code = connector.ExitUsage
		}
		return &exitError{code: code, err: err}
	}
	if w.JSON {
		return a.printJSON(map[string]any{"id": hook.ID, "callbackUrl": c.WebhookURL, "registered": made})
	}
	word := "is registered and active already"
	if made {
		word = "registered"
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s (webhook %s)\n", c.WebhookURL, word, plain(hook.ID))
	return err
}
