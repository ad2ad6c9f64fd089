package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const liveEvery = 5 * time.Second

type sandboxCommand struct {
	Listen       string  `default:"${sandboxListen}" help:"Address to serve on."`
	Live         bool    `help:"Have something happen every few seconds: prices, stock, texts, imports, removals."`
	Publications int     `default:"0" help:"Entries of the import list; 0 for one of each kind in the catalogue."`
	RestoreRate  float64 `name:"restore-rate" default:"50" help:"Points a second that the bucket refills with."`
	Token        string  `default:"${sandboxToken}" help:"The bearer token that is accepted."`
	Secret       string  `default:"${sandboxSecret}" help:"Signs the webhooks."`
	Webhook      string  `help:"Address of the channel's default webhook, which is not signed."`

	Serve sandboxServe `cmd:"" default:"1" hidden:"" help:"Serves a marketplace until it is stopped."`
	Do    sandboxDo    `cmd:"" help:"Has something happen at a sandbox, or at the marketplace of a demo."`
}

type sandboxServe struct{}

func (sandboxServe) Run(ctx context.Context, a *app, s *sandboxCommand) error {
	if s.RestoreRate <= 0 {
		return exit.Usage("--restore-rate must be above zero")
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return exit.Usage("--listen: %v", err)
	}
	m := sandbox.New(sandbox.Options{Token: s.Token, Secret: s.Secret, RestoreRate: s.RestoreRate})
	m.SetChannelWebhook(s.Webhook)
	n := len(m.AddCatalogue(cmp.Or(max(s.Publications, 0), -1)))
	m.Hear(a.narrate)
	server := sandbox.Serve(m, l)
	defer server.Close()
	fmt.Fprintf(a.stderr, "A sandbox marketplace with %d publications. These are the settings that point at it:\n", n)
	a.printf("PUBSYNC_MARKETPLACE_URL=%s\nPUBSYNC_MARKETPLACE_TOKEN=%s\nPUBSYNC_WEBHOOK_SECRET=%s\n",
		server.URL, s.Token, s.Secret)
	fmt.Fprintf(a.stderr,
		"To try an installation as a public app, in the place of the token: PUBSYNC_OAUTH_AUTH_URL=%s "+
			"PUBSYNC_OAUTH_CLIENT_ID=%s PUBSYNC_OAUTH_CLIENT_SECRET=%s.\n"+
			"Have something happen: %[4]s sandbox do price any x1.1 --at %[1]s (%[4]s sandbox do --help). Ctrl-C ends it.\n",
		server.URL, sandbox.DefaultClientID, s.Secret, say.Program())
	if s.Live {
		m.Live(ctx, liveEvery)
	}
	<-ctx.Done()
	return nil
}

func (a *app) narrate(event any) {
	fmt.Fprintf(a.stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), say.Harmless(fmt.Sprint(event)))
}

type sandboxDo struct {
	At string `default:"http://${sandboxListen}" help:"Address of the sandbox."`
	jsonFlag
	sandbox.Order
}

func (*sandboxDo) Help() string {
	return "Orders, where an id may be any for one that the sandbox picks:\n\n  " +
		strings.Join(append([]string{"list: the import list, with the ids"}, sandbox.Orders()...), "\n  ")
}

func (d *sandboxDo) Run(ctx context.Context, a *app) error {
	if d.Do[0] == "list" {
		list, err := sandbox.Listed(ctx, d.At)
		if err == nil {
			a.print(d.JSON, map[string]any{"publications": list}, func() {
				for _, p := range list {
					a.printf("%s  %-9s %s\n", p.ID, p.Status, say.Plain(p.Listing.Title()))
				}
			})
		}
		return unsent(err)
	}
	done, err := sandbox.Send(ctx, d.At, d.Order)
	if err == nil {
		a.print(d.JSON, done, func() {
			a.printf("%s\n", strings.Join(append([]string{say.Harmless(done.Said)}, done.IDs...), "\n  "))
		})
	}
	return unsent(err)
}

func unsent(err error) error {
	var refused sandbox.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return exit.Usage("%s", say.Harmless(err.Error()))
	}
	err = fmt.Errorf("%w: start one with pubsync sandbox, or name its address with --at", err)
	return &desk.Error{Exit: desk.ExitMarketplace, Err: err}
}
