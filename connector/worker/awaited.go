package worker

import (
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/quota"
)

const (
	awaitFor    = time.Minute // after a webhook: what the API does not show by then is left to sweeps
	mostAwaited = 1 << 14     // publications at a time
)

// awaited is what signed webhooks said of publications that the marketplace's API may not show yet.
// It is known in memory alone: after a restart the API shows what was said before.
type awaited struct {
	mu     sync.Mutex
	of     map[string]said
	pruned time.Time
}

// A said is what the last signed webhook said of a publication.
type said struct {
	updatedAt string // "" for nothing
	found     func() // to be called once the API shows the publication
	until     time.Time
	looks     int // that found less
}

// Await has looks at a publication repeated that find it older than updatedAt, or not at all,
// within the next minute. found is called once a look has found it.
func (w *Worker) Await(id, updatedAt string, found func()) {
	w.awaited.put(id, updatedAt, found, time.Now())
}

func (a *awaited) put(id, updatedAt string, found func(), now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil || now.Sub(a.pruned) > awaitFor {
		kept := map[string]said{} // a map that is emptied keeps its memory
		for id, s := range a.of {
			if now.Before(s.until) {
				kept[id] = s
			}
		}
		a.of, a.pruned = kept, now
	}
	if _, known := a.of[id]; !known && len(a.of) >= mostAwaited {
		return
	}
	a.of[id] = said{updatedAt: updatedAt, found: found, until: now.Add(awaitFor)}
}

// judge says when a look that found pub, nil for nothing, is to be repeated; zero where it need not
// be.
func (a *awaited) judge(id string, pub *marketplace.Publication, now time.Time) (again time.Time) {
	a.mu.Lock()
	s, ok := a.of[id]
	defer func() {
		a.mu.Unlock()
		if ok && pub != nil {
			s.found()
		}
	}()
	if !ok {
		return time.Time{}
	}
	behind := s.updatedAt != "" && (pub == nil || older(pub.UpdatedAt, s.updatedAt))
	if left := s.until.Sub(now); behind && left >= quota.SignedGap {
		again = now.Add(min(quota.SignedGap<<s.looks, left))
		s.looks++
		a.of[id] = s
		return again
	}
	delete(a.of, id)
	return time.Time{}
}

// older reports whether one updatedAt is before another, as precisely as both are given. A text
// that is no time is not older than anything.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	if err != nil || wrong != nil {
		return false
	}
	precision := max(precisionOf(a), precisionOf(b))
	return one.Truncate(precision).Before(other.Truncate(precision))
}

// precisionOf is the span that the last digit of a time's seconds stands for.
func precisionOf(t string) time.Duration {
	_, fraction, _ := strings.Cut(t, ".")
	span := time.Second
	for _, c := range fraction {
		if c < '0' || c > '9' || span == 1 {
			break
		}
		span /= 10
	}
	return span
}
