package pace

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A third is a client on the bucket of two pacers that keeps no book. It sends what it has, and
// again a second after each refusal.
type third struct {
	name               string
	every              time.Duration // on average between two of its requests; 0: there is no such client
	requested, charged float64       // of each
}

func thirds() []third {
	return []third{
		{name: "nobody-else"},
		{name: "a-steady-third", every: time.Second, requested: 30, charged: 10},
		{name: "a-third-that-takes-half", every: time.Second, requested: 40, charged: 25},
	}
}

// A share is what two pacers made of a bucket beside a third client.
type share struct {
	used    float64 // of the points that the third left, once the pacers know of each other and of it
	refused int     // of the pacers' requests meanwhile
	early   int     // and before
}

// shareBucket has two pacers, each with two workers before a backlog, on one bucket with a third
// client.
func shareBucket(t *testing.T, other third) (s share) {
	t.Helper()
	const learning, span, rate = 5 * time.Minute, time.Hour, assumedRate
	server := newServer(1000, rate, 1000)
	begin := time.Now().Add(learning)
	until := begin.Add(span)
	var mu sync.Mutex
	var ours, theirs, atBegin float64
	var group sync.WaitGroup
	group.Go(func() {
		time.Sleep(learning)
		server.mu.Lock()
		defer server.mu.Unlock()
		server.restore()
		atBegin = server.level
	})
	book := func(to *float64, points float64) {
		if !time.Now().Before(begin) {
			*to += points
		}
	}
	if other.every > 0 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(9, 9))
			for time.Now().Before(until) {
				time.Sleep(time.Duration(random.ExpFloat64() * float64(other.every)))
				_, ok := server.call(other.requested, other.charged, 50*time.Millisecond)
				for ; !ok; _, ok = server.call(other.requested, other.charged, 50*time.Millisecond) {
					time.Sleep(time.Second)
				}
				mu.Lock()
				book(&theirs, other.charged)
				mu.Unlock()
			}
		})
	}
	for pacer := range uint64(2) {
		p := New(Options{Headroom: func(_ int, limit float64) float64 { return 0.35 * limit }})
		for worker := range uint64(2) {
			random := rand.New(rand.NewPCG(pacer, worker))
			group.Go(func() {
				for time.Now().Before(until) {
					r, err := p.Reserve(t.Context(), requested, 1)
					if err != nil {
						t.Error(err)
						return
					}
					charged := actual * (0.5 + random.Float64())
					status, ok := server.call(requested, charged, 100*time.Millisecond)
					mu.Lock()
					switch {
					case ok:
						book(&ours, charged)
						r.Settle(charged, status)
					case time.Now().Before(begin):
						s.early++
						r.Throttled(0, status)
					default:
						s.refused++
						r.Throttled(0, status)
					}
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	server.restore()
	s.used = ours / (rate*time.Since(begin).Seconds() + atBegin - server.level - theirs)
	return s
}

// TestTwoPacersAndAThird holds two workers of ours to one bucket, beside a client that keeps no
// book.
func TestTwoPacersAndAThird(t *testing.T) {
	for _, other := range thirds() {
		t.Run(other.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := shareBucket(t, other)
				t.Logf("used %.4f of what is left, %d refused, %d before that", s.used, s.refused, s.early)
				if s.used < 0.97 || s.refused > 0 || s.early > 3 {
					t.Errorf(
						"used %.4f of what is left, %d refused, %d before that; want 0.97 and none, 3 at most before "+
							"that",
						s.used,
						s.refused,
						s.early,
					)
				}
			})
		})
	}
}
