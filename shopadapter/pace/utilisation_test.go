package pace

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	requested = 344 // what the content of one product is reserved at
	actual    = 140 // and what it is charged in the end
)

// TestUtilisation holds the book to its promise: under a backlog the restore rate is used, and the
// server never has to refuse.
func TestUtilisation(t *testing.T) {
	type setting struct {
		name              string
		workers           int
		requested, actual float64
		latency           time.Duration
		execution         time.Duration // how long the requested cost stays charged
		jitter            time.Duration
		rate              float64
		foreign, burst    float64 // another client's points per second, and its largest request
		lost              float64 // share of answers that are lost
		headroom          float64
		full              bool // the server's bucket is full at the start
		least             float64
		rejected          int // at most: the first surprise of another client cannot be foreseen
	}
	for _, s := range []setting{
		{name: "one worker", workers: 1},
		{name: "four workers", workers: 4},
		{name: "full at the start", workers: 4, full: true},
		{name: "latency", workers: 4, latency: 300 * time.Millisecond},
		{name: "latency that varies", workers: 4, latency: 200 * time.Millisecond, jitter: 800 * time.Millisecond},
		{name: "slow execution", workers: 4, execution: 2 * time.Second},
		{name: "fast bucket", workers: 4, rate: 2000, latency: 20 * time.Millisecond, least: 0.97},
		{name: "another client", workers: 1, foreign: 20, burst: 20, rejected: 1},
		{
			name: "another client, four workers, latency", workers: 4, foreign: 20, burst: 40, latency: 200 * time.Millisecond,
			rejected: 1,
		},
		{
			name: "another client, large requests", workers: 2, foreign: 20, burst: 20, requested: 900, actual: 350,
			rejected: 5,
		},
		{name: "lost answers", workers: 4, lost: 0.1, latency: 100 * time.Millisecond},
		{
			name: "lost answers, another client", workers: 4, lost: 0.05, foreign: 20, burst: 20,
			latency: 100 * time.Millisecond, rejected: 1,
		},
		{name: "headroom", workers: 4, headroom: 350, latency: 100 * time.Millisecond},
		{name: "large requests", workers: 2, requested: 900, actual: 350},
		{name: "the whole bucket", workers: 2, requested: 1000, actual: 350, least: 0.97},
	} {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if s.requested == 0 {
					s.requested, s.actual = requested, actual
				}
				if s.rate == 0 {
					s.rate = assumedRate
				}
				if s.least == 0 {
					s.least = 0.98
				}
				const span = time.Hour
				start := time.Now()
				until := start.Add(span)
				server := newServer(1000, s.rate, 0)
				if s.full {
					server.level = server.limit
				}
				p := New(func(int, float64) float64 { return s.headroom })
				var group sync.WaitGroup
				if s.foreign > 0 {
					group.Go(func() { server.foreign(rand.New(rand.NewPCG(1, 2)), s.foreign, s.burst, until) })
				}
				first, err := p.Reserve(t.Context(), 1, 0)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond)
				status, _ := server.call(1, 1, s.latency)
				first.Settle(1, status)
				for worker := range s.workers {
					random := rand.New(rand.NewPCG(uint64(worker), 7))
					group.Go(func() {
						for time.Now().Before(until) {
							r, err := p.Reserve(t.Context(), s.requested, 1)
							if err != nil {
								t.Errorf("reserve: %v", err)
								return
							}
							latency := s.latency
							if s.jitter > 0 {
								latency += time.Duration(random.Int64N(int64(s.jitter)))
							}
							var status *Status
							var ok bool
							if s.execution > 0 {
								status, ok = server.slow(s.requested, s.actual, s.execution)
							} else {
								status, ok = server.call(s.requested, s.actual, latency)
							}
							switch {
							case !ok:
								r.Throttled(0, status)
							case random.Float64() < s.lost:
								r.Lost()
							default:
								r.Settle(s.actual, status)
							}
						}
					})
				}
				group.Wait()
				server.mu.Lock()
				share := server.used / (s.rate * time.Since(start).Seconds())
				t.Logf(
					"used %.4f of the restore rate, %d refused, %.0f points never restored", share,
					server.rejected, server.unused,
				)
				if share < s.least {
					t.Errorf("used %.4f of the restore rate, want at least %g", share, s.least)
				}
				if server.rejected > s.rejected {
					t.Errorf("%d requests were refused, want at most %d", server.rejected, s.rejected)
				}
				server.mu.Unlock()
				if s.lost == 0 && s.foreign == 0 {
					settled(t, p, server)
				}
			})
		})
	}
}
