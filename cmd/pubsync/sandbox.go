package main

import (
	"context"
	"fmt"
	"net"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

type sandboxCommand struct {
	Listen       string  `default:"127.0.0.1:9465" help:"Address to serve on."`
	Publications int     `default:"0" help:"Entries of the import list; 0 for one of each kind in the catalogue."`
	RestoreRate  float64 `name:"restore-rate" default:"50" help:"Points a second that the bucket refills with."`
	Token        string  `default:"${sandboxToken}" help:"The bearer token that is accepted."`
	Secret       string  `default:"${sandboxSecret}" help:"Signs the webhooks."`
	Webhook      string  `help:"Address of the channel's default webhook, which is not signed."`
}

func (s *sandboxCommand) Run(ctx context.Context, a *app) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return usage("--listen: %v", err)
	}
	m := sandbox.New(sandbox.Options{Token: s.Token, Secret: s.Secret, RestoreRate: s.RestoreRate, ChannelWebhookURL: s.Webhook})
	n := s.Publications
	if n <= 0 {
		n = len(sandbox.Catalogue())
	}
	m.AddCatalogue(n)
	server := sandbox.Serve(m, l)
	defer server.Close()
	fmt.Fprintf(a.stdout, "sandbox marketplace at http://%s, %d publications\nPUBSYNC_MARKETPLACE_URL=http://%s\nPUBSYNC_MARKETPLACE_TOKEN=%s\nPUBSYNC_WEBHOOK_SECRET=%s\n",
		l.Addr(), n, l.Addr(), s.Token, s.Secret)
	<-ctx.Done()
	return nil
}
