package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

type runCommand struct {
	Once     bool          `help:"One sweep of the import list, all that is due, a summary, the end."`
	Full     bool          `help:"With --once: enumerate the whole list, find removals, read every entry's content again."`
	DryRun   bool          `name:"dry-run" help:"With --once: print what would be done, and do nothing."`
	Patience time.Duration `default:"2m" help:"With --once: for how long transient errors are retried."`
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
	case r.Patience < 0:
		return usage("--patience is below zero")
	case r.DryRun:
		return makePlan(ctx, a, r.Full, r.Patience, r.JSON)
	case r.Once:
		return r.once(ctx, a)
	}
	c, log, err := a.config(toRun)
	if err != nil {
		return err
	}
	return work(ctx, c, log, nil)
}

// work runs the worker until ctx ends.
func work(ctx context.Context, c *config, log *slog.Logger, pages map[string]connector.Page) error {
	parts, err := c.assemble(log)
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
func serve(ctx context.Context, c *config, log *slog.Logger, parts *assembly, l connector.Listeners, pages map[string]connector.Page) error {
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

// listen opens the sockets, so that a taken port is told before anything is done.
func (c *config) listen(ctx context.Context) (l connector.Listeners, err error) {
	var listen net.ListenConfig
	if c.WebhookListen != "" {
		if l.Webhook, err = listen.Listen(ctx, "tcp", c.WebhookListen); err != nil {
			return l, listenError("WEBHOOK_LISTEN", err)
		}
	}
	if c.AdminListen != "off" {
		if l.Admin, err = listen.Listen(ctx, "tcp", c.AdminListen); err != nil {
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
	return &exitError{code: connector.ExitUsage, err: fmt.Errorf("%s%s: cannot listen there: %w", envPrefix, name, err)}
}

// openError is the exit for parts that could not be put together.
func openError(c *config, err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return storeError(c.StorePath, err)
}

// once makes a single run, or has the worker that holds the store make it.
func (r *runCommand) once(ctx context.Context, a *app) error {
	c, log, err := a.config(toRunOnce)
	if err != nil {
		return err
	}
	var summary connector.Summary
	parts, err := c.assemble(log)
	switch {
	case errors.Is(err, store.ErrLocked):
		err = c.askWorker(ctx, log, connector.SweepRequest{Full: r.Full, Wait: true, Patience: r.Patience.String()}, &summary)
		if err != nil {
			return err
		}
	case err != nil:
		return openError(c, err)
	default:
		if summary, err = runHere(ctx, c, log, parts, connector.OnceOptions{Full: r.Full, Patience: r.Patience}); err != nil {
			return err
		}
	}
	if err := a.printSummary(summary, r.JSON); err != nil {
		return err
	}
	if summary.Exit != connector.ExitOK {
		return &exitError{code: summary.Exit}
	}
	return nil
}

func runHere(ctx context.Context, c *config, log *slog.Logger, parts *assembly, o connector.OnceOptions) (connector.Summary, error) {
	defer owner{Command: "run --once"}.announce(c.StorePath, log)()
	worker, err := c.connector(parts, log, nil)
	if err != nil {
		return connector.Summary{}, errors.Join(err, parts.close())
	}
	summary, err := worker.Once(ctx, o)
	if err != nil {
		log.Error("run ended early", "error", err)
	}
	return summary, parts.close()
}

// askWorker has the worker that holds the store make a run or a plan.
func (c *config) askWorker(ctx context.Context, log *slog.Logger, req connector.SweepRequest, out any) error {
	r, err := holder(c, log)
	if err != nil {
		return err
	}
	req.Store, req.Settings = store.CanonicalPath(c.StorePath), c.digests
	log.Info("a worker holds the store, asking it", "address", r.base)
	if err := r.ask(ctx, "POST", "/api/v1/sweep", req, out); err != nil {
		return locked(c.StorePath, err)
	}
	return nil
}
