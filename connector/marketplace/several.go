package marketplace

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// severalKept is how long a refusal of several publications in one request is remembered. After
// that, or after a restart, the next request names several again.
const severalKept = time.Hour

// A Bound is how many publications one request may name, as the server's refusals tell.
type Bound struct {
	Most   int       // publications that one request names; 0: as many as there is use for
	Until  time.Time // the refusal is forgotten then
	Reason string    // what the server said
}

// several is the Bound of a server, kept in memory alone.
type several struct {
	mu    sync.Mutex
	bound Bound
	said  bool // it was logged as news
}

// now is the bound that holds, the zero value for none.
func (s *several) now() Bound {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !time.Now().Before(s.bound.Until) {
		return Bound{}
	}
	return s.bound
}

// most is how many of n publications one request may name.
func (s *several) most(n int) int {
	if b := s.now(); b.Most > 0 {
		return min(n, b.Most)
	}
	return n
}

// set records a bound, and reports whether it is the first.
func (s *several) set(b Bound) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound, first, s.said = b, !s.said, true
	return first
}

// Bound is how many publications one request names, and why; the zero value where there is no
// limit.
func (r *Reader) Bound() Bound { return r.several.now() }

// refuseSeveral records that the server refused a request because it names n publications. The
// number in the refusal is the most that the server accepts; one where it has none.
func (r *Reader) refuseSeveral(ctx context.Context, n int, refusal error) {
	e, ok := errors.AsType[*Error](refusal)
	if !ok {
		return
	}
	b := Bound{Most: 1, Until: time.Now().Add(severalKept), Reason: e.Message}
	if e.Several {
		b.Most = max(int(fault.Named(e.Message, float64(n))), 1)
	}
	level := slog.LevelInfo
	if r.several.set(b) {
		level = slog.LevelWarn
	}
	r.conn.Log.LogAttrs(ctx, level, "marketplace refuses several publications in one request, fewer are named for a while",
		slog.Int("most", b.Most), slog.Time("until", b.Until), slog.String("error", e.Message))
}

// tooMany is the error of a request that is not sent, since it names more publications than the
// server accepts.
func tooMany(op string, b Bound) *Error {
	return &Error{Op: op, Kind: Invalid, Message: b.Reason, Detail: fault.Detail{Several: true}}
}

// isSeveral reports whether a request was refused, or not sent, because it names several
// publications.
func isSeveral(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Several
}
