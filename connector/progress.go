package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/run"
)

const (
	progressEvery = 5 * time.Second  // between two looks at a worker's progress
	progressLog   = 30 * time.Second // between two records of it
	manyDue       = 50               // fewer publications than these are done before anybody asks
)

// tellProgress logs how far the worker has come with many publications, an import say, until ctx
// ends, and keeps it for status.
func (c *Connector) tellProgress(ctx context.Context) {
	logged := time.Now()
	run.Watch(ctx, progressEvery, c.o.Store, c.worker, func(p desk.Progress) {
		if p.Due < manyDue || p.Left == 0 {
			c.pace.Store(nil)
			return
		}
		c.pace.Store(&desk.Pace{PerMinute: p.PerMinute, LeftSeconds: p.Left.Seconds()})
		if time.Since(logged) < progressLog {
			return
		}
		logged = time.Now()
		c.o.Logger.Info("work under way", "done", p.Done, "due", p.Due, "per_minute", int(p.PerMinute+.5), "left",
			desk.Span(p.Left))
	})
}
