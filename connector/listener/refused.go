package listener

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/store"
)

const (
	// RefusalsAllowed is how many deliveries in a row may fail before the marketplace deletes a
	// registration.
	RefusalsAllowed = 19

	// answerWithin is how long the marketplace waits for an answer. A later one counts as a
	// refusal.
	answerWithin = 5 * time.Second

	// refusalsCount is how long refusals count after the last of them: the marketplace retries for
	// two days, and has given up or succeeded since.
	refusalsCount = 48 * time.Hour

	// refusalsKept is the least time between two writes of the counts: strangers can send
	// deliveries that are refused as often as they like.
	refusalsKept = 10 * time.Minute

	// tellEvery is how many refusals in a row lead to a line in the log.
	tellEvery = 5
)

// metaRefused is the fact that keeps the counts over a restart.
const metaRefused = "webhook_refused"

// Refused is the deliveries that were refused in a row, as far as they arrived: the marketplace
// also counts those that did not. The row ends with an acknowledged delivery, with a new
// registration, and after two days without a refusal.
type Refused struct {
	InARow int       `json:"inARow"`
	Since  time.Time `json:"since"` // the first of them
	Last   time.Time `json:"last"`
	Why    string    `json:"why"` // of the last
}

// A wayIn is one of the ways in which deliveries come. Each has a row of its own.
type wayIn string

const (
	signedWay wayIn = "signed"
	hintWay   wayIn = "unsigned" // at the path token
	// at the address of signed ones, which refuses them: they come from another registration
	unsignedWay wayIn = "not signed"
)

func wayOf(path string) wayIn {
	if strings.HasPrefix(path, "/webhooks/") {
		return hintWay
	}
	return signedWay
}

// Refusals counts the refused deliveries for each way in. It keeps the counts in the store, up to
// refusalsKept late: a process that is killed may forget that much.
type Refusals struct {
	memory   store.Facts
	failed   func(error) // is called with an error of memory
	log      *slog.Logger
	told     health.LogLimiter
	unsigned health.LogLimiter

	storing *semaphore.Weighted // of 1: one goroutine at a time reads or writes memory

	mu      sync.Mutex        // is not held while memory is called
	way     map[wayIn]Refused // nil: memory was not read yet
	differs bool              // from the counts in the store
	kept    time.Time         // when they were last written
}

// NewRefusals makes a Refusals. It reads memory when it is first needed.
func NewRefusals(memory store.Facts, failed func(error), log *slog.Logger) *Refusals {
	return &Refusals{memory: memory, failed: failed, log: log, storing: semaphore.NewWeighted(1)}
}

// RefusedIn is the longest row that a store keeps, nil for none.
func RefusedIn(ctx context.Context, memory store.Facts, now time.Time) (*Refused, error) {
	way, err := readRefused(ctx, memory)
	return worst(way, now), err
}

func readRefused(ctx context.Context, memory store.Facts) (way map[wayIn]Refused, err error) {
	_, err = store.MetaJSON(ctx, memory, metaRefused, &way)
	return way, err
}

// worst is the longest row that still counts.
func worst(way map[wayIn]Refused, now time.Time) (most *Refused) {
	for _, r := range way {
		if now.Sub(r.Last) < refusalsCount && (most == nil || r.InARow > most.InARow) {
			most = &r
		}
	}
	return most
}

// Worst is the longest row of refused deliveries, nil where the last delivery of each way in was
// acknowledged.
func (f *Refusals) Worst(ctx context.Context) *Refused {
	f.load(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	return worst(f.way, time.Now())
}

// looksDelivered reports whether a request may be the marketplace's: it has one of the headers of
// its deliveries. Others may send them too.
func looksDelivered(r *http.Request, prefix string) bool {
	return r.Method == http.MethodPost &&
		(r.Header.Get(prefix+"-Webhook-Id") != "" || r.Header.Get(prefix+"-Event") != "")
}

func (f *Refusals) refused(ctx context.Context, in wayIn, why string, now time.Time) {
	if !f.load(ctx) {
		return
	}
	r := f.count(in, why, now)
	f.keep(ctx, now)
	if in == unsignedWay {
		f.tellUnsigned(r, now)
	}
	if r.InARow%tellEvery != 0 {
		return
	}
	if untold, ok := f.told.Allow(now); ok {
		f.log.Error(
			"webhooks are refused, the marketplace deletes their registration after too many in a row",
			"in_a_row", r.InARow, "allowed", RefusalsAllowed, "since", r.Since, "why", why, "untold", untold,
		)
	}
}

// count counts a refused delivery, and returns its row.
func (f *Refusals) count(in wayIn, why string, now time.Time) Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, counts := f.way[in]
	if !counts || now.Sub(r.Last) >= refusalsCount {
		r = Refused{Since: now}
	}
	r.InARow++
	r.Last, r.Why = now, why
	f.way[in], f.differs = r, true
	return r
}

// tellUnsigned logs what to do about deliveries without a signature, with the first of a row and
// with each fifth.
func (f *Refusals) tellUnsigned(r Refused, now time.Time) {
	if r.InARow%tellEvery > 1 {
		return
	}
	if untold, ok := f.unsigned.Allow(now); ok {
		f.log.Warn(
			"webhooks arrive that are not signed",
			"advice", "those that no app registered never are: set PUBSYNC_WEBHOOK_PATH_TOKEN, "+
				"and give the marketplace the address that ends in it",
			"in_a_row", r.InARow, "since", r.Since, "untold", untold,
		)
	}
}

func (f *Refusals) acknowledged(ctx context.Context, in wayIn) {
	ends := []wayIn{in}
	if in == hintWay { // unsigned ones now come to the address that accepts them
		ends = append(ends, unsignedWay)
	}
	f.end(ctx, ends...)
}

// end ends rows.
func (f *Refusals) end(ctx context.Context, ways ...wayIn) {
	if !f.load(ctx) {
		return
	}
	func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, in := range ways {
			if _, counts := f.way[in]; counts {
				delete(f.way, in)
				f.differs = true
			}
		}
	}()
	f.keep(ctx, time.Now())
}

// Registered ends the row of an address that was registered anew: the marketplace counts from zero.
// A proxy may put a prefix before the path.
func (f *Refusals) Registered(ctx context.Context, path string) {
	f.end(ctx, wayOf(path[max(strings.LastIndex(path, "/webhooks/"), 0):]))
}

// Run writes changed counts to the store, now and then and at the end of ctx.
func (f *Refusals) Run(ctx context.Context) {
	ticker := time.NewTicker(refusalsKept)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			if f.storing.Acquire(context.WithoutCancel(ctx), 1) == nil {
				f.write(ctx, f.changed(time.Now(), 0))
				f.storing.Release(1)
			}
			return
		case <-ticker.C:
			f.keep(ctx, time.Now())
		}
	}
}

// load reads the counts from the store, once. It returns false where ctx ends before.
func (f *Refusals) load(ctx context.Context) bool {
	if f.loaded() {
		return true
	}
	if f.storing.Acquire(ctx, 1) != nil {
		return false
	}
	defer f.storing.Release(1)
	if f.loaded() {
		return true
	}
	way, err := readRefused(context.WithoutCancel(ctx), f.memory)
	if err != nil {
		f.failed(err)
	}
	if way == nil {
		way = map[wayIn]Refused{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.way = way
	return true
}

func (f *Refusals) loaded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.way != nil
}

// keep writes changed counts to the store, unless somebody does so or did within refusalsKept.
func (f *Refusals) keep(ctx context.Context, now time.Time) {
	if !f.storing.TryAcquire(1) {
		return
	}
	defer f.storing.Release(1)
	f.write(ctx, f.changed(now, refusalsKept))
}

// changed is a copy of the counts where they differ from those in the store and were not written
// within a time, 0 for any; else it is nil.
func (f *Refusals) changed(now time.Time, within time.Duration) map[wayIn]Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.differs || within > 0 && now.Sub(f.kept) < within {
		return nil
	}
	f.kept, f.differs = now, false
	return maps.Clone(f.way)
}

// write writes counts to the store. The caller holds storing.
func (f *Refusals) write(ctx context.Context, way map[wayIn]Refused) {
	if way == nil {
		return
	}
	if err := store.SetMetaJSON(context.WithoutCancel(ctx), f.memory, metaRefused, way); err != nil {
		f.failed(err)
		f.mu.Lock()
		f.differs = true
		f.mu.Unlock()
	}
}
