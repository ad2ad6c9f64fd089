package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
)

const (
	loginLook  = time.Second                          // between two looks whether the token is there
	loginRenew = install.AddressLasts - 1*time.Minute // after which the address is printed anew
	loginDrain = 5 * time.Second                      // for the answer to the browser
)

type loginCommand struct{ jsonFlag }

// Run prints the address to install the app at, and waits until the token is there. A worker that
// holds the store serves the installation; where there is none, this process does.
func (l *loginCommand) Run(ctx context.Context, a *app) (err error) {
	c, log, err := a.setup(config.ToLogin)
	if err != nil {
		return err
	}
	d, err := c.OpenDesk(log, setup.ToMake)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if local, ok := d.(*desk.Local); ok {
		stop, err := serveInstallation(ctx, c, local, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	if c.MarketplaceToken != "" {
		log.Warn("PUBSYNC_MARKETPLACE_TOKEN is set, and wins over the token of an installation")
	}
	w := &login{Setup: c, app: a, log: log, desk: d, asJSON: l.JSON}
	return w.wait(ctx)
}

// serveInstallation serves the two addresses of an installation until stop is called. Webhooks that
// arrive meanwhile are sent again later.
func serveInstallation(
	ctx context.Context, c *setup.Setup, d *desk.Local, log *slog.Logger,
) (stop func(), err error) {
	socket, err := (&net.ListenConfig{}).Listen(ctx, "tcp", string(c.WebhookListen))
	if err != nil {
		return nil, setup.ListenError("WEBHOOK_LISTEN", err)
	}
	o := c.AppOptions(log)
	failed := func(err error) { log.Error("store cannot be used", "error", err) }
	app := install.NewHandler(install.Options{
		ClientID: o.ClientID, Secret: func() string { return o.Secret }, AuthURL: o.AuthURL, Scopes: o.Scopes,
		Origin: o.Origin, UserAgent: o.UserAgent,
		Store: d.Store, Account: o.Account, Hide: o.Hide, Known: listener.Keep, Count: func(string) {}, Log: log,
		StoreFailed: failed,
		Installed:   func(_ context.Context, token string) { o.Kept(token) },
	})
	d.Installs = true
	servers := &listener.Servers{}
	servers.Public(log, socket, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if install.Serves(r.URL.Path) {
			app.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "60")
		http.Error(w, "pubsync waits for its installation", http.StatusServiceUnavailable)
	}))
	forget := c.Announce("login", d, log)
	return func() {
		servers.Shutdown(loginDrain)
		forget()
	}, nil
}

// A login waits for a token.
type login struct {
	*setup.Setup
	app    *app
	log    *slog.Logger
	desk   desk.Desk
	asJSON bool

	printed time.Time // when the address was
	sealed  string    // the installation that was looked at last
}

func (l *login) wait(ctx context.Context) error {
	tick := time.NewTicker(loginLook)
	defer tick.Stop()
	for {
		there, err := l.look(ctx)
		switch {
		case ctx.Err() != nil:
			return &exit.Error{Code: desk.ExitStanding, Err: errors.New("interrupted before the app was installed")}
		case err != nil || there:
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// look prints the address when it is due, and reports whether there is a token that the marketplace
// does not refuse.
func (l *login) look(ctx context.Context) (there bool, err error) {
	i, err := l.desk.Installation(ctx)
	if err != nil {
		return false, err
	}
	if !i.Served {
		return false,
			exit.Usage("%s runs without the PUBSYNC_OAUTH_ settings, and serves no installation: start it again with them",
				l.HeldBy())
	}
	if err := l.print(); err != nil {
		return false, err
	}
	if i.Sealed == "" || i.Sealed == l.sealed {
		return false, nil
	}
	l.sealed = i.Sealed
	token := l.Unseal(i.Installation, l.log)
	if token == "" {
		return false, nil
	}
	account, err := l.AccountOf(l.log)(ctx, token)
	if err != nil && marketplace.KindOf(err) == marketplace.Unauthorized {
		fmt.Fprintln(l.app.stderr, "The marketplace refuses the token of the last installation: install the app again.")
		return false, nil
	}
	if account == "" {
		account = i.Account
	}
	fmt.Fprintf(l.app.stderr, "pubsync is installed (account %s, since %s)\n", say.Plain(account),
		i.At.Local().Format(time.DateTime))
	return true, nil
}

// print prints the address, and a new one before the last one expires.
func (l *login) print() error {
	now := time.Now()
	if now.Sub(l.printed) < loginRenew {
		return nil
	}
	first := l.printed.IsZero()
	l.printed = now
	address := install.Address(l.WebhookURL.Origin(), l.OAuthClientSecret, now)
	switch {
	case l.asJSON && first:
		return l.app.printJSON(map[string]any{
			"address": address,
			"until":   now.Add(install.AddressLasts).UTC().Truncate(time.Second),
		})
	case l.asJSON:
		fmt.Fprintf(l.app.stderr, "A fresh address, since the last one is old:\n%s\n", address)
		return nil
	case first:
		fmt.Fprintln(l.app.stderr,
			"Open this address in a browser within five minutes, and approve. Ctrl-C ends the waiting.")
	default:
		fmt.Fprintln(l.app.stderr, "A fresh address, since the last one is old:")
	}
	_, err := fmt.Fprintln(l.app.stdout, address)
	return err
}
