package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

type rebuildCommand struct{}

// Run rebuilds the id mappings of an empty store from what the shop says that it holds as ours.
func (*rebuildCommand) Run(ctx context.Context, a *app) error {
	c, log, err := a.config(toRebuild)
	if err != nil {
		return err
	}
	var answer struct{ Count int }
	err = c.with(log, true, func(s *store.Store) (err error) {
		shop, err := c.openShop(log)
		if err != nil {
			return err
		}
		lister, ok := shop.(shopadapter.Lister)
		if !ok {
			err = usage("the adapter %s cannot list what it made: an empty store is filled by the next run instead", c.ShopAdapter)
		} else {
			answer.Count, err = connector.Rebuild(ctx, s, lister)
		}
		if closer, ok := shop.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
		return err
	}, func(r *remote) error { return r.ask(ctx, "POST", "/api/v1/rebuild", nil, &answer) })
	var shop *connector.ShopError
	switch {
	case errors.As(err, &shop):
		return &exitError{code: connector.ExitShop, err: err}
	case errors.Is(err, connector.ErrNotEmpty):
		return &exitError{code: connector.ExitUsage, err: err}
	case errors.Is(err, syscall.ENOSPC):
		return &exitError{code: connector.ExitStore, err: fmt.Errorf("%w: make room and run it again, it goes on where it stopped", err)}
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%d listings taken over\n", answer.Count)
	return err
}
