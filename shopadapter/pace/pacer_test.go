package pace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seed makes a pacer that has heard that remaining points are left of 1000, restored at 50 a
// second.
func seed(t *testing.T, remaining float64, headroom func(int, float64) float64) *Pacer {
	t.Helper()
	p := New(headroom)
	r := reserve(t, p, 1, 0)
	r.Settle(1, &Status{Limit: 1000, Remaining: remaining, RestoreRate: 50})
	return p
}

// none keeps no headroom.
func none(int, float64) float64 { return 0 }

func reserve(t *testing.T, p *Pacer, cost float64, priority int) *Reservation {
	t.Helper()
	r, err := p.Reserve(t.Context(), cost, priority)
	if err != nil {
		t.Fatalf("reserve %g at %d: %v", cost, priority, err)
	}
	return r
}

// waited is how long it took to reserve.
func waited(t *testing.T, p *Pacer, cost float64, priority int) time.Duration {
	t.Helper()
	start := time.Now()
	reserve(t, p, cost, priority)
	return time.Since(start).Round(time.Millisecond)
}

func remaining(p *Pacer) float64 { return math.Round(p.Snapshot().Remaining*1000) / 1000 }

func TestFirstRequestGoesOutAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(none)
		first := reserve(t, p, 1, 3)
		var granted time.Time
		go func() {
			r := reserve(t, p, 1, 0)
			granted = time.Now()
			r.Return()
		}()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if !granted.IsZero() {
			t.Fatal("a second request was granted before the first answer")
		}
		first.Settle(1, &Status{Limit: 2000, Remaining: 700, RestoreRate: 40})
		synctest.Wait()
		if granted.IsZero() {
			t.Fatal("the second request still waits after the first answer")
		}
		want := Snapshot{Limit: 2000, Remaining: 700, RestoreRate: 40}
		if diff := cmp.Diff(want, p.Snapshot()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnswersMoveTheLevel(t *testing.T) {
	for _, row := range []struct {
		name    string
		others  []float64 // reserved beside the request that is settled
		cost    float64
		actual  float64
		status  *Status
		want    float64
		forever bool
	}{
		{name: "no status refunds", cost: 300, actual: 100, want: 900},
		{name: "more than reserved is charged", cost: 100, actual: 300, want: 700},
		{name: "alone adopts lower", cost: 300, actual: 100, status: &Status{1000, 650, 50}, want: 650},
		{name: "alone adopts higher", cost: 300, actual: 300, status: &Status{1000, 950, 50}, want: 950},
		{
			name: "beside others stays in the span", others: []float64{200}, cost: 300, actual: 100,
			status: &Status{1000, 800, 50}, want: 700,
		},
		{
			name: "beside others is cut at remaining", others: []float64{200}, cost: 300, actual: 100,
			status: &Status{1000, 400, 50}, want: 400,
		},
		{
			name: "beside others is raised to what is sure", others: []float64{200}, cost: 300, actual: 300,
			status: &Status{1000, 950, 50}, want: 750,
		},
		{name: "limit and rate are adopted", cost: 1, actual: 1, status: &Status{400, 400, 20}, want: 400},
		{name: "remaining above the limit is cut", cost: 1, actual: 1, status: &Status{1000, 5000, 50}, want: 1000},
		{name: "impossible values are ignored", cost: 100, actual: 100, status: &Status{0, math.NaN(), -1}, want: 900},
		{
			name: "infinite values are ignored", cost: 100, actual: 100, status: &Status{math.Inf(1), math.Inf(1), math.Inf(1)},
			want: 900,
		},
		{name: "an actual cost that is no number counts as reserved", cost: 100, actual: math.NaN(), want: 900},
		{name: "a negative actual cost counts as reserved", cost: 100, actual: -5, want: 900},
		{name: "a negative remaining is a debt", cost: 100, actual: 100, status: &Status{1000, -50, 50}, want: 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := seed(t, 1000, none)
				for _, cost := range row.others {
					reserve(t, p, cost, 0)
				}
				reserve(t, p, row.cost, 0).Settle(row.actual, row.status)
				if got := remaining(p); got != row.want {
					t.Errorf("remaining %g, want %g", got, row.want)
				}
				if s := p.Snapshot(); !positive(s.Limit) || !positive(s.RestoreRate) {
					t.Errorf("%+v cannot be reckoned with", s)
				}
			})
		})
	}
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, none)
		type request struct {
			name     string
			cost     float64
			priority int
		}
		var mu sync.Mutex
		var order []string
		for _, r := range []request{
			{"sweep", 500, 2},
			{"small sweep", 1, 2},
			{"refresh", 1, 3},
			{"news", 300, 1},
			{"webhook", 200, 0},
			{"second webhook", 1, 0},
		} {
			go func() {
				granted := reserve(t, p, r.cost, r.priority)
				mu.Lock()
				order = append(order, r.name)
				mu.Unlock()
				granted.Settle(r.cost, nil)
			}()
			synctest.Wait() // they arrive in the order of the list
		}
		if got := p.Snapshot().Waiting; got != 6 {
			t.Errorf("%d wait, want 6", got)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		want := []string{"webhook", "second webhook", "news", "sweep", "small sweep", "refresh"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUrgentFindsItsPoints keeps a backlog going and asks with the first priority now and then: it
// must not wait at all.
func TestUrgentFindsItsPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(1000, 50, 0)
		p := New(func(priority int, limit float64) float64 {
			if priority == 0 {
				return 0
			}
			return 0.35 * limit
		})
		reserve(t, p, 1, 0).Settle(0, &Status{Limit: 1000, Remaining: 0, RestoreRate: 50})
		until := time.Now().Add(10 * time.Minute)
		ask := func(priority int) {
			r := reserve(t, p, requested, priority)
			status, ok := s.call(requested, actual, 50*time.Millisecond)
			if !ok {
				t.Error("the server refused")
			}
			r.Settle(actual, status)
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for time.Now().Before(until) {
					ask(1)
				}
			})
		}
		for time.Now().Before(until) {
			time.Sleep(30 * time.Second)
			start := time.Now()
			ask(0)
			if took := time.Since(start); took > 60*time.Millisecond {
				t.Errorf("an urgent request took %v behind a backlog", took)
			}
		}
		group.Wait()
		if share := s.used / (50 * 600); share < 0.98 {
			t.Errorf("used %.3f of the restore rate beside the headroom", share)
		}
	})
}

func TestHeadroomDoesNotKeepALargeRequestOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, func(int, float64) float64 { return 500 })
		if got, want := waited(t, p, 500, 3), 15*time.Second; got != want {
			t.Errorf("waited %v, want %v: three quarters of the bucket", got, want)
		}
		kept := seed(t, 0, func(int, float64) float64 { return 500 })
		if got, want := waited(t, kept, 1000, 3), 20*time.Second; got != want {
			t.Errorf("waited %v, want %v: the whole bucket", got, want)
		}
	})
}

func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(none)
		var large *TooLargeError
		if _, err := p.Reserve(t.Context(), 1001, 0); !errors.As(err, &large) || large.Limit != 1000 ||
			large.Cost != 1001 {
			t.Errorf("above the limit: %v", err)
		}
		first := reserve(t, p, 1, 0)
		outcome := make(chan error, 1)
		go func() {
			_, err := p.Reserve(t.Context(), 900, 0)
			outcome <- err
		}()
		synctest.Wait()
		first.Settle(1, &Status{Limit: 400, Remaining: 0, RestoreRate: 50})
		if err := <-outcome; !errors.As(err, &large) || large.Limit != 400 {
			t.Errorf("above the limit that an answer told: %v", err)
		}
		if got := waited(t, p, 100, 0); got != 2*time.Second {
			t.Errorf("the next in line waited %v, want 2s", got)
		}
	})
}

func TestCancelGivesNothingAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, none)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		outcome := make(chan error, 1)
		go func() {
			_, err := p.Reserve(ctx, 900, 0)
			outcome <- err
		}()
		synctest.Wait()
		start := time.Now()
		reserve(t, p, 50, 1) // behind the large one, which gives up after a second
		if got := time.Since(start); got != time.Second {
			t.Errorf("the next in line waited %v, want 1s", got)
		}
		if err := <-outcome; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		if s := p.Snapshot(); s.Waiting != 0 || s.Remaining > 1e-3 {
			t.Errorf("%+v after a cancelled wait", s)
		}
		if _, err := p.Reserve(ctx, 0, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an ended context was granted: %v", err)
		}
	})
}

func TestThrottled(t *testing.T) {
	for _, row := range []struct {
		name   string
		after  time.Duration
		status *Status
		want   time.Duration
	}{
		{name: "believes what remains", status: &Status{1000, 50, 50}, want: time.Second},
		{name: "does not believe what contradicts the refusal", status: &Status{1000, 900, 50}, want: 2 * time.Second},
		{name: "waits as long as it is told", after: 10 * time.Second, want: 10 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := seed(t, 1000, none)
				reserve(t, p, 100, 0).Throttled(row.after, row.status)
				if got := waited(t, p, 100, 0); got < row.want || got > row.want+10*time.Millisecond {
					t.Errorf("waited %v, want %v", got, row.want)
				}
			})
		})
	}
}

func TestThrottledAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 1000, none)
		var pauses []time.Duration
		for range 8 {
			start := time.Now()
			r := reserve(t, p, 1, 0)
			pauses = append(pauses, time.Since(start).Round(time.Second))
			r.Throttled(0, &Status{Limit: 1000, Remaining: 1000, RestoreRate: 50})
		}
		var want []time.Duration
		for _, seconds := range []int{0, 1, 1, 2, 4, 8, 16, 30} {
			want = append(want, time.Duration(seconds)*time.Second)
		}
		if diff := cmp.Diff(want, pauses); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRefusedWithoutFigures waits for the points of the request to be restored, whatever headroom
// is kept, and longer with each refusal.
func TestRefusedWithoutFigures(t *testing.T) {
	for _, rate := range []float64{50, 3000} {
		t.Run(fmt.Sprintf("%g points a second", rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := New(func(int, float64) float64 { return 350 })
				answer := func() *Status { return &Status{Limit: 1000, Remaining: 1000, RestoreRate: rate} }
				reserve(t, p, 1, 0).Settle(0, answer())
				restored := time.Duration(100 / rate * float64(time.Second))
				waits := map[time.Duration]bool{}
				r := reserve(t, p, 100, 1)
				for try := range 16 {
					r.Throttled(0, nil)
					start := time.Now()
					r = reserve(t, p, 100, 1)
					got, least := time.Since(start), min(restored<<max(try-1, 0), 30*time.Second)
					if most := min(least*3/2, 30*time.Second); got < least || got > most+time.Millisecond {
						t.Errorf("after refusal %d: waited %v, want %v to %v", try+1, got, least, most)
					}
					waits[got] = true
				}
				if len(waits) < 4 {
					t.Errorf("%d different waits: they have no jitter", len(waits))
				}
				r.Settle(100, answer())
				if got := waited(t, p, 100, 1); got > 0 {
					t.Errorf("an answer says that the bucket is full, and the next request waited %v", got)
				}
			})
		})
	}
}

// TestRefusedTogether counts requests that were under way together as one refusal: they met the
// same trouble.
func TestRefusedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 1000, none)
		var together []*Reservation
		for range 5 {
			together = append(together, reserve(t, p, 50, 0))
		}
		time.Sleep(100 * time.Millisecond)
		for _, r := range together {
			r.Throttled(0, nil)
		}
		if got := waited(t, p, 50, 0); got < time.Second || got > 1501*time.Millisecond {
			t.Errorf("waited %v, want 1 to 1.5 s for 50 points", got)
		}
	})
}

func TestSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 1000, none)
		both := reserve(t, p, 180, 0)
		look := both.Split(40)
		if both.Cost() != 140 || look.Cost() != 40 {
			t.Fatalf("split into %g and %g", both.Cost(), look.Cost())
		}
		look.Settle(30, nil)
		if got := both.Split(1000).Cost(); got != 140 {
			t.Errorf("a split took %g of 140", got)
		}
		both.Return()
		if got := both.Split(10); got.Cost() != 0 {
			t.Errorf("an ended reservation gave %g", got.Cost())
		}
		if got := remaining(p); got != 830 {
			t.Errorf("remaining %g, want 830: the part that was split off is still out", got)
		}
	})
}

// TestAnswersOvertakeOneAnother settles the later of two requests first. What remained when the
// earlier one was answered is more than what is left.
func TestAnswersOvertakeOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 400, none)
		first, second := reserve(t, p, 196, 0), reserve(t, p, 196, 0)
		second.Settle(186, &Status{Limit: 400, Remaining: 400 - 43 - 186, RestoreRate: 50})
		first.Settle(43, &Status{Limit: 400, Remaining: 400 - 43, RestoreRate: 50})
		if got := remaining(p); got != 171 {
			t.Errorf("remaining %g, want 171", got)
		}
		lost, third := reserve(t, p, 50, 0), reserve(t, p, 50, 0)
		lost.Lost() // it may be charged after the third is answered
		third.Settle(50, &Status{Limit: 400, Remaining: 400 - 43 - 186 - 50, RestoreRate: 50})
		if got := remaining(p); got != 71 {
			t.Errorf("remaining %g beside a lost request, want 71", got)
		}
	})
}
