package pace

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A tally is the points that a share was granted.
type tally struct {
	mu     sync.Mutex
	points float64
}

func (t *tally) add(points float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.points += points
}

func (t *tally) sum() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.points
}

// ask has goroutines reserve points from a share until ctx ends, and counts what they are granted.
func ask(ctx context.Context, group *sync.WaitGroup, s *Share, workers, priority int, cost float64, got *tally) {
	for range workers {
		group.Go(func() {
			for {
				r, err := s.Reserve(ctx, cost, priority)
				if err != nil {
					return
				}
				r.Settle(cost, nil)
				got.add(cost)
			}
		})
	}
}

// Each share gets the same points, however many of its requests wait, whatever they cost, and
// whatever its own priorities are.
func TestSharesGetTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var group sync.WaitGroup
		var got [3]tally
		ask(ctx, &group, p.Share(), 40, 1, 20, &got[0])
		ask(ctx, &group, p.Share(), 2, 2, 90, &got[1])
		ask(ctx, &group, p.Share(), 2, 4, 5, &got[2])
		group.Wait()
		all := got[0].sum() + got[1].sum() + got[2].sum()
		for i := range got {
			if share := got[i].sum() / all; share < 0.32 || share > 0.35 {
				t.Errorf("share %d: got %.3f of the points, want a third", i, share)
			}
		}
		if rate := all / time.Hour.Seconds(); rate < 49 {
			t.Errorf("got %.1f points a second, want the whole rate of 50", rate)
		}
	})
}

// A share that did not wait has no claim to what was granted meanwhile, and no debt either.
func TestAShareThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		var group sync.WaitGroup
		var first, later tally
		ask(ctx, &group, p.Share(), 3, 1, 20, &first)
		time.Sleep(time.Hour)
		alone := first.sum()
		ask(ctx, &group, p.Share(), 3, 1, 20, &later)
		group.Wait()
		if was, is := first.sum()-alone, later.sum(); was < 0.9*is || is < 0.9*was {
			t.Errorf("got %.0f points for the first and %.0f for the later, want about the same", was, is)
		}
	})
}

// What is most urgent goes before the lines of all, also where its share was granted the most.
func TestTheMostUrgentOfAnyShareIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var group sync.WaitGroup
		var busy tally
		var others [20]tally
		s := p.Share()
		ask(ctx, &group, s, 1, 1, 20, &busy)
		for i := range others {
			ask(ctx, &group, p.Share(), 5, 2, 20, &others[i])
		}
		time.Sleep(10 * time.Minute)
		begun := time.Now()
		r, err := s.Reserve(ctx, 100, MostUrgent)
		if err != nil {
			t.Fatal(err)
		}
		r.Settle(100, nil)
		if waited := time.Since(begun); waited > 3*time.Second {
			t.Errorf("the most urgent waited %v, want about the two seconds of its points", waited)
		}
		cancel()
		group.Wait()
	})
}

// A request that is given up leaves the line, and its share is not charged.
func TestARequestThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seed(t, 0, Options{})
		s := p.Share()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Reserve(ctx, 500, 1); err == nil {
			t.Fatal("got points that are not there yet")
		}
		if got := p.Snapshot(); got.Waiting != 0 || got.First != nil {
			t.Errorf("got %+v, want nobody in line", got)
		}
		if s.spent != 0 {
			t.Errorf("got %g points counted, want none", s.spent)
		}
	})
}
