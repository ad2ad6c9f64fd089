package cmd

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const liveEvery = 5 * time.Second

type sandboxCommand struct {
	Serve sandboxServe `cmd:"" name:"(alone)" default:"withargs" hidden:"" help:"Serves a marketplace until it is stopped."`
	Do    sandboxDo    `cmd:"" help:"Has something happen at a sandbox, or at the marketplace of a demo."`
}

type sandboxServe struct {
	Listen       string  `default:"${sandboxListen}" help:"Address to serve on."`
	Live         bool    `help:"Have something happen every few seconds: prices, stock, texts, imports, removals."`
	Publications int     `default:"0" help:"Entries of the import list; 0 for one of each kind in the catalogue."`
	RestoreRate  float64 `name:"restore-rate" default:"50" help:"Points a second that the bucket refills with."`
	Token        string  `default:"${sandboxToken}" help:"The bearer token that is accepted."`
	Secret       string  `default:"${sandboxSecret}" help:"Signs the webhooks."`
	Webhook      string  `help:"Address of the channel's default webhook, which is not signed."`
}

func (s *sandboxServe) Run(ctx context.Context, a *app) error {
	if s.RestoreRate <= 0 {
		return exit.Usage("--restore-rate must be above zero")
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return exit.Usage("--listen: %v", err)
	}
	m := sandbox.New(sandbox.Options{Token: s.Token, Secret: s.Secret, RestoreRate: s.RestoreRate})
	m.SetChannelWebhook(s.Webhook)
	n := s.Publications
	if n <= 0 {
		n = len(sandbox.Catalogue())
	}
	m.AddCatalogue(n)
	m.Hear(a.narrate)
	server := sandbox.Serve(m, l)
	defer server.Close()
	fmt.Fprintf(a.stderr, "A sandbox marketplace with %d publications. These are the settings that point at it:\n", n)
	fmt.Fprintf(a.stdout, "PUBSYNC_MARKETPLACE_URL=%s\nPUBSYNC_MARKETPLACE_TOKEN=%s\nPUBSYNC_WEBHOOK_SECRET=%s\n",
		server.URL, s.Token, s.Secret)
	fmt.Fprintf(a.stderr,
		"To try an installation as a public app, in the place of the token: PUBSYNC_OAUTH_AUTH_URL=%s "+
			"PUBSYNC_OAUTH_CLIENT_ID=%s PUBSYNC_OAUTH_CLIENT_SECRET=%s.\n", server.URL, sandbox.DefaultClientID, s.Secret)
	fmt.Fprintf(a.stderr,
		"Have something happen: %[1]s sandbox do price any x1.1%[2]s (%[1]s sandbox do --help). Ctrl-C ends it.\n",
		say.Program(), demo.AtFlag(server.URL))
	if s.Live {
		m.Live(ctx, liveEvery)
	}
	<-ctx.Done()
	return nil
}

func (a *app) narrate(event any) {
	text := ""
	switch e := event.(type) {
	case sandbox.Outcome:
		text = e.Said
	case sandbox.Delivery:
		text = fmt.Sprintf("webhook %s to %s, attempt %d: %s", e.Event, e.URL, e.Attempt,
			cmp.Or(e.Err, "answered "+strconv.Itoa(e.Status)))
	case sandbox.Report:
		text = fmt.Sprintf("report %s of %s %s", e.Status, e.ID, e.ProductURL)
		if e.Refused != "" {
			text += " is refused: " + e.Refused
		}
	}
	fmt.Fprintf(a.stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), say.Harmless(text))
}
