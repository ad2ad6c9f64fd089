package series

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// every is how often a recorder writes.
const every = time.Minute

// Options is what a recorder reads, and where it writes.
type Options struct {
	Store  store.Store
	Cost   func() float64 // points spent since the start
	Budget func() pace.Snapshot
	Failed func(error) // is told where the store cannot be read or written
}

// A Recorder adds to the series what its process does.
type Recorder struct {
	o Options

	mu       sync.Mutex
	webhooks int // since the last sample
	lags     []int

	// of Run, and of Keep behind it
	point   Point
	written Point
	spent   float64
	at      time.Time // of the last sample
}

// New returns a recorder of what happens from now on.
func New(o Options) *Recorder {
	return &Recorder{o: o, lags: make([]int, len(Bounds())+1), at: time.Now(), spent: o.Cost()}
}

// Webhook counts a webhook that was accepted.
func (r *Recorder) Webhook() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.webhooks++
}

// Sent does nothing: a change is counted once it is settled.
func (*Recorder) Sent(publication.Decision) {}

// Settled counts how long a change took that reached the shop.
func (r *Recorder) Settled(d publication.Decision) {
	lag, ok := d.Lag(time.Now())
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lags[bucket(lag)]++
}

// bucket is the place of a time among those of [Point.Lags].
func bucket(lag time.Duration) int {
	at, _ := slices.BinarySearch(Bounds(), lag.Seconds())
	return at
}

// Run writes what happens every minute, until ctx ends. Keep follows it.
func (r *Recorder) Run(ctx context.Context) {
	for {
		breaker.Sleep(ctx, every)
		if ctx.Err() != nil {
			return
		}
		r.sample(context.WithoutCancel(ctx), false)
	}
}

// Keep writes what has happened until the end of the process. It is not called beside Run.
func (r *Recorder) Keep(ctx context.Context) { r.sample(context.WithoutCancel(ctx), true) }

// sample adds what has happened since the last one, and writes the point. last says that none
// follows.
func (r *Recorder) sample(ctx context.Context, last bool) {
	now := time.Now()
	hour := now.UTC().Truncate(time.Hour)
	if !r.point.At.Equal(hour) {
		r.write(ctx, true)
		before, _, err := pointOf(ctx, r.o.Store, hour)
		if err != nil {
			r.o.Failed(err)
			return
		}
		r.point, r.written = before, before
	}
	p := &r.point
	spent := r.o.Cost()
	p.Spent += spent - r.spent
	p.Restored += r.o.Budget().RestoreRate * now.Sub(r.at).Seconds()
	r.spent, r.at = spent, now

	r.mu.Lock()
	p.Webhooks += r.webhooks
	p.Lags = summed(p.Lags, r.lags)
	r.webhooks = 0
	clear(r.lags)
	r.mu.Unlock()

	backlog, err := r.o.Store.Backlog(ctx, store.At(now))
	if err == nil {
		p.Due = max(p.Due, backlog.Due)
		p.States, err = r.o.Store.Counts(ctx)
	}
	if err != nil {
		r.o.Failed(err)
		return
	}
	r.write(ctx, last)
}

// write keeps the point. While nothing happens but that points are restored it is written when the
// hour, or the process, ends.
func (r *Recorder) write(ctx context.Context, always bool) {
	same := r.point.Spent == r.written.Spent && r.point.Due == r.written.Due &&
		r.point.Webhooks == r.written.Webhooks && slices.Equal(r.point.Lags, r.written.Lags) &&
		maps.Equal(r.point.States, r.written.States)
	if r.point.At.IsZero() || same && (!always || r.point.Restored == r.written.Restored) {
		return
	}
	if err := store.SetMetaJSON(ctx, r.o.Store, slot(r.point.At), r.point); err != nil {
		r.o.Failed(err)
		return
	}
	r.written = r.point
	r.written.Lags, r.written.States = slices.Clone(r.point.Lags), maps.Clone(r.point.States)
}

// summed adds counts to those before; nil where there are none.
func summed(before, more []int) []int {
	if len(before) != len(more) {
		before = make([]int, len(more))
	}
	some := false
	for i := range more {
		before[i] += more[i]
		some = some || before[i] > 0
	}
	if !some {
		return nil
	}
	return before
}
