package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/desk"
)

// Sweeps are asked for by schedules in UTC, shifted by an offset that is the account's own: else every installation in
// the world would list on the same second.

// A sweeps is one kind of sweep: when it is to be made next, and how the last one ended.
type sweeps struct {
	turn chan struct{} // holds a token while one is under way, or what an enumeration found is judged
	last atomic.Pointer[desk.LastSweep]

	// guarded by the engine's mutex
	asked, hinted bool          // hinted: by an unsigned webhook
	schedule      cron.Schedule // nil: there is none, or no worker runs
	next          time.Time     // by the schedule; zero: none
}

// sweepIn is how long until a sweep is to be made, at most Idle.
func (x *Engine) sweepIn(full bool) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, now, wait := x.of(full), time.Now(), Idle
	if s.tick(now); s.asked {
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

// tick asks for a sweep where the schedule says so. The clock may have been set back since. The caller holds the mutex.
func (s *sweeps) tick(now time.Time) {
	if s.schedule == nil {
		return
	}
	if !s.next.IsZero() && !now.Before(s.next) {
		s.asked, s.next = true, time.Time{}
	}
	if next := s.schedule.Next(now.UTC()); s.next.IsZero() || next.Before(s.next) {
		s.next = next
	}
}

// follow has the sweeps asked for by schedules, each of which may be nil.
func (x *Engine) follow(account string, incremental, full cron.Schedule) {
	begun := time.Now().UTC().Truncate(time.Second)
	for s, schedule := range map[*sweeps]cron.Schedule{&x.changes: incremental, &x.whole: full} {
		if schedule != nil {
			x.locked(func() {
				s.schedule = shifted{schedule, offset(account, interval(schedule, epoch)), begun}
				s.tick(begun)
			})
		}
	}
}

// Next is when the schedule asks for the next sweep, zero for never.
func (x *Engine) Next(full bool) time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.of(full)
	if now := time.Now(); s.schedule != nil && !s.next.After(now) { // the one of this time is still to be made
		return s.schedule.Next(now.UTC())
	}
	return s.next
}

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

// epoch is the moment from which the interval of a schedule counts that decides its offset: a Monday.
var epoch = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// offset is an account's own offset, in whole milliseconds.
func offset(account string, interval time.Duration) time.Duration {
	sum := sha256.Sum256([]byte("schedule\x00" + account))
	share := float64(binary.BigEndian.Uint32(sum[:])) / (1 << 32)
	return time.Duration(share * float64(min(maxOffset, interval/10))).Truncate(time.Millisecond)
}

// interval is the time between the next two times of a schedule after a moment; 0: it has none.
func interval(s cron.Schedule, after time.Time) time.Duration {
	first := s.Next(after)
	second := s.Next(first)
	if first.IsZero() || second.IsZero() {
		return 0
	}
	return second.Sub(first)
}

// overdue reports whether the interval of a schedule has passed since an enumeration. A run may be early by a
// minute, or by a tenth of the interval where that is less: runs of cron are never exactly an hour apart.
func overdue(schedule cron.Schedule, done, now time.Time) bool {
	interval, age := interval(schedule, done), now.Sub(done)
	early := min(maxOffset, interval/10)
	return interval > 0 && (age < 0 || age >= interval-early) // age < 0: the clock was set back since
}
