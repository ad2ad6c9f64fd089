package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A site is the accounts that several fleets work on, and who works on which.
type site struct {
	t  *testing.T
	mu sync.Mutex
	at map[string]string // account -> owner
	no map[string]int    // account -> how often its work was begun
}

func newSite(t *testing.T) *site { return &site{t: t, at: map[string]string{}, no: map[string]int{}} }

// work works on an account until it ends or its lease is lost.
func (s *site) work(owner string) Work {
	return func(ctx context.Context, account string, l *store.Lease) error {
		s.mu.Lock()
		if other := s.at[account]; other != "" {
			s.t.Errorf("%s is begun by %s while %s works on it", account, owner, other)
		}
		s.at[account] = owner
		s.no[account]++
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.at, account)
		}()
		select {
		case <-ctx.Done():
			return nil
		case <-l.Lost():
			return store.ErrFenced
		}
	}
}

// spread is how many accounts each owner works on.
func (s *site) spread() map[string]int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[string]int{}
	for _, owner := range s.at {
		n[owner]++
	}
	return n
}

// begun is how often the work on each account was begun.
func (s *site) begun() map[string]int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.no)
}

func (s *site) wantSpread(when string, want map[string]int) {
	s.t.Helper()
	if got := s.spread(); !maps.Equal(got, want) {
		s.t.Errorf("%s the accounts are spread as %v, want %v", when, got, want)
	}
}

func accounts(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("a%02d", i))
	}
	return all
}

// start runs a fleet of n accounts until stop is called.
func (s *site) start(owner string, leases Leases, work Work, n int) (f *Fleet, stop func()) {
	f = New(Options{
		Accounts: accounts(n), Leases: leases, Owner: owner, Work: work, Log: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	return f, func() { cancel(); <-done }
}

// Replicas that start together share the accounts. One that stops hands its own over, one that comes waits
// for such, and no account is worked on by two.
func TestReplicasShareWhatIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := newSite(t), newLeases()
		_, stopA := s.start("a", l, s.work("a"), 10)
		_, stopB := s.start("b", l, s.work("b"), 10)
		time.Sleep(3 * time.Second)
		s.wantSpread("begun together", map[string]int{"a": 5, "b": 5})
		_, stopC := s.start("c", l, s.work("c"), 10)
		time.Sleep(time.Second)
		stopB()
		time.Sleep(3 * time.Second)
		if n := s.spread(); n["a"]+n["c"] != 10 {
			t.Errorf("after one has stopped the accounts are spread as %v, want all ten", n)
		}
		before := s.begun()
		time.Sleep(time.Hour)
		if after := s.begun(); !maps.Equal(before, after) {
			t.Errorf("an hour without any event: accounts were begun %v times, then %v, want no change", before, after)
		}
		stopA()
		time.Sleep(3 * time.Second)
		s.wantSpread("with one that came later alone", map[string]int{"c": 10})
		stopC()
		s.wantSpread("at the end", map[string]int{})
	})
}

// A replica that the database does not hear ends its work before its leases end, and another one
// works on its accounts within 15 seconds.
func TestASilentReplicaIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := newSite(t), newLeases()
		cut := &link{database: l.database}
		_, stopA := s.start("a", cut, s.work("a"), 6)
		_, stopB := s.start("b", l, s.work("b"), 6)
		time.Sleep(10 * time.Second)
		s.wantSpread("before", map[string]int{"a": 3, "b": 3})
		cut.cut.Store(true)
		time.Sleep(8 * time.Second)
		s.wantSpread("before the leases of a end", map[string]int{"b": 3})
		time.Sleep(7 * time.Second)
		s.wantSpread("15s later", map[string]int{"b": 6})
		cut.cut.Store(false)
		stopB()
		time.Sleep(5 * time.Second)
		s.wantSpread("when a is back, and b has stopped", map[string]int{"a": 6})
		stopA()
	})
}

// An account that panics, fails, or is slow to end does not touch the others.
func TestAnAccountDoesNotTouchTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		well := s.work("a")
		slow := make(chan struct{})
		f, stop := s.start("a", newLeases(), func(ctx context.Context, account string, l *store.Lease) error {
			switch account {
			case "a01":
				panic("of one account")
			case "a02":
				return errors.New("a fault of one account")
			case "a03":
				<-ctx.Done()
				<-slow
				return nil
			default:
				return well(ctx, account, l)
			}
		}, 6)
		time.Sleep(3 * time.Second)
		s.wantSpread("at first", map[string]int{"a": 3})
		for name, want := range map[string]string{
			"a00": "", "a01": "panic: of one account", "a02": "a fault of one account", "a03": "",
		} {
			if got, _, _ := strings.Cut(f.Faults()[name], "\n"); got != want {
				t.Errorf("%s has the fault %q, want %q", name, got, want)
			}
		}

		close(slow)
		stop()
		s.wantSpread("at the end", map[string]int{})
	})
}
