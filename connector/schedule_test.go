package connector

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Schedules are in UTC wherever the worker stands: the nights on which the clocks of Amsterdam change are as long as any other, and no sweep of them is
// left out or made twice.
func TestSchedulesAreInUTC(t *testing.T) {
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = amsterdam
	for _, change := range []time.Time{
		time.Date(2000, time.March, 26, 1, 0, 0, 0, time.UTC), // two o'clock becomes three
		time.Date(2000, time.October, 29, 1, 0, 0, 0, time.UTC),
	} {
		for _, tt := range []struct {
			spec string
			want []string // of the day of the change
		}{
			{"30 1 * * *", []string{"01:30"}},
			{"0 */8 * * *", []string{"00:00", "08:00", "16:00"}},
			{"15,45 1-2 * * 0", []string{"01:15", "01:45", "02:15", "02:45"}},
			{"@daily", []string{"00:00"}},
			{"@every 12h", []string{"09:00", "21:00"}}, // the worker starts at nine
		} {
			t.Run(change.Format(time.DateOnly)+" "+tt.spec, func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					begin := change.Truncate(24 * time.Hour).Add(-15 * time.Hour)
					time.Sleep(time.Until(begin))
					b := newBench(t, sandbox.Options{})
					b.tune = func(o *Options) { o.Sweep = every(t, tt.spec) }
					c := b.connector()
					crons, err := c.schedule(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					crons.Start()
					got, promised := watchSchedule(t.Context(), c, crons, change)
					<-crons.Stop().Done()
					if !slices.Equal(got, tt.want) || !slices.Equal(promised, tt.want) {
						t.Errorf("swept at %v, promised %v, want %v", got, promised, tt.want)
					}
				})
			})
		}
	}
}

// watchSchedule lets two days pass and returns when, on the day given, the schedule came due, and when the status had said that it would.
func watchSchedule(ctx context.Context, c *Connector, crons *cron.Cron, day time.Time) (got, promised []string) {
	note := func(into []string, at time.Time) []string {
		at = at.UTC()
		if text := at.Format("15:04"); at.YearDay() == day.YearDay() && !slices.Contains(into, text) {
			return append(into, text)
		}
		return into
	}
	for range 48 * 12 {
		if s, err := c.Status(); err == nil && s.Sweeps.Next != nil {
			promised = note(promised, *s.Sweeps.Next)
		}
		sleep(ctx, nil, 5*time.Minute)
		got = note(got, crons.Entries()[0].Prev)
	}
	return got, promised
}
