package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/desk"
)

// Schedules of sweeps are in UTC, shifted by an offset of the account: else all installations would list on the same
// second.

type sweeps struct {
	turn chan struct{} // one sweep or judgement of its removals at a time
	last atomic.Pointer[desk.LastSweep]

	// guarded by the engine's mutex
	asked, hinted bool          // hinted: by an unsigned webhook
	schedule      cron.Schedule // nil: none, or no worker runs
	next          time.Time     // by the schedule; zero: none
}

// sweepIn returns how long until a sweep is wanted, at most Idle.
func (x *Engine) sweepIn(full bool) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, now, wait := x.of(full), time.Now(), Idle
	if s.schedule != nil {
		if !s.next.IsZero() && !now.Before(s.next) {
			s.asked, s.next = true, time.Time{}
		}
		if next := s.schedule.Next(now.UTC()); s.next.IsZero() || next.Before(s.next) { // the clock may have been set back
			s.next = next
		}
	}
	if s.asked {
		return 0
	}
	if s.hinted {
		wait = x.hints.wait(now, Idle)
	}
	if !s.next.IsZero() {
		wait = min(wait, s.next.Sub(now))
	}
	return wait
}

func (x *Engine) follow(account string, incremental, full cron.Schedule) {
	begun := time.Now().UTC().Truncate(time.Second)
	for s, schedule := range map[*sweeps]cron.Schedule{&x.changes: incremental, &x.whole: full} {
		if schedule != nil {
			x.locked(func() { s.schedule = shifted{schedule, offset(account, interval(schedule, epoch)), begun} })
		}
	}
}

// Next returns the time of the next scheduled sweep, zero for never.
func (x *Engine) Next(full bool) (next time.Time) {
	x.locked(func() {
		if s := x.of(full); s.schedule != nil {
			next = s.schedule.Next(time.Now().UTC())
		}
	})
	return next
}

// A shifted schedule is later by an offset. A constant delay counts from a moment.
type shifted struct {
	cron.Schedule
	by   time.Duration
	from time.Time
}

func (s shifted) Next(t time.Time) time.Time {
	if c, ok := s.Schedule.(cron.ConstantDelaySchedule); ok {
		return t.Add(c.Delay - t.Sub(s.from.Add(s.by))%c.Delay)
	}
	return s.Schedule.Next(t.Add(-s.by)).Add(s.by)
}

// maxOffset bounds an offset, as a tenth of the interval does.
const maxOffset = time.Minute

// epoch is where the interval that bounds an offset is measured: a Monday.
var epoch = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

func offset(account string, interval time.Duration) time.Duration {
	sum := sha256.Sum256([]byte("schedule\x00" + account))
	share := float64(binary.BigEndian.Uint32(sum[:])) / (1 << 32)
	return time.Duration(share * float64(min(maxOffset, interval/10))).Truncate(time.Millisecond)
}

// interval returns the time between the next two times of a schedule; 0: it has none.
func interval(s cron.Schedule, after time.Time) time.Duration {
	first := s.Next(after)
	second := s.Next(first)
	if first.IsZero() || second.IsZero() {
		return 0
	}
	return second.Sub(first)
}

// overdue reports whether a schedule's interval has passed since done. A run may be early by as much as an offset:
// runs of cron are never exactly an hour apart.
func overdue(schedule cron.Schedule, done, now time.Time) bool {
	interval, age := interval(schedule, done), now.Sub(done)
	early := min(maxOffset, interval/10)
	return interval > 0 && (age < 0 || age >= interval-early) // age < 0: the clock was set back since
}
