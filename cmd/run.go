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
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type runCommand struct {
	Once     bool           `help:"One sweep of the import list, all that is due, a summary, the end. The whole list is enumerated where the resync schedule asks for it."`
	Full     bool           `help:"With --once: enumerate the whole list, find removals, read every entry's content again."`
	DryRun   bool           `name:"dry-run" help:"With --once: print what would be done, and do nothing."`
	Patience *time.Duration `placeholder:"2m" help:"With --once: for how long transient errors are retried."`
	jsonFlag
}

func (r *runCommand) Run(ctx context.Context, a *app) error {
	switch {
	case r.DryRun && !r.Once:
		return usage("--dry-run goes with --once")
	case r.Full && !r.Once:
		return usage("--full goes with --once")
	case r.JSON && !r.Once:
		return usage("--json goes with --once")
	case r.Patience != nil && !r.Once:
		return usage("--patience goes with --once")
	case r.Patience != nil && *r.Patience < 0:
		return usage("--patience is below zero")
	case r.DryRun:
		return makePlan(ctx, a, r.options(), r.JSON)
	case r.Once:
		return r.once(ctx, a)
	}
	c, log, err := a.setup(config.ToRun)
	if err != nil {
		return err
	}
	return work(ctx, c, log, nil)
}

// options is what a single run is asked to do.
func (r *runCommand) options() desk.RunOptions {
	o := desk.RunOptions{Full: r.Full, Patience: desk.DefaultPatience}
	if r.Patience != nil {
		o.Patience = *r.Patience
	}
	return o
}

// once makes a single run. With --json it prints a document also where no run could be begun.
func (r *runCommand) once(ctx context.Context, a *app) error {
	summary, err := ask(
		a,
		config.ToRunOnce,
		toMake,
		func(d desk.Desk) (desk.Summary, error) { return d.Run(ctx, r.options()) },
	)
	if err != nil {
		if r.JSON {
			err = errors.Join(err, a.printJSON(desk.Summary{Exit: codeOf(err), Error: err.Error()}))
		}
		return err
	}
	if err := a.printSummary(summary, r.JSON); err != nil {
		return err
	}
	return endedWith(summary.Exit)
}

// work runs the worker until ctx ends.
func work(ctx context.Context, c *setup, log *slog.Logger, pages map[string]http.Handler) error {
	parts, err := c.assemble(ctx, log)
	if err != nil {
		return openError(c, err)
	}
	listeners, err := c.listen(ctx)
	if err != nil {
		return errors.Join(err, parts.close())
	}
	return serve(ctx, c, log, parts, listeners, pages)
}

// serve runs the worker on open listeners, and closes everything at its end.
func serve(
	ctx context.Context,
	c *setup,
	log *slog.Logger,
	parts *assembly,
	l connector.Listeners,
	pages map[string]http.Handler,
) error {
	o := owner{Command: "run"}
	if l.Admin != nil {
		o.Admin = l.Admin.Addr().String()
		log.Info("dashboard, metrics and health", "address", "http://"+o.Admin+"/")
	}
	if l.Webhook != nil {
		log.Info("webhooks", "address", l.Webhook.Addr().String())
	}
	defer o.announce(c.StorePath, log)()
	worker, err := c.connector(parts, log, pages)
	if err != nil {
		return errors.Join(err, parts.close())
	}
	err = worker.Run(ctx, l)
	var account *store.AccountError
	if errors.As(err, &account) || store.Hopeless(err) {
		err = storeError(c.StorePath, fmt.Errorf("store %s: %w", c.StorePath, err))
	}
	return errors.Join(err, parts.close())
}

// listen opens the sockets first, so that a port in use is reported before anything is done.
func (c *setup) listen(ctx context.Context) (l connector.Listeners, err error) {
	var listen net.ListenConfig
	if c.WebhookListen != "" {
		if l.Webhook, err = listen.Listen(ctx, "tcp", string(c.WebhookListen)); err != nil {
			return l, listenError("WEBHOOK_LISTEN", err)
		}
	}
	if c.AdminListen != "" {
		if l.Admin, err = listen.Listen(ctx, "tcp", string(c.AdminListen)); err != nil {
			if l.Webhook != nil {
				err = errors.Join(err, l.Webhook.Close())
			}
			return l, listenError("ADMIN_LISTEN", err)
		}
	}
	return l, nil
}

func listenError(name string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // without the address, which is a value
	}
	return &exitError{code: desk.ExitUsage, err: fmt.Errorf("%s%s: cannot listen there: %w", config.Prefix, name, err)}
}

// openError is the exit for parts that could not be put together.
func openError(c *setup, err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return storeError(c.StorePath, err)
}
