package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// Work runs the worker until ctx ends.
func Work(ctx context.Context, c *Setup, log *slog.Logger, pages map[string]http.Handler) error {
	parts, err := c.Assemble(ctx, log)
	if err != nil {
		return OpenError(c, err)
	}
	listeners, err := c.listen(ctx)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	return Serve(ctx, c, log, parts, listeners, pages)
}

// Serve runs the worker on open listeners, and closes everything at its end.
func Serve(ctx context.Context, c *Setup, log *slog.Logger, parts *Assembly, l connector.Listeners,
	pages map[string]http.Handler,
) error {
	defer c.announce(ownerAt(log, l), parts.store, log)()
	return c.run(ctx, log, parts, l, pages, func(watched context.Context, worker *connector.Connector) func() {
		alive := func(ctx context.Context) { _, _ = parts.store.Counts(ctx) } //nolint:errcheck // an error is an answer
		var watch sync.WaitGroup
		watch.Go(func() { notify(watched, log, worker.Desk().Ready, alive) })
		return watch.Wait
	})
}

// run runs the worker that is made of parts until ctx ends, and closes them. It calls up with the worker and a
// context that ends with its work, and then what up returned.
func (c *Setup) run(ctx context.Context, log *slog.Logger, parts *Assembly, l connector.Listeners,
	pages map[string]http.Handler, up func(context.Context, *connector.Connector) (down func()),
) error {
	worker, err := c.connector(ctx, parts, log, pages)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	watched, unwatch := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { c.alerter(worker.Desk(), parts.store, log).Run(watched) })
	end := sync.OnceFunc(up(watched, worker))
	defer end()
	defer unwatch()
	err = worker.Run(ctx, l)
	unwatch()
	watch.Wait()
	end() // before the store is closed
	return errors.Join(c.WorkError(err), parts.Close())
}

// ownerAt is the worker of this process, with the addresses of its listeners, which the log tells.
func ownerAt(log *slog.Logger, l connector.Listeners) owner {
	o := owner{Command: "run"}
	if l.Admin != nil {
		o.Admin = l.Admin.Addr().String()
		log.Info("dashboard, metrics and health", "address", "http://"+o.Admin+"/")
	}
	if l.Webhook != nil {
		log.Info("webhooks", "address", l.Webhook.Addr().String())
	}
	return o.here()
}

// WorkError gives an error of a store that is open the exit code and the advice of one that cannot be
// opened. Other errors are returned as they are.
func (c *Setup) WorkError(err error) error {
	var account *store.AccountError
	if errors.As(err, &account) || store.Hopeless(err) {
		return c.StoreError(fmt.Errorf("store %s: %w", c.StorePath, err))
	}
	return err
}

// listen opens the sockets before anything is done, so that a port in use is reported first.
func (c *Setup) listen(ctx context.Context) (l connector.Listeners, err error) {
	var listen net.ListenConfig
	if c.WebhookListen != "" {
		if l.Webhook, err = listen.Listen(ctx, "tcp", string(c.WebhookListen)); err != nil {
			return l, ListenError("WEBHOOK_LISTEN", err)
		}
	}
	if c.AdminListen != "" {
		if l.Admin, err = listen.Listen(ctx, "tcp", string(c.AdminListen)); err != nil {
			if l.Webhook != nil {
				err = errors.Join(err, l.Webhook.Close())
			}
			return l, ListenError("ADMIN_LISTEN", err)
		}
	}
	return l, nil
}

// ListenError is the error for an address that cannot be listened on. It names the setting.
func ListenError(name string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // without the address, which is a value
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("%s%s: cannot listen there: %w", config.Prefix, name, err)}
}

// OpenError gives an error of Assemble its exit code.
func OpenError(c *Setup, err error) error {
	var e *desk.Error
	if errors.As(err, &e) {
		return err
	}
	return c.StoreError(err)
}

const alertTimeout = 10 * time.Second

// alerter tells the receivers of the settings what needs a person. Without any it does nothing.
func (c *Setup) alerter(d desk.Desk, facts store.Store, log *slog.Logger) *alert.Alerter {
	receivers := map[string]alert.Receiver{}
	if c.AlertURL != "" {
		client := c.ShopClient()
		client.Timeout = alertTimeout
		receivers["url"] = alert.Post{URL: string(c.AlertURL), Client: client}
	}
	if address := c.AlertMail.URL; address != nil {
		receivers["mail"] = alert.Mail{Address: address}
	}
	return &alert.Alerter{Receivers: receivers, Account: c.Account, Desk: d, Store: facts, Redact: c.Redact, Log: log}
}

// NeverAlert has no receiver told: what happens is made up.
func (c *Setup) NeverAlert() {
	c.AlertURL, c.AlertMail = config.Settings{}.AlertURL, config.Settings{}.AlertMail
}
