package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Kind is one of the sweeps of the import list. A sweep reads only identifiers, updatedAt and status,
// and marks what is to be looked at.
type Kind int

// The kinds, in the order in which they are made.
const (
	Changes Kind = iota // what changed since the last one
	Whole               // the whole list, which finds what is gone
	Hinted              // as Changes, for an unsigned webhook that named nothing known: when its budget allows
	kinds
)

// A lister makes sweeps, one of a kind at a time.
type lister struct {
	asked *Signal // raised when a sweep is asked for
	// hold a token while a sweep of what changed, an enumeration or the judging of what it found, and the
	// readying of the store are under way
	sweeping, enumerating, taking chan struct{}

	waiting atomic.Int32 // sweeps of what changed that wait for another
	follows following
	absent  atomic.Int64 // removals found, and the brake has judged so many of them
	judged  atomic.Int64
	removal *Signal // raised when it has

	tasksMu sync.Mutex
	tasks   [kinds]task
	last    [2]desk.LastSweep // the last incremental sweep, and the last enumeration
}

// A task is a sweep that is asked for, by a person or by its schedule. No other sweep waits for one that failed
// and is to be attempted again.
type task struct {
	asked    bool
	attempts int           // that failed
	at       time.Time     // of the next attempt; zero: now
	schedule cron.Schedule // nil: there is none, or no worker runs
	next     time.Time     // by the schedule; zero: none
}

func newLister() *lister {
	l := &lister{
		asked: NewSignal(), removal: NewSignal(), sweeping: make(chan struct{}, 1),
		enumerating: make(chan struct{}, 1), taking: make(chan struct{}, 1),
	}
	l.absent.Store(1) // an earlier process may have left some
	return l
}

func (l *lister) tasked(f func(tasks *[kinds]task)) {
	l.tasksMu.Lock()
	defer l.tasksMu.Unlock()
	f(&l.tasks)
}

// Ask has a sweep made. Asking twice before it begins is asking once.
func (l *lister) Ask(kind Kind) {
	l.tasked(func(tasks *[kinds]task) { tasks[kind].asked, tasks[kind].at = true, time.Time{} })
	l.asked.Raise()
}

// AskFor has an incremental sweep made, or with full an enumeration.
func (l *lister) AskFor(full bool) { l.Ask(map[bool]Kind{false: Changes, true: Whole}[full]) }

// nextTask is the sweep of some kinds to be made now. Where there is none, wait is how long until one may
// be, at most Idle; hints is how long the budget of unsigned webhooks is shut.
func (l *lister) nextTask(now time.Time, hints time.Duration, of ...Kind) (kind Kind, wait time.Duration, ok bool) {
	l.tasksMu.Lock()
	defer l.tasksMu.Unlock()
	wait = Idle
	for _, kind := range of {
		t := &l.tasks[kind]
		if t.tick(now); !t.next.IsZero() {
			wait = min(wait, t.next.Sub(now))
		}
		later := t.at.Sub(now)
		if kind == Hinted {
			later = max(later, hints)
		}
		if t.asked && later <= 0 {
			return kind, 0, true
		} else if t.asked {
			wait = min(wait, later)
		}
	}
	return 0, wait, false
}

// beginTask removes a sweep that is about to be made, and returns its failed attempts. Asking for it from
// then on leads to another.
func (l *lister) beginTask(kind Kind) (attempts int) {
	l.tasked(func(tasks *[kinds]task) {
		attempts, tasks[kind].asked = tasks[kind].attempts, false
		if kind == Changes {
			tasks[Hinted] = task{} // the sweep finds what the hint was about
		}
	})
	return attempts
}

// lastSweeps is the last sweep of each kind.
func (l *lister) lastSweeps() (incremental, full desk.LastSweep) {
	l.tasked(func(*[kinds]task) { incremental, full = l.last[0], l.last[1] })
	return incremental, full
}

// A listed is what one sweep has listed, or several sweeps of one run.
type listed struct {
	ids      map[string]struct{} // each entry once
	pages    int
	undated  int // entries without an updatedAt
	nameless int // entries without an id
	overlong int // entries that are too long to be kept
	entries  atomic.Int64
	variants bool // the changed product variants were listed
}

func newListed() *listed { return &listed{ids: map[string]struct{}{}} }

// count is the number of entries that were listed, each counted once. It may be called while the list is
// read: a person is told how far it has come.
func (l *listed) count() int { return int(l.entries.Load()) }

// passed is the number of entries that are passed over.
func (l *listed) passed() int { return l.undated + l.nameless + l.overlong }

func (l *listed) add(p marketplace.Page, overlong int) {
	l.pages, l.overlong = l.pages+1, l.overlong+overlong
	for _, e := range p.Entries {
		l.ids[e.ID] = struct{}{}
	}
	l.entries.Store(int64(len(l.ids)))
	l.undated += len(p.Undated)
	l.nameless += p.Nameless
}

// list makes the sweeps that are asked for, and those of the schedule, until ctx ends. Each is made again
// until it is complete. No sweep of what changed waits for an enumeration.
func (x *Engine) list(ctx context.Context) {
	var whole sync.WaitGroup
	whole.Go(func() { x.makeSweeps(ctx, Whole) })
	x.makeSweeps(ctx, Changes, Hinted)
	whole.Wait()
}

func (x *Engine) makeSweeps(ctx context.Context, of ...Kind) {
	for ctx.Err() == nil {
		asked, changed := x.asked.Raised(), x.MarketSide.Changed()
		now := time.Now()
		kind, wait, ok := x.nextTask(now, x.hints.wait(now, Idle), of...)
		if !ok {
			Sleep(ctx, wait, asked, changed)
			// a pause that began is no reason to hurry: two loops would hurry each other
			if isClosed(changed) && !x.MarketSide.Status(time.Now()).Paused {
				x.tasked(func(tasks *[kinds]task) {
					for kind := range tasks {
						tasks[kind].at = time.Time{}
					}
				})
			}
			continue
		}
		x.MarketSide.AwaitRetryAfter(ctx)
		for ctx.Err() == nil && !x.Health.storeWorks(ctx) { // the points of a list that cannot be stored are wasted
			Sleep(ctx, time.Second)
		}
		attempts := x.beginTask(kind) + 1
		var cost float64
		err := x.sweep(marketplace.Metered(ctx, &cost), kind == Whole, false, newListed())
		if kind == Hinted {
			x.hints.spend(cost, x.Market.Budget().RestoreRate, time.Now())
		}
		x.tasked(func(tasks *[kinds]task) {
			t := &tasks[kind]
			if t.attempts = 0; err == nil {
				return
			}
			if t.attempts = attempts; !t.asked {
				t.asked, t.at = true, time.Now().Add(Backoff(attempts, x.Waiters.MaxBackoff()))
			}
		})
	}
}

// wanted reports whether a sweep of what changed is to be made.
func (x *Engine) wanted() bool {
	now := time.Now()
	_, _, ok := x.nextTask(now, x.hints.wait(now, Idle), Changes, Hinted)
	return ok || x.waiting.Load() > 0
}

// sweep makes one sweep and adds what it listed to into, while no other of its kind is under way. With full it
// enumerates the whole list and finds removals; with read as well, every entry's content is read again. It tells
// log, status and gate how the sweep ended; one that was stopped is no result.
//
// A sweep of what changed goes on beside an enumeration, whose pages wait longer for points.
func (x *Engine) sweep(ctx context.Context, full, read bool, into *listed) (err error) {
	turn, list := x.sweeping, x.listChanges
	if full {
		turn, list = x.enumerating, func(ctx context.Context, into *listed) error { return x.enumerate(ctx, read, into) }
	} else {
		x.waiting.Add(1)
	}
	leave, err := enter(ctx, turn)
	if !full {
		x.waiting.Add(-1)
	}
	if err != nil {
		return err
	}
	defer leave()
	begun := time.Now()
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "sweep", Message: x.Health.Recovered(p, "full", full)}
		}
		x.swept(ctx, full, begun, into, err)
	}()
	return list(ctx, into)
}

func (x *Engine) swept(ctx context.Context, full bool, begun time.Time, into *listed, err error) {
	if n := into.passed(); n > 0 {
		x.Logger.Warn("entries of the import list were passed over", "without_id", into.nameless,
			"without_updated_at", into.undated, "too_long", into.overlong)
		x.Metrics.passedOver.Add(float64(n))
	}
	kind, result, last := "incremental", "ok", &x.last[0]
	if full {
		kind, last = "full", &x.last[1]
	}
	ofShop := errors.As(err, new(*shopError))
	if err == nil || ctx.Err() == nil {
		s := desk.LastSweep{At: begun, Listed: into.count(), Passed: into.passed(), Completed: begun, OfShop: ofShop}
		x.tasked(func(*[kinds]task) {
			if err != nil {
				s.Error, s.Completed = err.Error(), last.Completed
			}
			*last = s
		})
	}
	if err != nil {
		result = "error"
	}
	x.Metrics.sweeps.WithLabelValues(kind, result).Inc()
	x.remember(ctx, err)
	switch {
	case err == nil:
		x.Health.Mended(partSweep)
		if full {
			x.resynced.Raise()
		}
	case ctx.Err() != nil:
	case errors.As(err, new(*store.AccountError)):
		x.Health.end(err)
	case errors.As(err, new(*marketplace.Error)):
		if x.MarketSide.Told("", err) {
			x.Health.FailedAt(partSweep, "", err.Error())
		}
		if !x.MarketSide.Status(time.Now()).Paused { // else its gate has said it once
			x.Logger.Warn("sweep ended early, trying again", "error", err)
		}
	case ofShop:
		x.Health.FailedAt(partSweep, "", err.Error())
		x.Logger.Error("sweep ended early, trying again", "error", err)
	default:
		x.Health.Stored(err)
	}
}
