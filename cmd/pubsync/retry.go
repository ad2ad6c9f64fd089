package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/store"
)

type retryCommand struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"The publications' ids."`
	Failed bool     `help:"All that are rejected, blocked, pending or partly refused."`
	Reset  bool     `help:"Give the texts that you edited back to the supplier."`
}

func (r *retryCommand) Run(ctx context.Context, a *app) error {
	if (len(r.IDs) == 0) != r.Failed {
		return usage("retry takes ids, or --failed")
	}
	if r.Reset && r.Failed {
		return usage("--reset goes with ids")
	}
	query := ""
	if r.Reset {
		query = "?reset=true"
	}
	return a.change(ctx, r.IDs, change{
		word: "due", one: func(s *store.Store, id string) error { return connector.Retry(s, id, r.Reset) }, path: "/retry" + query,
		all: connector.RetryFailed, allPath: "/api/v1/retry-failed",
	})
}

type approveCommand struct {
	IDs []string `arg:"" optional:"" name:"id" help:"The publications' ids."`
	All bool     `help:"Everything that is held."`
}

func (r *approveCommand) Run(ctx context.Context, a *app) error {
	if (len(r.IDs) == 0) != r.All {
		return usage("approve takes ids, or --all")
	}
	return a.change(ctx, r.IDs, change{
		word: "approved", one: connector.Approve, path: "/approve", all: connector.ApproveAll, allPath: "/api/v1/approve-all",
	})
}

// A change is what retry and approve do to one publication or to all that it concerns, here or through the worker.
type change struct {
	word    string
	one     func(*store.Store, string) error
	path    string
	all     func(*store.Store) (int, error)
	allPath string
}

// change makes it for the ids given, or without any for all. What can be done is done; the ids that are unknown are named.
func (a *app) change(ctx context.Context, ids []string, ch change) error {
	c, log, err := a.config(toLook)
	if err != nil {
		return err
	}
	n := 0
	each := func(do func(id string) error) error {
		var faults []error
		for _, id := range ids {
			switch err := do(id); {
			case errors.Is(err, connector.ErrUnknown):
				faults = append(faults, fmt.Errorf("%s: %w", plain(id), err))
			case err != nil:
				return err
			default:
				n++
			}
		}
		return errors.Join(faults...)
	}
	err = c.with(log, true, func(s *store.Store) (err error) {
		if len(ids) == 0 {
			n, err = ch.all(s)
			return err
		}
		return each(func(id string) error { return ch.one(s, id) })
	}, func(r *remote) error {
		if len(ids) == 0 {
			var answer struct{ Count int }
			err := r.ask(ctx, "POST", ch.allPath, nil, &answer)
			n = answer.Count
			return err
		}
		return each(func(id string) error { return r.ask(ctx, "POST", publicationPath(id, ch.path), nil, nil) })
	})
	if err == nil || n > 0 {
		fmt.Fprintf(a.stdout, "%d %s\n", n, ch.word)
	}
	return err
}
