package main

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

type statusCommand struct{ jsonFlag }

func (s *statusCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.config(toLook)
	if err != nil {
		return err
	}
	var status connector.Status
	running := false
	err = c.with(log, false, func(st *store.Store) (err error) {
		status, err = connector.StatusOf(st)
		return err
	}, func(r *remote) error {
		running = true
		return r.ask(ctx, "GET", "/api/v1/status", nil, &status)
	})
	if err != nil {
		return err
	}
	if s.JSON {
		return a.printJSON(status)
	}
	return a.printStatus(status, running)
}

func (a *app) printStatus(s connector.Status, running bool) error {
	w := a.stdout
	if running {
		fmt.Fprintf(w, "worker      running since %s\n", ago(s.Started))
	} else {
		fmt.Fprintln(w, "worker      not running")
	}
	fmt.Fprint(w, "state      ")
	for _, state := range connector.States {
		fmt.Fprintf(w, " %s %d", state, s.Publications[string(state)])
	}
	fmt.Fprintf(w, "\nbacklog     %d due, %d reports owed\n", s.Due, s.Outbox)
	if running {
		fmt.Fprintf(w, "budget      %.0f of %.0f points, %.0f a second\n", s.Budget.Remaining, s.Budget.Limit, s.Budget.RestoreRate)
		fmt.Fprintf(w, "sweeps      last %s, last enumeration %s\n", ago(s.Sweeps.Incremental.At), ago(s.Sweeps.Full.At))
		if s.Webhook.URL != "" {
			fmt.Fprintf(w, "webhook     active %t, checked %s\n", s.Webhook.Active, ago(s.Webhook.Checked))
		}
		for name, side := range map[string]connector.Side{"shop       ": s.Shop, "marketplace": s.Marketplace} {
			if side.Paused {
				fmt.Fprintf(w, "%s paused: %s\n", name, plain(side.Reason))
			}
		}
	}
	for name, at := range s.Cursors {
		fmt.Fprintf(w, "cursor      %s, stored %s\n", name, ago(at.At))
	}
	fmt.Fprintf(w, "store       %s, %d KiB\n", s.Store.Path, s.Store.Bytes>>10)
	if s.LastError != nil {
		fmt.Fprintf(w, "last error  %s: %s\n", ago(s.LastError.At), plain(s.LastError.Message))
	}
	return nil
}
