package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/demo"
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
	text := fmt.Sprint(event)
	switch e := event.(type) {
	case sandbox.Outcome:
		text = e.Said
	case sandbox.Report:
		text = fmt.Sprintf("report %s of %s %s", e.Status, e.ID, e.ProductURL)
		if e.Refused != "" {
			text += " is refused: " + e.Refused
		}
	}
	fmt.Fprintf(a.stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), say.Harmless(text))
}

const mostAnswer = 1 << 30 // a list of some 300,000 publications

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
		var list struct {
			Publications []sandbox.Publication `json:"publications"`
		}
		err := d.ask(ctx, http.MethodGet, "/sandbox/publications", nil, &list)
		if err == nil {
			a.print(d.JSON, list, func() {
				for _, p := range list.Publications {
					a.printf("%s  %-9s %s\n", p.ID, p.Status, say.Plain(p.Listing.Title()))
				}
			})
		}
		return err
	}
	var done sandbox.Outcome
	err := d.ask(ctx, http.MethodPost, "/sandbox/orders", d.Order, &done)
	if err == nil {
		a.print(d.JSON, done, func() {
			a.printf("%s\n", strings.Join(append([]string{say.Harmless(done.Said)}, done.IDs...), "\n  "))
		})
	}
	return err
}

func (d *sandboxDo) ask(ctx context.Context, method, path string, order, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(d.At, "/")+path, bytes.NewReader(body))
	if err != nil {
		return exit.Usage("--at is not an address such as http://%s", demo.Listen)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		err = fmt.Errorf("no sandbox at %s: start one with pubsync sandbox, or name its address with --at (%w)", d.At,
			errors.Unwrap(err))
		return &desk.Error{Exit: desk.ExitMarketplace, Err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	var refused struct{ Error string }
	switch {
	case err != nil:
		return fmt.Errorf("read the sandbox's answer: %w", err)
	case resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil:
		return nil
	case json.Unmarshal(data, &refused) == nil && refused.Error != "":
		return exit.Usage("%s", say.Harmless(refused.Error))
	}
	err = fmt.Errorf("what answers at %s (%s) is no sandbox", d.At, resp.Status)
	return &desk.Error{Exit: desk.ExitMarketplace, Err: err}
}
