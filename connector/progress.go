package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/run"
)

const (
	progressEvery = 30 * time.Second // between two records of a worker's progress
	manyDue       = 50               // fewer publications than these are done before anybody asks
)

// tellProgress logs how far the worker has come with many publications, an import say, until ctx
// ends.
func (c *Connector) tellProgress(ctx context.Context) {
	run.Watch(ctx, progressEvery, c.o.Store, c.worker, func(p desk.Progress) {
		if p.Due < manyDue || p.Left == 0 {
			return
		}
		c.o.Logger.Info("work under way", "done", p.Done, "due", p.Due, "per_minute", int(p.PerMinute+.5), "left",
			desk.Span(p.Left))
	})
}
