package pace

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// A server is a bucket as the marketplace keeps it: charged in full before execution, refunded
// after, refilled up to its limit.
type server struct {
	limit, rate float64

	mu       sync.Mutex
	level    float64
	at       time.Time
	used     float64 // points charged in the end
	rejected int
	unused   float64 // points that were not restored because the bucket was full
}

func newServer(limit, rate, level float64) *server {
	return &server{limit: limit, rate: rate, level: level, at: time.Now()}
}

// restore brings the level up to date; mu is held.
func (s *server) restore() {
	now := time.Now()
	s.level += now.Sub(s.at).Seconds() * s.rate
	s.at = now
	if over := s.level - s.limit; over > 0 {
		s.unused += over
		s.level = s.limit
	}
}

func (s *server) status() *Status {
	return &Status{Limit: s.limit, Remaining: s.level, RestoreRate: s.rate}
}

// call is one request: latency on the way, execution, latency on the way back.
func (s *server) call(requested, actual float64, latency time.Duration) (status *Status, ok bool) {
	time.Sleep(latency / 2)
	s.mu.Lock()
	s.restore()
	if s.level < requested {
		s.rejected++
		status = s.status()
	} else {
		s.level -= actual
		s.used += actual
		status, ok = s.status(), true
	}
	s.mu.Unlock()
	time.Sleep(latency - latency/2)
	return status, ok
}

// slow is a request whose refund comes only after it was executed for a while.
func (s *server) slow(requested, actual float64, execution time.Duration) (status *Status, ok bool) {
	s.mu.Lock()
	s.restore()
	if s.level < requested {
		defer s.mu.Unlock()
		s.rejected++
		return s.status(), false
	}
	s.level -= requested
	s.mu.Unlock()
	time.Sleep(execution)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restore()
	s.level += requested - actual
	s.used += actual
	return s.status(), true
}

// foreign draws points on average per second until the deadline, in portions of up to burst points.
func (s *server) foreign(random *rand.Rand, average, burst float64, until time.Time) {
	for time.Now().Before(until) {
		points := 1 + random.Float64()*(burst-1)
		time.Sleep(time.Duration(points / average * float64(time.Second)))
		s.mu.Lock()
		s.restore()
		if s.level >= points {
			s.level -= points
			s.used += points
		}
		s.mu.Unlock()
	}
}

// settled fails the test when the pacer still holds points or promises more than the server has.
func settled(t *testing.T, p *Pacer, s *server) {
	t.Helper()
	s.mu.Lock()
	s.restore()
	level := s.level
	s.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	if p.held > 1e-6 || len(p.queue) > 0 {
		t.Errorf("held %g points and %d requests that wait after everything ended", p.held, len(p.queue))
	}
	if p.level > level+1 {
		t.Errorf("level %g is above the server's %g", p.level, level)
	}
}
