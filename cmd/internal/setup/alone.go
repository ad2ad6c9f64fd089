package setup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

// alone does the jobs of a desk in a process without a worker. It opens shop and marketplace for
// each job.
type alone struct {
	*Setup
	log   *slog.Logger
	store store.Store
}

func (j *alone) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	parts, err := j.assembleOn(ctx, j.store, j.log)
	if err != nil {
		return desk.Summary{}, err
	}
	return RunOnce(ctx, j.Setup, j.log, parts, o)
}

// RunOnce makes a single run and closes parts.
func RunOnce(
	ctx context.Context, c *Setup, log *slog.Logger, parts *Assembly, o desk.RunOptions,
) (desk.Summary, error) {
	defer c.announce(owner{Command: "run --once"}, parts.store, log)()
	worker, err := c.connector(ctx, parts, log, nil)
	if err != nil {
		return desk.Summary{}, errors.Join(err, parts.Close())
	}
	if o.Progress == nil {
		o.Progress = logProgress(log)
	}
	summary, err := worker.Once(ctx, o)
	if store.Hopeless(err) {
		summary.Error = c.WorkError(err).Error()
	}
	c.alerter(worker.Desk(), parts.store, log).Pass(ctx, alert.OfRun(summary)...)
	return summary, parts.Close()
}

func (j *alone) Plan(ctx context.Context, o desk.RunOptions) (desk.Plan, error) {
	parts, err := j.assembleOn(ctx, j.store, j.log)
	if err != nil {
		return desk.NewPlan(), err
	}
	planner := engine.Planner{Options: j.engineOptions(parts), Patience: o.Patience, Progress: o.Progress}
	planner.Market = parts.market.Reader
	if o.Progress == nil {
		planner.Progress = logProgress(j.log)
	}
	plan, err := planner.Plan(ctx, o.Full)
	if store.Hopeless(err) {
		plan.Error = j.WorkError(err).Error()
	}
	return plan, parts.closeSides()
}

const progressEvery = 30 * time.Second

// logProgress returns a function that logs how far a run has come, every thirty seconds.
func logProgress(log *slog.Logger) func(desk.Progress) {
	last := time.Now()
	return func(p desk.Progress) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			args := []any{"listed", p.Listed, "done", p.Done, "due", p.Due, "per_minute", int(p.PerMinute + .5)}
			if p.Left > 0 {
				args = append(args, "left", desk.Span(p.Left))
			}
			log.Info("run under way", args...)
		}
	}
}
