package setup

import (
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

// progressEvery is how often the progress of a run is logged where there is no terminal.
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
