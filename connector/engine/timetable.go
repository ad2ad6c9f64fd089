package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/robfig/cron/v3"
)

// Sweeps are asked for by schedules in UTC, shifted by an offset that is the account's own: else every
// installation in the world would list on the same second. Until the store knows the account, the offset is
// made of the marketplace's address and the token.

// A shifted schedule is another one, later by an offset. A constant delay is counted from a moment.
type shifted struct {
	cron.Schedule
	by   time.Duration
	from time.Time
}

func (s shifted) Next(t time.Time) time.Time {
	if c, ok := s.Schedule.(cron.ConstantDelaySchedule); ok {
		return t.Add(c.Delay - t.Sub(s.from.Add(s.by))%c.Delay)
	}
	next := s.Schedule.Next(t.Add(-s.by))
	if next.IsZero() {
		return next
	}
	return next.Add(s.by)
}

// maxOffset bounds an offset, which is also bounded by a tenth of the interval.
const maxOffset = time.Minute

// offset is an account's own offset, in whole milliseconds.
func offset(account string, interval time.Duration) time.Duration {
	sum := sha256.Sum256([]byte("schedule\x00" + account))
	share := float64(binary.BigEndian.Uint32(sum[:])) / (1 << 32)
	return time.Duration(share * float64(min(maxOffset, interval/10))).Truncate(time.Millisecond)
}

// interval is the least time between two of the first hundred occurrences of a schedule after a fixed moment,
// and at most a day. It is the same at every call.
func interval(s cron.Schedule) time.Duration {
	if c, ok := s.(cron.ConstantDelaySchedule); ok {
		return c.Delay
	}
	least := 24 * time.Hour
	at := s.Next(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)) // a Monday of a leap year
	for range 100 {
		next := s.Next(at)
		if next.IsZero() {
			break
		}
		least, at = min(least, next.Sub(at)), next
	}
	return least
}

// follow has the sweeps asked for by schedules, each of which may be nil.
func (l *lister) follow(account string, incremental, full cron.Schedule) {
	begun := time.Now().UTC().Truncate(time.Second)
	l.tasked(func(tasks *[kinds]task) {
		for kind, schedule := range map[Kind]cron.Schedule{Changes: incremental, Whole: full} {
			if schedule != nil {
				tasks[kind].schedule = shifted{schedule, offset(account, interval(schedule)), begun}
				tasks[kind].tick(begun)
			}
		}
	})
}

// tick asks for the sweep where its schedule says so. The clock may have been set back since.
func (t *task) tick(now time.Time) {
	if t.schedule == nil {
		return
	}
	if !t.next.IsZero() && !now.Before(t.next) {
		t.asked, t.at, t.next = true, time.Time{}, time.Time{}
	}
	if next := t.schedule.Next(now.UTC()); t.next.IsZero() || next.Before(t.next) {
		t.next = next
	}
}

// Next is when the schedule asks for the next incremental sweep, and with full for the next enumeration; zero
// where it asks for none.
func (l *lister) Next(full bool) (at time.Time) {
	l.tasked(func(tasks *[kinds]task) {
		t := &tasks[Changes]
		if full {
			t = &tasks[Whole]
		}
		at = t.next
		if now := time.Now(); t.schedule != nil && !at.After(now) { // the one of this time is still to be made
			at = t.schedule.Next(now.UTC())
		}
	})
	return at
}

// resyncDue reports whether the interval of the schedule of enumerations has passed since the last complete
// one. It is false where there is no schedule.
func (x *Engine) resyncDue(ctx context.Context, now time.Time) (bool, error) {
	if x.Resync == nil {
		return false, nil
	}
	done, ok, err := x.Store.CursorOf(ctx, cursorDone)
	return err == nil && (!ok || overdue(x.Resync, done.At.Time(), now)), err
}

// overdue reports whether the interval of a schedule, which is the time between the next two times of it, has
// passed since an enumeration. A run may be early by a minute, or by a tenth of the interval where that is
// less: runs of cron are never exactly an hour apart.
func overdue(schedule cron.Schedule, done, now time.Time) bool {
	first := schedule.Next(done)
	second := schedule.Next(first)
	if first.IsZero() || second.IsZero() {
		return false
	}
	interval, age := second.Sub(first), now.Sub(done)
	return age < 0 || age >= interval-min(maxOffset, interval/10) // age < 0: the clock was set back since
}
