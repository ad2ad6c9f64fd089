package schedule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A hookedStore calls a test before each call of the store, and after marks were read that are due.
type hookedStore struct {
	store.Store
	before   func(method string)
	afterDue func()
}

func (s *hookedStore) call(method string) {
	if s.before != nil {
		s.before(method)
	}
}

func (s *hookedStore) Get(ctx context.Context, id string) (store.Entry, error) {
	s.call("Get")
	return s.Store.Get(ctx, id)
}

func (s *hookedStore) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	s.call("Due")
	due, next, err = s.Store.Due(ctx, q)
	if s.afterDue != nil && len(due) > 0 {
		s.afterDue()
	}
	return due, next, err
}

func (s *hookedStore) Reschedule(ctx context.Context, d store.Rescheduling) error {
	s.call("Reschedule")
	return s.Store.Reschedule(ctx, d)
}

// newSchedule is a schedule over an empty store. Every change counts as a backlog.
func newSchedule(t *testing.T) (*Schedule, *hookedStore) {
	t.Helper()
	file, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &hookedStore{Store: file}
	return New(Options{
		Store: s, Hints: &quota.Share{}, Gaps: quota.NewGaps(), Due: breaker.NewSignal(), HintSpent: func() {},
		Scarce: func() bool { return true },
	}), s
}

// mark makes publications due in a class.
func (s *hookedStore) mark(t *testing.T, class store.Class, cause store.Cause, ids ...string) {
	t.Helper()
	for _, id := range ids {
		m := store.Mark{ID: id, Class: class, Cause: cause, At: store.At(time.Now().Add(-time.Second))}
		if err := s.Mark(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// settle ends the look of a claim in the store: nothing is due of it any more.
func (s *hookedStore) settle(t *testing.T, m store.Mark) {
	t.Helper()
	end := store.Settlement{Record: store.Record{ID: m.ID, State: store.StateLive}, Gen: m.Gen}
	if _, err := s.Settle(t.Context(), end); err != nil {
		t.Error(err)
	}
}

// next claims what is next in a queue, "" for nothing.
func next(t *testing.T, s *Schedule, q Queue) (c Claim, id string) {
	t.Helper()
	c, _, ok, err := s.Next(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return c, ""
	}
	return c, c.Mark.ID
}

// Whatever a schedule is asked, it calls the store without a mutex.
func TestTheStoreIsCalledWithoutAMutex(t *testing.T) {
	s, file := newSchedule(t)
	called := map[string]bool{}
	file.before = func(method string) {
		called[method] = true
		for name, mu := range map[string]*sync.Mutex{"claims": &s.claims.mu, "remainders": &s.remainders.mu} {
			if !mu.TryLock() {
				t.Errorf("%s: got the mutex of %s held, want it free", method, name)
				continue
			}
			mu.Unlock()
		}
		// these would wait for ever for a mutex that is held
		s.o.Hints.Overdrawn(time.Now())
		s.o.Gaps.Len()
	}
	file.mark(t, store.ClassSweep, store.CauseSeen, "p1", "p2", "p3")
	file.mark(t, store.ClassHook, store.CauseSigned, "p4")
	file.mark(t, store.ClassHint, store.CauseUnsigned, "p5")
	free := func(string) bool { return true }
	fits := func(m store.Mark, _ store.Record) bool { return m.ID != "p3" }

	first, _ := next(t, s, Any) // p4
	s.Begin(first.Mark, time.Now())
	file.mark(t, store.ClassAsked, store.CauseAsked, "p6")
	first.at = time.Now().Add(-time.Minute)
	urgent, ok := s.Overtaking(t.Context(), first)
	if !ok {
		t.Fatal("got nothing more urgent, want a mark")
	}
	s.End(t.Context(), first)
	file.settle(t, urgent.Mark)
	s.End(t.Context(), urgent)
	change, _ := next(t, s, Any) // p1: p4 is put off, since webhooks came too close together
	if !s.BeginFigures(t.Context(), time.Now()) {
		t.Fatal("got no backlog, want one")
	}
	others := s.Join(t.Context(), change, 9, free, fits)
	s.PersonWaits(t.Context(), others)
	s.GiveBack(t.Context(), append(others, change))
	s.EndFigures(t.Context())
	for range 2 * TurnEvery { // each queue has its turn
		if c, id := next(t, s, Any); id != "" {
			file.settle(t, c.Mark)
			s.End(t.Context(), c)
		}
	}
	for _, method := range []string{"Get", "Due", "Reschedule"} {
		if !called[method] {
			t.Errorf("got no call of %s, want some", method)
		}
	}
}

// A look may begin and end between the reading of the due set and the claim: what it has settled is
// not claimed once more.
func TestAMarkThatWasSettledMeanwhileIsNotClaimed(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(*testing.T, *hookedStore, store.Mark)
		want string
	}{
		{"settled", func(t *testing.T, s *hookedStore, m store.Mark) { s.settle(t, m) }, ""},
		{"put off", func(t *testing.T, s *hookedStore, m store.Mark) {
			d := store.Rescheduling{ID: m.ID, Gen: m.Gen, At: store.At(time.Now().Add(time.Hour))}
			if err := s.Reschedule(t.Context(), d); err != nil {
				t.Error(err)
			}
		}, ""},
		{"marked again", func(t *testing.T, s *hookedStore, _ store.Mark) {
			s.mark(t, store.ClassHook, store.CauseSigned, "p1")
		}, "p1"},
		{"left as it is", func(*testing.T, *hookedStore, store.Mark) {}, "p1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, file := newSchedule(t)
			file.mark(t, store.ClassNew, store.CauseRead, "p1")
			file.afterDue = sync.OnceFunc(func() {
				file.afterDue = nil
				other, _ := next(t, s, Any)
				row.end(t, file, other.Mark)
				s.End(t.Context(), other)
			})
			c, got := next(t, s, Any)
			if got != row.want {
				t.Fatalf("claimed %q, want %q", got, row.want)
			}
			if row.want == "" {
				return
			}
			e, err := file.Store.Get(t.Context(), "p1")
			if err != nil {
				t.Fatal(err)
			}
			if c.Mark != *e.Mark {
				t.Errorf("claimed as %+v, want %+v", c.Mark, *e.Mark)
			}
		})
	}
}

// Many workers look at each publication once, and at no time two at one.
func TestWorkersShareTheDueSet(t *testing.T) {
	s, file := newSchedule(t)
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprintf("p%03d", i))
	}
	file.mark(t, store.ClassNew, store.CauseRead, want...)
	var mu sync.Mutex
	looks, working := map[string]int{}, map[string]bool{}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for {
				c, id := next(t, s, Any)
				if id == "" {
					return
				}
				mu.Lock()
				if working[id] {
					t.Errorf("got two looks at %s at once, want one", id)
				}
				working[id] = true
				looks[id]++
				mu.Unlock()
				file.settle(t, c.Mark)
				mu.Lock()
				working[id] = false
				mu.Unlock()
				s.End(t.Context(), c)
			}
		})
	}
	workers.Wait()
	for _, id := range want {
		if looks[id] != 1 {
			t.Errorf("%d looks at %s, want 1", looks[id], id)
		}
	}
	if n := s.Busy(); n != 0 {
		t.Errorf("%d are busy at the end, want none", n)
	}
}

// The looks that unsigned webhooks pay for are made one at a time, though two workers find their
// budget open.
func TestOneHintAtATime(t *testing.T) {
	s, file := newSchedule(t)
	file.mark(t, store.ClassHint, store.CauseUnsigned, "p2")
	var other Claim
	var faster string
	file.afterDue = sync.OnceFunc(func() { // the slower worker has read p2
		file.afterDue = nil
		file.mark(t, store.ClassHint, store.CauseUnsigned, "p1")
		s.claims.add(store.Mark{ID: "p2"}, func() bool { return true })
		other, faster = next(t, s, Any)
		s.claims.remove("p2")
	})
	_, got := next(t, s, Any)
	if faster != "p1" {
		t.Errorf("the faster worker claimed %q, want p1", faster)
	}
	if got != "" {
		t.Errorf("the slower worker claimed %q, want nothing", got)
	}
	file.settle(t, other.Mark)
	s.End(t.Context(), other)
	if _, got := next(t, s, Any); got != "p2" {
		t.Errorf("claimed %q after that, want p2", got)
	}
}

// What a batch joins is due in the same class, free and fit; the rest of it stays due.
func TestJoin(t *testing.T) {
	s, file := newSchedule(t)
	file.mark(t, store.ClassSweep, store.CauseSeen, "p1", "busy", "reported", "unfit", "p2", "p3", "p4")
	file.mark(t, store.ClassNew, store.CauseRead, "new")
	s.claims.add(store.Mark{ID: "busy", Class: store.ClassSweep}, func() bool { return true })
	s.claims.add(store.Mark{ID: "new", Class: store.ClassNew}, func() bool { return true })
	first, id := next(t, s, Any)
	if id != "p1" {
		t.Fatalf("claimed %q, want p1", id)
	}
	free := func(id string) bool { return id != "reported" }
	fits := func(m store.Mark, _ store.Record) bool { return m.ID != "unfit" }
	var got []string
	for _, c := range s.Join(t.Context(), first, 5, free, fits) {
		got = append(got, c.Mark.ID)
	}
	slices.Sort(got)
	if want := []string{"p2", "p3", "p4"}; !slices.Equal(got, want) {
		t.Errorf("joined %q, want %q", got, want)
	}
	if n := s.Busy(); n != 6 {
		t.Errorf("%d are busy, want p1, busy, new and the three that joined", n)
	}
}

// No other stands before what somebody waits for, and a hint pays for itself alone.
func TestWhatIsLookedAtAlone(t *testing.T) {
	all := func(string) bool { return true }
	fits := func(store.Mark, store.Record) bool { return true }
	for _, row := range []struct {
		name  string
		class store.Class
		cause store.Cause
		queue Queue
	}{
		{"somebody waits for it", store.ClassHook, store.CauseSeen, Urgent},
		{"a hint", store.ClassHint, store.CauseUnsigned, Any},
	} {
		s, file := newSchedule(t)
		file.mark(t, row.class, row.cause, "p1", "p2")
		first, _ := next(t, s, row.queue)
		if got := s.Join(t.Context(), first, 9, all, fits); len(got) != 0 {
			t.Errorf("%s: %d join it, want none", row.name, len(got))
		}
	}
}

// A claim is overtaken by what has become more urgent while its points were long in coming.
func TestOvertaking(t *testing.T) {
	for _, row := range []struct {
		name  string
		class store.Class
		took  time.Duration
		want  bool
	}{
		{"more urgent, and long in coming", store.ClassHook, time.Second, true},
		{"more urgent, and at once", store.ClassHook, 0, false},
		{"as urgent", store.ClassNew, time.Second, false},
		{"less urgent", store.ClassSweep, time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) { // the time between a claim and the question is what took says
			s, file := newSchedule(t)
			file.mark(t, store.ClassNew, store.CauseRead, "p1")
			c, _ := next(t, s, Any)
			c.at = time.Now().Add(-row.took)
			file.mark(t, row.class, store.CauseRead, "p2")
			urgent, got := s.Overtaking(t.Context(), c)
			if got != row.want {
				t.Errorf("%s: overtaken %t, want %t", row.name, got, row.want)
			}
			if got && urgent.Mark.ID != "p2" {
				t.Errorf("%s: overtaken by %q, want p2", row.name, urgent.Mark.ID)
			}
		})
	}
}

// Prices by other rules wait until they are let.
func TestRulesAreHeld(t *testing.T) {
	s, file := newSchedule(t)
	file.mark(t, store.ClassRules, store.CauseRules, "p1")
	s.HoldRules()
	for _, q := range []Queue{Any, Urgent, Rules} {
		if _, got := next(t, s, q); got != "" {
			t.Errorf("queue %d while rules are held: got %q claimed, want none", q, got)
		}
	}
	s.LetRules()
	if _, got := next(t, s, Rules); got != "p1" {
		t.Errorf("claimed %q, want p1", got)
	}
}
