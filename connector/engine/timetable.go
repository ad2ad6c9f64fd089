package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/store"
)

// A timetable asks for sweeps by their schedules in UTC, shifted by an offset that is the account's own: else
// every installation in the world would list on the same second. Until the store knows the account, the
// offset is made of the marketplace's address and the token.
type timetable struct {
	crons   *cron.Cron
	entries map[bool]cron.EntryID // false: of the incremental sweep, true: of the enumeration
}

// newTimetable makes the timetable of an account. Once it runs it calls ask(false) by the schedule of the
// incremental sweeps, and ask(true) by that of the enumerations. Either schedule may be nil.
func newTimetable(log *slog.Logger, account string, incremental, full cron.Schedule, ask func(full bool)) *timetable {
	l := cronLog{log}
	t := &timetable{
		// SkipIfStillRunning comes before Recover: a panic that passes it would keep the job's token for ever.
		crons: cron.New(
			cron.WithLocation(time.UTC), cron.WithLogger(l),
			cron.WithChain(cron.SkipIfStillRunning(l), cron.Recover(l)),
		),
		entries: map[bool]cron.EntryID{},
	}
	begun := time.Now().UTC().Truncate(time.Second)
	for full, schedule := range map[bool]cron.Schedule{false: incremental, true: full} {
		if schedule != nil {
			t.entries[full] = t.crons.Schedule(shift(schedule, account, begun), cron.FuncJob(func() { ask(full) }))
		}
	}
	return t
}

// next is when the schedule asks for the next incremental sweep, or with full for the next enumeration. It is
// zero without a schedule, and before the cron runs.
func (t *timetable) next(full bool) time.Time {
	if t == nil || t.entries[full] == 0 {
		return time.Time{}
	}
	return t.crons.Entry(t.entries[full]).Next
}

// shift is a schedule with an account's offset. A constant delay is counted from the moment at which the
// timetable was made.
func shift(s cron.Schedule, account string, begun time.Time) cron.Schedule {
	by := offset(account, interval(s))
	if c, ok := s.(cron.ConstantDelaySchedule); ok {
		return regular{from: begun.Add(by), every: c.Delay}
	}
	return shifted{s, by}
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

// A shifted schedule is another one, later by a fixed time.
type shifted struct {
	cron.Schedule
	by time.Duration
}

func (s shifted) Next(t time.Time) time.Time {
	next := s.Schedule.Next(t.Add(-s.by))
	if next.IsZero() {
		return next
	}
	return next.Add(s.by)
}

// A regular schedule has a constant delay, counted from a moment.
type regular struct {
	from  time.Time
	every time.Duration
}

func (r regular) Next(t time.Time) time.Time {
	if t.Before(r.from) {
		return r.from.Add(r.every)
	}
	since := t.Sub(r.from)
	return t.Add(r.every - since%r.every)
}

// A cronLog logs for cron: all but errors at debug level.
type cronLog struct{ log *slog.Logger }

func (l cronLog) Info(msg string, kv ...any) { l.log.Debug("schedule", append(kv, "what", msg)...) }

func (l cronLog) Error(err error, msg string, kv ...any) {
	l.log.Error("schedule failed", append(kv, "error", err, "what", msg)...)
}

func (x *Engine) setTimetable(ctx context.Context) error {
	account, err := store.Account(ctx, x.Store)
	if err == nil {
		x.times.Store(newTimetable(x.Logger, cmp.Or(account, x.Install), x.Sweep, x.Resync, x.AskFor))
	}
	return err
}

// Next is when the schedule asks for the next incremental sweep, and with full for the next enumeration; zero
// where it asks for none.
func (l *lister) Next(full bool) time.Time { return l.times.Load().next(full) }

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
