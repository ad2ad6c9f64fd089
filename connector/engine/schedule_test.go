package engine

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Schedules are in UTC wherever the worker stands: the nights on which the clocks of Amsterdam
// change are as long as any other, and no sweep of them is left out or made twice.
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
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(change.Truncate(24 * time.Hour).Add(-15 * time.Hour)))
					var asked, promised []string
					x := New(Options{Concurrency: 1})
					note := func(into *[]string, at time.Time) {
						if text := at.UTC().Format("15:04"); at.UTC().YearDay() == change.YearDay() &&
							!slices.Contains(*into, text) {
							*into = append(*into, text)
						}
					}
					x.follow("acme", every(t, tt.spec), nil)
					for range 48 * 60 {
						note(&promised, x.Next(false))
						if x.sweepIn(false) <= 0 {
							note(&asked, time.Now().Add(-time.Minute))
							x.changes.asked = false
						}
						time.Sleep(time.Minute)
					}
					if !slices.Equal(asked, tt.want) || !slices.Equal(promised, tt.want) {
						t.Errorf("asked at %v, promised %v, want %v", asked, promised, tt.want)
					}
				})
			})
		}
	}
}
