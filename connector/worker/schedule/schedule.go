// Package schedule says what is looked at next. It claims marks of the due set, so that one look at
// a publication is made at a time. Urgent classes go first, turns keep one class from starving
// another, and figures go first during a backlog.
//
// Claims are kept in memory alone: a mark stays in the store until its look is settled. No method
// calls the store with a mutex held. A claim is therefore made in three steps: the due set is read,
// the mark is claimed unless another goroutine was faster, and the mark is read again, since a look
// that has ended meanwhile may have settled it.
package schedule

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/store"
)

// A Store is the due set as far as a Schedule asks and tells it.
type Store interface {
	Get(ctx context.Context, id string) (store.Entry, error)
	Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error)
	Change(ctx context.Context, ids []string, change func(*store.Entry) bool) (int, error)
}

// Options are what a Schedule is made from.
type Options struct {
	Store     Store
	Market    *marketplace.Reader
	Hints     *quota.Share    // bounds the points of the looks that unsigned webhooks lead to
	Gaps      *quota.Gaps     // how soon webhooks may lead to another look
	Due       *breaker.Signal // raised whenever a mark may have become free
	HintSpent func()          // is called when a look of an unsigned webhook has ended
	Scarce    func() bool     // whether every change counts as a backlog; nil: it does not
}

// A Schedule says what is next.
type Schedule struct {
	o         Options
	claims    claims
	turns     atomic.Uint64
	rulesWait atomic.Bool
	idle      *breaker.Signal // raised whenever a look has ended
}

// New makes a Schedule. Nothing is claimed.
func New(o Options) *Schedule {
	return &Schedule{o: o, claims: claims{of: map[string]store.Class{}}, idle: breaker.NewSignal()}
}

// Begin records that content is about to be read for a mark: the gap between the looks that
// webhooks lead to counts from here.
func (s *Schedule) Begin(m store.Mark, now time.Time) { s.o.Gaps.Begin(m, now) }

// Spent records the points that a reading for a mark has cost, whether it succeeded or not.
func (s *Schedule) Spent(m store.Mark, points float64, now time.Time) {
	if m.Class == store.ClassHint {
		s.o.Hints.Spend(points, s.o.Market.Budget().RestoreRate, now)
	}
}

// Idle is raised whenever a look has ended.
func (s *Schedule) Idle() *breaker.Signal { return s.idle }

// Backlogged reports whether more changes are due than the points pay for soon.
func (s *Schedule) Backlogged() bool { return s.claims.backlogged() }

// Busy is the number of publications that are being looked at.
func (s *Schedule) Busy() int { return s.claims.len() }

// BusyWith reports whether which holds for a publication that is being looked at.
func (s *Schedule) BusyWith(which func(id string, class store.Class) bool) bool {
	for id, class := range s.claims.all() {
		if which(id, class) {
			return true
		}
	}
	return false
}

// Classes are those that are looked at now.
func (s *Schedule) Classes(now time.Time) store.ClassSet { return s.open(Any, now) }

// HoldRules keeps prices by changed rules from being made until [Schedule.LetRules]. The supplier's
// own changes are read first, so that the brake judges both together.
func (s *Schedule) HoldRules() { s.rulesWait.Store(true) }

// LetRules ends HoldRules.
func (s *Schedule) LetRules() {
	s.rulesWait.Store(false)
	s.o.Due.Raise()
}
