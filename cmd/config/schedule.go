package config

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// A schedule is a cron expression.
type schedule struct{ cron.Schedule }

// EnvDecode reads the setting. The library panics on some malformed time zones, accepts dates that
// never come, and reads every @every below a second as one second.
func (s *schedule) EnvDecode(_ context.Context, value string) (err error) {
	bad := errors.New("is not a cron expression such as */5 * * * * or @every 5m")
	defer func() {
		if recover() != nil {
			err = bad
		}
	}()
	if s.Schedule, err = cron.ParseStandard(value); err != nil {
		return bad
	}
	if every, ok := strings.CutPrefix(value, "@every "); ok {
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err != nil || d < time.Second {
			return errors.New("is more often than once a second")
		}
	}
	if s.Next(time.Now().UTC()).IsZero() {
		return errors.New("never comes")
	}
	return nil
}
